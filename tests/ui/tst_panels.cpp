#include "tests/support/mainwindowfixture.h"
#include "tests/support/testprogram.h"
#include "tests/ui/windowwords.h"

#include <QAction>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>

namespace tst_panels {

using namespace latchkey;
using test::MainWindowFixture;
using test::TestServer;
using ui::detail::DetailPanel;
using ui::keytable::KeyTableModel;
using LanguageChoice = ui::i18n::LanguageSwitcher::Choice;

/// Tests of the panels beside and below the table: how they open, and when they are open by default.
class TestPanels final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;

    resp::Reply redis(std::initializer_list<QByteArray> command) { return (*server)(command); }

    static bool hasDetails(const MainWindowFixture &fixture)
    {
        return fixture.window.findChild<DetailPanel *>()->isVisible();
    }
    static bool hasHistory(const MainWindowFixture &fixture)
    {
        return fixture.window.findChild<ui::timeline::TimelineView *>() != nullptr;
    }
    static QPoint place(const MainWindowFixture &fixture, int column)
    {
        return fixture.table().visualRect(fixture.table().model()->index(0, column)).center();
    }

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<TestServer>();
        QVERIFY(redis({"SET", "lock:order", "1"}).isOk()); // Has findings.
    }
    void cleanup() { server.reset(); }

    void row_opensItsDetails_data()
    {
        using Open = std::function<void(const MainWindowFixture &)>;
        QTest::addColumn<Open>("open");
        QTest::addRow("Enter") << Open([](const MainWindowFixture &fixture) {
            fixture.choose(QStringLiteral("lock:order"));
            QTest::keyClick(&fixture.table(), Qt::Key_Return);
        });
        QTest::addRow("double click") << Open([](const MainWindowFixture &fixture) {
            QTest::mouseClick(fixture.table().viewport(), Qt::LeftButton, {}, place(fixture, KeyTableModel::KeyColumn));
            QTest::mouseDClick(fixture.table().viewport(), Qt::LeftButton, {},
                               place(fixture, KeyTableModel::KeyColumn));
        });
        QTest::addRow("findings") << Open([](const MainWindowFixture &fixture) {
            LATCHKEY_AWAIT(!fixture.cell(0, KeyTableModel::FindingsColumn).isEmpty());
            QTest::mouseClick(fixture.table().viewport(), Qt::LeftButton, {},
                              place(fixture, KeyTableModel::FindingsColumn));
        });
        QTest::addRow("menu") << Open([](const MainWindowFixture &fixture) {
            fixture.choose(QStringLiteral("lock:order"));
            Q_EMIT fixture.table().contextMenuRequested({});
            auto &menu = fixture.widget<QMenu>("keyMenu");
            for (QAction *action : menu.actions()) {
                if (action->text() == u"Show details")
                    action->trigger();
            }
            menu.close();
        });
    }
    void row_opensItsDetails()
    {
        QFETCH(std::function<void(const MainWindowFixture &)>, open);
        MainWindowFixture fixture;
        fixture.window.resize(960, 560);
        test::openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 1 && !fixture.table().isColumnHidden(KeyTableModel::FindingsColumn));
        QVERIFY(!hasDetails(fixture));
        open(fixture);
        LATCHKEY_AWAIT(hasDetails(fixture));
        const auto &shown = fixture.window.findChild<DetailPanel *>()->shown();
        LATCHKEY_AWAIT(shown && shown->key == u"lock:order");
    }

    void sizeOfTheWindow_decidesUntilTheUserDoes()
    {
        MainWindowFixture fixture;
        fixture.window.resize(1099, 899);
        test::openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 1);
        QVERIFY(!hasDetails(fixture) && !hasHistory(fixture));
        fixture.window.resize(1100, 900);
        LATCHKEY_AWAIT(hasDetails(fixture) && hasHistory(fixture));
        fixture.click("showDetails");
        fixture.click("showTimeline");
        QVERIFY(!hasDetails(fixture) && !hasHistory(fixture));
        fixture.window.resize(1400, 1000);
        LATCHKEY_AWAIT(fixture.window.width() == 1400);
        QVERIFY2(!hasDetails(fixture) && !hasHistory(fixture), "the user's choice is kept");
        // Also in the next session.
        auto &page = *fixture.window.findChild<ui::inspector::InspectorPage *>();
        const QByteArray layout = page.saveLayout();
        MainWindowFixture next;
        auto &nextPage = *next.window.findChild<ui::inspector::InspectorPage *>();
        nextPage.restoreLayout(layout);
        next.window.resize(1500, 1000);
        test::openServer(next, server->endpoint());
        LATCHKEY_AWAIT(next.rows() == 1 && next.window.width() == 1500);
        QVERIFY(!hasDetails(next) && !hasHistory(next));
    }

    /// Another server has other keys: a filter that stays would hide them.
    void filter_endsWithItsServer()
    {
        MainWindowFixture fixture;
        test::openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 1);
        fixture.widget<QLineEdit>("filter").setText(QStringLiteral("order"));
        LATCHKEY_AWAIT(fixture.button("showLocks").isVisible());
        fixture.click("showLocks");
        TestServer other;
        QVERIFY(other({"SET", "colour", "red"}).isOk());
        test::openServer(fixture, other.endpoint());
        LATCHKEY_AWAIT(fixture.keys() == QStringList {QStringLiteral("colour")});
        QCOMPARE(fixture.widget<QLineEdit>("filter").text(), QString());
        QVERIFY(fixture.button("showAll").isChecked());
    }

    /// A user knows the server by its name, and a mistake in production is the worst.
    void productionServer_isNamedEverywhere()
    {
        MainWindowFixture fixture;
        QVERIFY(fixture.workspace.servers()
                    .put({QStringLiteral("orders"), server->endpoint(), connections::Environment::Production})
                    .has_value());
        test::openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 1);
        QCOMPARE(fixture.window.windowTitle(), QStringLiteral("orders (production) \u2014 Latchkey"));
        QCOMPARE(fixture.button("armWrites").text(), QStringLiteral("Read-only: production"));
        fixture.workspace.inspected()->setArmed(true);
        fixture.choose(QStringLiteral("lock:order"));
        for (const char *act : {"deleteKey", "releaseLock", "setEnd"}) {
            LATCHKEY_AWAIT(fixture.button(act).isEnabled());
            fixture.click(act);
            const auto open = [&] {
                const auto all = fixture.window.findChildren<QDialog *>();
                const auto found = std::ranges::find_if(all, [](const QDialog *one) { return one->isVisible(); });
                return found == all.end() ? nullptr : *found;
            };
            LATCHKEY_AWAIT(open() != nullptr);
            QStringList texts;
            for (const QLabel *label : open()->findChildren<QLabel *>())
                texts += label->text();
            QVERIFY2(texts.contains(QStringLiteral("orders")), qPrintable(texts.join(u'\n')));
            QVERIFY2(!texts.join(u' ').contains(server->url()), act);
            open()->reject();
            LATCHKEY_AWAIT(open() == nullptr);
        }
    }

    void historyWaitsForLocks()
    {
        QVERIFY(redis({"DEL", "lock:order"}).isInteger(1));
        QVERIFY(redis({"SET", "colour", "red"}).isOk());
        MainWindowFixture fixture;
        fixture.window.resize(1280, 1000);
        test::openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 1);
        QVERIFY(hasDetails(fixture) && !hasHistory(fixture));
        QVERIFY(redis({"SET", "lock:order", "1"}).isOk());
        LATCHKEY_AWAIT(hasHistory(fixture));
    }

    void toggles_areLabelledAndWhole_data()
    {
        QTest::addColumn<LanguageChoice>("language");
        QTest::addRow("English") << LanguageChoice::English;
        QTest::addRow("Chinese") << LanguageChoice::Chinese;
    }
    void toggles_areLabelledAndWhole()
    {
        QFETCH(LanguageChoice, language);
        MainWindowFixture fixture;
        fixture.window.resize(960, 560);
        fixture.languageSwitcher.choose(language);
        test::openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 1);
        for (const char *name : {"groupKeys", "showTimeline", "showDetails"}) {
            const QPushButton &toggle = fixture.button(name);
            QVERIFY2(!toggle.text().isEmpty() && toggle.isCheckable(), name);
            LATCHKEY_AWAIT(toggle.width() >= toggle.sizeHint().width());
            const QRect where(toggle.mapTo(&fixture.window, QPoint()), toggle.size());
            QVERIFY2(fixture.window.rect().contains(where), name);
        }
        QCOMPARE(fixture.window.width(), 960);
    }
};

LATCHKEY_WINDOW_TEST(TestPanels)

} // namespace tst_panels

#include "tst_panels.moc"
