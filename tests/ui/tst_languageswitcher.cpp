#include "tests/support/testprogram.h"
#include "tests/ui/windowwords.h"
#include "ui/pages/stories/alternativeview.h"

#include <QAction>
#include <QComboBox>
#include <QListWidget>
#include <QMenu>
#include <QMetaProperty>
#include <QRegularExpression>
#include <QTest>
#include <QToolButton>

#include <algorithm>

namespace tst_languageswitcher {

using namespace latchkey;
using test::MainWindowFixture;
using watching::Watcher;
using Choice = ui::i18n::LanguageSwitcher::Choice;
using ui::shell::MainWindow;

namespace {

/// The name of a language is always in that language.
const QString ownName = QStringLiteral("\u7b80\u4f53\u4e2d\u6587");

bool isChinese(const QString &text)
{
    static const QRegularExpression character(QStringLiteral("[\\x{4e00}-\\x{9fff}]"));
    return text.contains(character);
}

/// Whether a text has two consecutive English words. Commands and inputs do not count.
bool isEnglish(const QString &text)
{
    if (text.startsWith(QStringLiteral("session:7 gone")))
        return false; // Expectations have a single language.
    static const QRegularExpression markup(QStringLiteral("<[^>]*>"));
    static const QRegularExpression words(QStringLiteral("\\b[A-Za-z]?[a-z]{2,} [a-z]{2,}\\b"));
    return !isChinese(text) && words.match(QString(text).remove(markup)).hasMatch();
}

/// Collects every text of the object that a user can see, with its location.
void collect(const QObject &object, QMap<QString, QString> &texts)
{
    const QMetaObject *meta = object.metaObject();
    for (const char *name :
         {"text", "toolTip", "title", "placeholderText", "accessibleName", "accessibleDescription"}) {
        const int index = meta->indexOfProperty(name);
        if (index < 0)
            continue;
        const QString text = meta->property(index).read(&object).toString();
        if (!text.isEmpty() && text != ownName)
            texts.insert(QStringLiteral("%1 %2 %3 %4")
                             .arg(QLatin1String(meta->className()), object.objectName(), QLatin1String(name), text),
                         text);
    }
    if (const auto *box = qobject_cast<const QComboBox *>(&object)) {
        for (int row = 0; row < box->count(); ++row)
            texts.insert(QStringLiteral("QComboBox %1 %2").arg(object.objectName(), box->itemText(row)),
                         box->itemText(row));
    }
    const auto *view = qobject_cast<const QAbstractItemView *>(&object);
    for (int column = 0; view != nullptr && view->model() != nullptr && column < view->model()->columnCount();
         ++column) {
        const QString text = view->model()->headerData(column, Qt::Horizontal).toString();
        texts.insert(QStringLiteral("header %1 %2").arg(object.objectName(), text), text);
    }
}

QMap<QString, QString> textsOf(const QWidget &window)
{
    QMap<QString, QString> texts;
    collect(window, texts);
    for (const QObject *object : window.findChildren<QObject *>()) {
        if (object->isWidgetType() || qobject_cast<const QAction *>(object) != nullptr)
            collect(*object, texts);
    }
    return texts;
}

template<typename Predicate>
QStringList placesOf(const QMap<QString, QString> &texts, Predicate isWanted)
{
    QStringList places;
    for (auto text = texts.cbegin(); text != texts.cend(); ++text) {
        if (isWanted(*text))
            places += text.key();
    }
    return places;
}

} // namespace

/// Tests of changing the language of an open window.
class TestLanguageSwitcher final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Changes the language with all pages open. After each change, no text may be left in the previous language.
    void everyPage_changesItsLanguage()
    {
        MainWindowFixture fixture;
        fixture.workspace.openPrivate();
        LATCHKEY_AWAIT(fixture.workspace.inspected() != nullptr
                       && fixture.workspace.inspected()->watcher().phase() == Watcher::Phase::Watching);
        for (const int page : {MainWindow::PlaygroundIndex, MainWindow::StoriesIndex, MainWindow::LabIndex,
                               MainWindow::GroupIndex, MainWindow::InspectorIndex})
            fixture.window.showPage(page);
        fixture.workspace.clientPool().add();
        QCOMPARE(placesOf(textsOf(fixture.window), &isChinese), QStringList());

        fixture.languageSwitcher.choose(Choice::Chinese);
        for (const int page : {MainWindow::PlaygroundIndex, MainWindow::InspectorIndex}) {
            fixture.window.showPage(page);
            // Counts and measurements are translated at their next update.
            (void)test::waitFor(
                [&] { return placesOf(textsOf(*fixture.window.centralWidget()), &isEnglish).isEmpty(); });
            const QStringList left = placesOf(textsOf(*fixture.window.centralWidget()), &isEnglish);
            for (const QString &place : left)
                qWarning("English: %s", qPrintable(place));
            QVERIFY(left.isEmpty());
        }
        QCOMPARE(fixture.widget<QToolButton>("inspectorButton").text(), QStringLiteral("\u68c0\u67e5\u5668"));
        QCOMPARE(fixture.widget<QToolButton>("inspectorButton").shortcut(), QKeySequence(Qt::CTRL | Qt::Key_1));

        fixture.languageSwitcher.choose(Choice::English);
        for (const int page : {MainWindow::PlaygroundIndex, MainWindow::InspectorIndex}) {
            fixture.window.showPage(page);
            (void)test::waitFor([&] { return placesOf(textsOf(fixture.window), &isChinese).isEmpty(); });
            const QStringList left = placesOf(textsOf(fixture.window), &isChinese);
            for (const QString &place : left)
                qWarning("Chinese: %s", qPrintable(place));
            QVERIFY(left.isEmpty());
        }
    }

    /// The texts of a story at its end: the sentence of the last step, the verdicts, and the lesson.
    void playedStory_changesItsLanguage()
    {
        MainWindowFixture fixture;
        fixture.window.showPage(MainWindow::StoriesIndex);
        fixture.widget<QListWidget>("stories").setCurrentRow(0);
        auto &speed = fixture.widget<QComboBox>("storySpeed");
        speed.setCurrentIndex(speed.count() - 1);
        fixture.click("storyPlay");
        const auto alternatives = fixture.window.findChildren<ui::stories::AlternativeView *>();
        QCOMPARE(alternatives.size(), 2);
        LATCHKEY_AWAIT(std::ranges::all_of(alternatives, &ui::stories::AlternativeView::isOver));
        for (const auto *each : alternatives)
            QVERIFY(!each->findChild<QLabel *>(QStringLiteral("storyVerdict"))->text().isEmpty());
        const QWidget &page = *fixture.window.findChild<ui::stories::StoriesPage *>();
        for (const bool toChinese : {true, false}) {
            fixture.languageSwitcher.choose(toChinese ? Choice::Chinese : Choice::English);
            const auto left = [&] { return placesOf(textsOf(page), toChinese ? &isEnglish : &isChinese); };
            (void)test::waitFor([&] { return left().isEmpty(); });
            for (const QString &place : left())
                qWarning("not translated: %s", qPrintable(place));
            QVERIFY(left().isEmpty());
        }
    }

    /// A name given by a user is not translated, even if it equals the text of a button.
    void namesOfTheUser_areKept()
    {
        MainWindowFixture fixture;
        auto *label = new QLabel(QString::fromLatin1("Inspector"), &fixture.window);
        auto *translated = new QLabel(MainWindow::tr("Inspector"), &fixture.window);
        fixture.languageSwitcher.choose(Choice::Chinese);
        QCOMPARE(label->text(), QStringLiteral("Inspector"));
        QCOMPARE(translated->text(), QStringLiteral("\u68c0\u67e5\u5668"));
    }

    void menu_choosesAndIsRemembered()
    {
        MainWindowFixture fixture;
        const auto actions = fixture.widget<QToolButton>("language").menu()->actions();
        QCOMPARE(actions.size(), 3);
        QVERIFY(actions[0]->isChecked());
        actions[2]->trigger();
        QCOMPARE(fixture.languageSwitcher.language(), language::Language::Chinese);
        QCOMPARE(fixture.settings.languageChoice(), Choice::Chinese);
        LATCHKEY_AWAIT(fixture.widget<QToolButton>("language").text() == QStringLiteral("\u4e2d\u6587"));
        actions[0]->trigger();
        QCOMPARE(fixture.languageSwitcher.language(), language::Language::English);
        QCOMPARE(fixture.settings.languageChoice(), Choice::System);
    }
};

LATCHKEY_WINDOW_TEST(TestLanguageSwitcher)

} // namespace tst_languageswitcher

#include "tst_languageswitcher.moc"
