#include "tests/support/testprogram.h"
#include "tests/ui/windowwords.h"

#include <QFile>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QTest>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeWidget>

namespace tst_actions {

using namespace latchkey;
using test::bannerText;
using test::MainWindowFixture;
using Choice = ui::i18n::LanguageSwitcher::Choice;
using ui::actions::ActionRegistry;

namespace {

/// Opens a dialog with the shortcut of its action.
QDialog *opened(MainWindowFixture &fixture, const char *dialog, const QKeySequence &shortcut)
{
    fixture.window.activateWindow();
    if (!test::waitFor([&] { return fixture.window.isActiveWindow(); }))
        return nullptr;
    QTest::keySequence(&fixture.window, shortcut);
    return fixture.dialog<QDialog>(dialog);
}

QStringList rowsOf(const QTreeWidget &list)
{
    QStringList rows;
    for (int row = 0; row < list.topLevelItemCount(); ++row)
        rows += list.topLevelItem(row)->text(0);
    return rows;
}

QList<QAction *> leavesOf(const QMenu &menu)
{
    QList<QAction *> leaves;
    for (QAction *action : menu.actions()) {
        if (action->menu() != nullptr)
            leaves += leavesOf(*action->menu());
        else if (!action->isSeparator())
            leaves += action;
    }
    return leaves;
}

} // namespace

/// Tests of the registry of actions, and of the menu, the finder and the help that come from it.
class TestActions final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void finder_runsAnActionByWordsInAnyOrder()
    {
        MainWindowFixture fixture;
        auto *finder = opened(fixture, "actionFinder", Qt::CTRL | Qt::SHIFT | Qt::Key_P);
        QVERIFY(finder != nullptr);
        auto &filter = fixture.widget<QLineEdit>("actionFilter");
        auto &list = fixture.widget<QTreeWidget>("actionList");
        QVERIFY(list.topLevelItemCount() > 20);
        QTest::keyClicks(&filter, QStringLiteral("key FILTER"));
        QCOMPARE(rowsOf(list), QStringList {QStringLiteral("Filter the keys")});
        QCOMPARE(list.topLevelItem(0)->text(2), QKeySequence(QKeySequence::Find).toString(QKeySequence::NativeText));
        fixture.window.showPage(ui::shell::MainWindow::StoriesIndex);
        QTest::keyClick(&filter, Qt::Key_Return);
        QVERIFY(fixture.dialog<QDialog>("actionFinder") == nullptr);
        QVERIFY(fixture.widget<QToolButton>("inspectorButton").isChecked());
    }

    void finder_movesWithArrowsAndClosesWithEscape()
    {
        MainWindowFixture fixture;
        auto *finder = opened(fixture, "actionFinder", Qt::CTRL | Qt::SHIFT | Qt::Key_P);
        QVERIFY(finder != nullptr);
        auto &filter = fixture.widget<QLineEdit>("actionFilter");
        auto &list = fixture.widget<QTreeWidget>("actionList");
        QCOMPARE(list.currentItem(), list.topLevelItem(0));
        QTest::keyClick(&filter, Qt::Key_Down);
        QCOMPARE(list.currentItem(), list.topLevelItem(1));
        QTest::keyClick(&filter, Qt::Key_Up);
        QCOMPARE(list.currentItem(), list.topLevelItem(0));
        QTest::keyClick(&filter, Qt::Key_Escape);
        QVERIFY(fixture.dialog<QDialog>("actionFinder") == nullptr);
    }

    void disabledAction_isShownWithTheReasonAndNotRun()
    {
        MainWindowFixture fixture;
        QVERIFY(opened(fixture, "actionFinder", Qt::CTRL | Qt::SHIFT | Qt::Key_P) != nullptr);
        auto &filter = fixture.widget<QLineEdit>("actionFilter");
        auto &list = fixture.widget<QTreeWidget>("actionList");
        QTest::keyClicks(&filter, QStringLiteral("delete"));
        QCOMPARE(rowsOf(list), QStringList {QStringLiteral("Delete… (No connection to a server)")});
        QVERIFY(list.topLevelItem(0)->isDisabled());
        QTest::keyClick(&filter, Qt::Key_Return);
        QVERIFY(fixture.dialog<QDialog>("actionFinder") != nullptr);
        filter.setText(QStringLiteral("no such action"));
        QCOMPARE(list.topLevelItemCount(), 0);
        QVERIFY(test::labelText(fixture, "noAction").startsWith(QStringLiteral("No action has")));
    }

    void menu_hasEveryActionInTheLanguageOfTheWindow()
    {
        MainWindowFixture fixture;
        QMenu &menu = *fixture.widget<QToolButton>("mainMenu").menu();
        for (const Choice language : {Choice::English, Choice::Chinese}) {
            fixture.languageSwitcher.choose(language);
            LATCHKEY_AWAIT(menu.actions().isEmpty()); // No text of the previous language is left.
            Q_EMIT menu.aboutToShow();
            QStringList shown;
            for (const QAction *action : leavesOf(menu))
                shown += action->text().replace(QStringLiteral("&&"), QStringLiteral("&"));
            QStringList expected;
            for (const ActionRegistry::Item &item : fixture.window.actionRegistry().items())
                expected += item.shortcut.isEmpty() ? item.name : item.name + u'\t' + item.shortcut;
            shown.sort();
            expected.sort();
            QCOMPARE(shown, expected);
        }
    }

    /// A shortcut that two actions have would run neither.
    /// The pages that are created late have their actions from the beginning.
    void lateActions_areFoundByName_data()
    {
        QTest::addColumn<QString>("name");
        for (const char *name : {"Play or pause the story", "Take one step of the story", "Find races in the recipe",
                                 "Check a program for races", "Run or cancel the experiment",
                                 "Check or stop the expectations", "Show the forecast", "Redlock on five servers"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void lateActions_areFoundByName()
    {
        QFETCH(QString, name);
        MainWindowFixture fixture;
        const auto items = fixture.window.actionRegistry().items();
        QVERIFY(std::ranges::any_of(items, [&](const auto &item) { return ui::actions::matches(item, name); }));
    }

    void lateAction_opensItsPageAndRuns()
    {
        MainWindowFixture fixture;
        auto &registry = fixture.window.actionRegistry();
        for (const auto &item : registry.items()) {
            if (item.name == u"Show the forecast")
                registry.run(item.index);
        }
        QVERIFY(fixture.button("labForecast").isVisible() && fixture.button("labForecast").isChecked());
    }

    void shortcuts_areUnique()
    {
        MainWindowFixture fixture;
        fixture.window.showPage(ui::shell::MainWindow::PlaygroundIndex);
        QSet<QString> met;
        for (const ActionRegistry::Item &item : fixture.window.actionRegistry().items()) {
            QVERIFY2(item.shortcut.isEmpty() || !met.contains(item.shortcut), qPrintable(item.name));
            QVERIFY(!item.name.isEmpty());
            met += item.shortcut;
        }
    }

    void help_hasEveryShortcutAndPurpose()
    {
        MainWindowFixture fixture;
        QVERIFY(opened(fixture, "helpDialog", Qt::Key_F1) != nullptr);
        const QString text = fixture.widget<QTextBrowser>("helpText").toPlainText();
        for (const ActionRegistry::Item &item : fixture.window.actionRegistry().items())
            QVERIFY2(item.shortcut.isEmpty() || text.contains(item.name), qPrintable(item.name));
        QVERIFY(text.contains(QStringLiteral("Measures which keys stay for ever")));
        fixture.languageSwitcher.choose(Choice::Chinese);
        LATCHKEY_AWAIT(!fixture.widget<QTextBrowser>("helpText").toPlainText().contains(QStringLiteral("Measures")));
    }

    void manual_isShownInBothLanguages()
    {
        MainWindowFixture fixture;
        QVERIFY(opened(fixture, "helpDialog", Qt::Key_F1) != nullptr);
        auto &contents = fixture.widget<QListWidget>("helpContents");
        auto &text = fixture.widget<QTextBrowser>("helpText");
        for (const Choice language : {Choice::English, Choice::Chinese}) {
            fixture.languageSwitcher.choose(language);
            const QString title = QString::fromUtf8(language == Choice::English ? "The window" : "\u7a97\u53e3");
            LATCHKEY_AWAIT(contents.count() == 13 && contents.item(1)->text() == title);
            for (int row = 1; row < contents.count(); ++row) {
                contents.setCurrentRow(row);
                QVERIFY(!contents.item(row)->text().isEmpty());
                QVERIFY2(text.toPlainText().startsWith(contents.item(row)->text()),
                         qPrintable(contents.item(row)->text()));
            }
        }
    }

    void link_leadsToItsPageOrIsExplained()
    {
        MainWindowFixture fixture;
        QVERIFY(opened(fixture, "helpDialog", Qt::Key_F1) != nullptr);
        auto &contents = fixture.widget<QListWidget>("helpContents");
        auto &text = fixture.widget<QTextBrowser>("helpText");
        contents.setCurrentRow(1);
        Q_EMIT text.anchorClicked(QUrl(QStringLiteral("exit-codes.md")));
        QVERIFY(text.toPlainText().startsWith(QStringLiteral("Exit codes")));
        QCOMPARE(contents.currentItem()->text(), QStringLiteral("Exit codes"));
        Q_EMIT text.anchorClicked(QUrl(QStringLiteral("../any-program.md")));
        QVERIFY(!text.toPlainText().startsWith(QStringLiteral("Exit codes")));
        Q_EMIT text.anchorClicked(QUrl(QStringLiteral("../core/README.md")));
        QVERIFY(test::labelText(fixture, "helpNote").startsWith(QStringLiteral("README.md is in the sources")));
    }

    void about_namesVersionsAndLicences()
    {
        MainWindowFixture fixture;
        fixture.widget<QAction>("showAbout").trigger();
        QVERIFY(fixture.dialog<QDialog>("aboutDialog") != nullptr);
        const QString text = fixture.widget<QTextBrowser>("aboutText").toPlainText();
        for (const QLatin1String expected : {QLatin1String(qVersion()), QLatin1String("hiredis"), QLatin1String("MIT"),
                                             QLatin1String("LGPL-3.0-only"), QLatin1String("BSD-3-Clause")})
            QVERIFY2(text.contains(expected), expected.data());
    }

    void welcome_isShownOnce()
    {
        MainWindowFixture fixture;
        QVERIFY(bannerText(fixture).isEmpty());
        fixture.window.welcome();
        QVERIFY(bannerText(fixture).startsWith(QStringLiteral("To find a stuck lock, use the Inspector.")));
        QTest::mouseClick(test::bannerAction(fixture), Qt::LeftButton);
        QVERIFY(fixture.dialog<QDialog>("helpDialog") != nullptr);
        QVERIFY(bannerText(fixture).isEmpty());
        fixture.window.welcome();
        QVERIFY(bannerText(fixture).isEmpty());
        QVERIFY(ui::shell::Settings(fixture.folder.filePath(QStringLiteral("latchkey.ini"))).isWelcomed());
    }
};

LATCHKEY_WINDOW_TEST(TestActions)

} // namespace tst_actions

#include "tst_actions.moc"
