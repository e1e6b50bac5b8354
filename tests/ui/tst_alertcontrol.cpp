#include "tests/support/keychainsetup.h"
#include "tests/support/otherclient.h"
#include "tests/support/sentinelsetup.h"
#include "tests/support/testprogram.h"
#include "tests/ui/windowwords.h"
#include "ui/shell/alerts/alertsdialog.h"
#include "ui/shell/alerts/alerttexts.h"
#include "ui/shell/shell/alertcontrol.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDBusConnection>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QTreeWidget>

namespace tst_alertcontrol {

using namespace latchkey;
using test::MainWindowFixture;
using test::openServer;
using test::TestServer;
using ui::alerts::AlertsDialog;

namespace {

constexpr auto token = "7f0c1d2e-3b4a-4c5d-8e6f-000000000001";

/// The desktop: a service of org.freedesktop.Notifications that keeps what it is given.
class Desktop final : public QObject
{
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.Notifications")

public:
    QStringList capabilities;
    QStringList titles;
    QStringList texts;
    QVariantMap hints;
    uint replaced = 0;

    Desktop()
        : m_bus(QDBusConnection::connectToBus(QDBusConnection::SessionBus, QStringLiteral("desktop")))
    {
        m_bus.registerObject(QStringLiteral("/org/freedesktop/Notifications"), this,
                             QDBusConnection::ExportAllSlots | QDBusConnection::ExportAllSignals);
        exists = m_bus.registerService(QStringLiteral("org.freedesktop.Notifications"));
    }
    ~Desktop() override { QDBusConnection::disconnectFromBus(QStringLiteral("desktop")); }
    bool exists = false;

    void click() { Q_EMIT ActionInvoked(id, QStringLiteral("default")); }

public Q_SLOTS:
    QStringList GetCapabilities() const { return capabilities; }
    uint Notify(const QString & /*program*/, uint replaces, const QString & /*icon*/, const QString &title,
                const QString &text, const QStringList & /*actions*/, const QVariantMap &given, int /*time*/)
    {
        replaced = replaces;
        titles += title;
        texts += text;
        hints = given;
        return id;
    }

Q_SIGNALS:
    void ActionInvoked(uint notification, const QString &action);

private:
    static constexpr uint id = 17;
    QDBusConnection m_bus;
};

} // namespace

/// Tests of the alerts of the window, on a real server and a private message bus.
class TestAlertControl final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;

    void take(const QByteArray &key) { QVERIFY((*server)({"SET", key, token}).isOk()); }
    [[nodiscard]] static AlertsDialog &dialogOf(MainWindowFixture &fixture)
    {
        if (fixture.dialog<AlertsDialog>("alertsDialog") == nullptr)
            fixture.widget<QToolButton>("alertsButton").click();
        auto *dialog = fixture.dialog<AlertsDialog>("alertsDialog");
        if (dialog == nullptr)
            qFatal("the dialog did not open");
        return *dialog;
    }
    [[nodiscard]] static QTreeWidget &listOf(MainWindowFixture &fixture)
    {
        return *dialogOf(fixture).findChild<QTreeWidget *>(QStringLiteral("alertList"));
    }
    /// Returns the texts of a column, from the top.
    [[nodiscard]] static QStringList column(MainWindowFixture &fixture, int column)
    {
        QStringList texts;
        const QTreeWidget &list = listOf(fixture);
        for (int row = 0; row < list.topLevelItemCount(); ++row)
            texts += list.topLevelItem(row)->text(column);
        return texts;
    }
    static QStringList keys(MainWindowFixture &fixture) { return column(fixture, 2); }
    [[nodiscard]] static QString buttonText(MainWindowFixture &fixture)
    {
        return fixture.widget<QToolButton>("alertsButton").text();
    }
    template<typename Widget>
    [[nodiscard]] static Widget &part(MainWindowFixture &fixture, const char *name)
    {
        auto *found = dialogOf(fixture).findChild<Widget *>(QLatin1String(name));
        if (found == nullptr)
            qFatal("the dialog has no %s", name);
        return *found;
    }
    /// Returns a label by its property testName.
    [[nodiscard]] static QLabel &label(MainWindowFixture &fixture, const char *name)
    {
        for (QLabel *each : dialogOf(fixture).findChildren<QLabel *>()) {
            if (each->property("testName").toString() == QLatin1String(name))
                return *each;
        }
        qFatal("the dialog has no %s", name);
    }
    static void press(MainWindowFixture &fixture, const char *name)
    {
        QTest::mouseClick(&part<QPushButton>(fixture, name), Qt::LeftButton);
    }

public:
    static void initMain() { test::rerunInKeychainSetup(); }

private Q_SLOTS:
    void init() { server = std::make_unique<TestServer>(); }
    void cleanup() { server.reset(); }

    /// An end that was found late has no exact time.
    void durationOfAnAlert_isARangeIfItsEndIsUncertain()
    {
        using namespace std::chrono_literals;
        const base::MonotonicTime now {100s};
        ui::alerts::LoggedAlert logged;
        logged.state = ui::alerts::LoggedAlert::State::Over;
        logged.alert.raisedAt = now - 10s;
        history::Hold hold;
        hold.ending = events::Ending::Unknown;
        hold.until = base::TimeInterval {now - 9s, now - 4554ms};
        logged.end = {now - 4554ms, hold, true};
        QCOMPARE(ui::alerts::AlertTexts::state(logged, now),
                 QStringLiteral("over after 1.000 s to 5.446 s: ended, cause not seen"));
        logged.end.hold->until->earliest = now - 4560ms;
        QCOMPARE(ui::alerts::AlertTexts::state(logged, now),
                 QStringLiteral("over after 5.446 s: ended, cause not seen"));
    }

    /// The usual rules need no setting: a lock without expiry is counted, listed, and ends with its release.
    void lockWithoutExpiry_isCountedListedAndEnds()
    {
        take("lock:stuck");
        QVERIFY((*server)({"SET", "lock:fine", token, "PX", "600000"}).isOk());
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(buttonText(fixture) == u"Alerts (1)");
        QCOMPARE(keys(fixture), QStringList {QStringLiteral("lock:stuck")});
        QCOMPARE(column(fixture, 1), QStringList {server->url()});
        QVERIFY2(column(fixture, 3).value(0).startsWith(QStringLiteral("the key does not expire")),
                 qPrintable(column(fixture, 3).value(0)));
        QVERIFY(column(fixture, 4).value(0).startsWith(QStringLiteral("for ")));
        QVERIFY(!part<QPushButton>(fixture, "alertClear").isEnabled());
        QVERIFY((*server)({"DEL", "lock:stuck"}).isInteger(1));
        LATCHKEY_AWAIT(buttonText(fixture) == u"Alerts");
        LATCHKEY_AWAIT(column(fixture, 4).value(0).startsWith(QStringLiteral("over after ")));
        press(fixture, "alertClear");
        LATCHKEY_AWAIT(keys(fixture).isEmpty());
        QVERIFY(label(fixture, "noAlert").isVisible());
    }

    /// An alert whose condition is over on the new primary ends: one lock has an expiry there, one does not exist.
    void failover_endsAlertsWhoseConditionIsOver()
    {
        test::SentinelSetup sentinels;
        for (const char *key : {"lock:expiring", "lock:same"})
            QVERIFY(sentinels.ask(0, {"SET", key, token}).isOk());
        sentinels.awaitReplicas();
        MainWindowFixture fixture;
        openServer(fixture, sentinels.endpoint());
        LATCHKEY_AWAIT(buttonText(fixture) == u"Alerts (2)");
        sentinels.suspend(1);
        sentinels.suspend(2);
        QVERIFY(sentinels.ask(0, {"CLIENT", "KILL", "TYPE", "replica"}).isInteger()); // Drops unread writes.
        QVERIFY(sentinels.ask(0, {"SET", "lock:lost", token}).isOk());
        LATCHKEY_AWAIT(buttonText(fixture) == u"Alerts (3)");
        sentinels.kill(0);
        sentinels.resume(1);
        sentinels.resume(2);
        LATCHKEY_AWAIT(sentinels.namedPrimary() > 0);
        QVERIFY(sentinels.ask(sentinels.namedPrimary(), {"PEXPIRE", "lock:expiring", "600000"}).isInteger(1));
        LATCHKEY_AWAIT(buttonText(fixture) == u"Alerts (1)");
        QCOMPARE(keys(fixture).size(), 3);
        for (int row = 0; row < 3; ++row) {
            const bool isOver = column(fixture, 4).value(row).startsWith(QStringLiteral("over after "));
            QCOMPARE(isOver, keys(fixture).value(row) != u"lock:same");
        }
    }

    /// Rules belong to a server, are kept, and count at once.
    void rules_areKeptForEachServer()
    {
        take("lock:stuck");
        QVERIFY((*server)({"SET", "order:lock", token, "PX", "600000"}).isOk());
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(buttonText(fixture) == u"Alerts (1)");
        auto &rules = part<QTreeWidget>(fixture, "alertRules");
        QCOMPARE(rules.topLevelItemCount(), 2);
        rules.setCurrentItem(rules.topLevelItem(0));
        press(fixture, "alertRuleRemove");
        LATCHKEY_AWAIT(buttonText(fixture) == u"Alerts" && keys(fixture).isEmpty());
        press(fixture, "alertRuleUndo");
        LATCHKEY_AWAIT(buttonText(fixture) == u"Alerts (1)");
        QCOMPARE(rules.topLevelItem(0)->text(0), QStringLiteral("A lock has no expiry"));

        part<QComboBox>(fixture, "alertRuleCondition").setCurrentIndex(2);
        part<QLineEdit>(fixture, "alertRuleTime").setText(QStringLiteral("soon"));
        press(fixture, "alertRuleAdd");
        auto &problem = part<QLabel>(fixture, "alertRuleProblem");
        QVERIFY(problem.isVisible() && problem.text().contains(QStringLiteral("soon")));
        QCOMPARE(rules.topLevelItemCount(), 2);
        part<QLineEdit>(fixture, "alertRuleTime").setText(QStringLiteral("1ms"));
        part<QLineEdit>(fixture, "alertRuleKeys").setText(QStringLiteral("order:*"));
        QTest::keyClick(&part<QLineEdit>(fixture, "alertRuleKeys"), Qt::Key_Return);
        QVERIFY(!problem.isVisible());
        LATCHKEY_AWAIT(buttonText(fixture) == u"Alerts (2)");
        LATCHKEY_AWAIT(keys(fixture).contains(QStringLiteral("order:lock")));
        press(fixture, "alertRuleAdd"); // The fields were emptied, so that nothing is added twice by mistake.
        QCOMPARE(rules.topLevelItemCount(), 3);
        QCOMPARE(ui::shell::Settings(fixture.folder.filePath(QStringLiteral("latchkey.ini"))).alertRules(server->url()),
                 (QStringList {QStringLiteral("no-expiry"), QStringLiteral("two-holders"),
                               QStringLiteral("older-than=1ms order:*")}));
        QCOMPARE(fixture.settings.alertRules(QStringLiteral("redis://elsewhere")),
                 (QStringList {QStringLiteral("no-expiry"), QStringLiteral("two-holders")}));
    }

    void alert_leadsToItsKey()
    {
        take("lock:stuck");
        QVERIFY((*server)({"SET", "other", "v"}).isOk());
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(buttonText(fixture) == u"Alerts (1)" && fixture.rows() == 2);
        fixture.widget<QLineEdit>("filter").setText(QStringLiteral("other"));
        LATCHKEY_AWAIT(fixture.rows() == 1);
        QVERIFY(!part<QPushButton>(fixture, "alertShow").isEnabled()); // Nothing is selected.
        listOf(fixture).setCurrentItem(listOf(fixture).topLevelItem(0));
        press(fixture, "alertCopy");
        QVERIFY(QApplication::clipboard()->text().contains(QStringLiteral("lock:stuck\tthe key does not expire")));
        press(fixture, "alertShow");
        QVERIFY(fixture.dialog<AlertsDialog>("alertsDialog") == nullptr); // It would cover the row.
        LATCHKEY_AWAIT(
            fixture.rows() == 2
            && fixture.table().currentIndex().siblingAtColumn(ui::keytable::KeyTableModel::KeyColumn).data().toString()
                   == u"lock:stuck");
    }

    /// While the server does not answer, it is unknown whether an alert lasts, and new ones are missing.
    void serverThatDoesNotAnswer_isNamed()
    {
        take("lock:stuck");
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(buttonText(fixture) == u"Alerts (1)");
        QVERIFY(!label(fixture, "alertNote").isVisible());
        const QString url = server->url();
        server->kill();
        LATCHKEY_AWAIT(column(fixture, 4) == QStringList {QStringLiteral("not seen now")});
        QCOMPARE(label(fixture, "alertNote").text(),
                 QStringLiteral("Alerts may be missing, because not everything is seen now: %1.").arg(url));
        QCOMPARE(buttonText(fixture), QStringLiteral("Alerts (1)"));
    }

    /// A saved server stays watched while another one is shown.
    void alertsOfAnotherServer_areListed()
    {
        TestServer another;
        MainWindowFixture fixture;
        connections::SavedConnection orders;
        orders.name = QStringLiteral("orders");
        orders.endpoint = server->endpoint();
        LATCHKEY_VERIFY_RESULT(fixture.workspace.servers().put(orders));
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.workspace.inspected()->watcher().coverage().isObserving());
        openServer(fixture, another.endpoint());
        take("lock:stuck");
        LATCHKEY_AWAIT(buttonText(fixture) == u"Alerts (1)");
        QCOMPARE(column(fixture, 1), QStringList {QStringLiteral("orders")});
        listOf(fixture).setCurrentItem(listOf(fixture).topLevelItem(0));
        press(fixture, "alertShow");
        QCOMPARE(fixture.workspace.inspected()->endpoint(), server->endpoint());
        LATCHKEY_AWAIT(fixture.table().currentIndex().isValid());

        // A server that is no longer watched: the end of the alert is unknown.
        openServer(fixture, another.endpoint());
        LATCHKEY_VERIFY_RESULT(fixture.workspace.servers().remove(QStringLiteral("orders")));
        LATCHKEY_AWAIT(column(fixture, 4) == QStringList {QStringLiteral("no longer watched")});
        QCOMPARE(buttonText(fixture), QStringLiteral("Alerts"));
        QVERIFY(!part<QPushButton>(fixture, "alertShow").isEnabled());
    }

    /// The locks of a private server are broken on purpose.
    void privateServer_hasNoAlerts()
    {
        MainWindowFixture fixture;
        fixture.workspace.openPrivate();
        LATCHKEY_AWAIT(fixture.workspace.inspected()
                       && fixture.workspace.inspected()->watcher().coverage().isObserving());
        test::OtherClient client(fixture.workspace.inspected()->endpoint());
        QVERIFY(client({"SET", "lock:stuck", token}).isOk());
        LATCHKEY_AWAIT(fixture.rows() == 1 && fixture.workspace.inspected()->locks().isLock("lock:stuck"));
        QVERIFY(!part<QTreeWidget>(fixture, "alertRules").isVisible());
        QCOMPARE(label(fixture, "alertNote").text(), QStringLiteral("A private server has no alerts."));
        QCOMPARE(buttonText(fixture), QStringLiteral("Alerts"));
    }

    /// The desktop shows alerts while the window is in the background, several together as one.
    void backgroundWindow_notifiesOnTheDesktop()
    {
        if (!test::KeychainSetup::obstacleHere().isEmpty())
            QSKIP(qPrintable(test::KeychainSetup::obstacleHere()));
        Desktop desktop;
        QVERIFY(desktop.exists);
        desktop.capabilities = {QStringLiteral("body"), QStringLiteral("body-markup")};
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.workspace.inspected()->watcher().coverage().isObserving());
        fixture.window.hide(); // So that no window is active.
        LATCHKEY_AWAIT(QApplication::activeWindow() == nullptr);
        take("lock:<b>stuck</b>");
        LATCHKEY_AWAIT(desktop.titles.size() == 1);
        QCOMPARE(desktop.titles.front(), server->url() + QStringLiteral(": lock:<b>stuck</b>"));
        QVERIFY(desktop.texts.front().startsWith(QStringLiteral("The key does not expire")));
        QCOMPARE(desktop.hints.value(QStringLiteral("suppress-sound")), QVariant(true));
        QVERIFY((*server)({"MSET", "lock:<1>", token, "lock:<2>", token, "lock:<3>", token}).isOk());
        LATCHKEY_AWAIT(desktop.titles.size() == 2);
        QCOMPARE(desktop.titles.back(), server->url() + QStringLiteral(": 3 alerts"));
        QVERIFY2(desktop.texts.back().startsWith(QStringLiteral("lock:&lt;")), qPrintable(desktop.texts.back()));
        QCOMPARE(desktop.replaced, 17U); // One notification at a time.

        desktop.click();
        LATCHKEY_AWAIT(fixture.window.isVisible() && fixture.dialog<AlertsDialog>("alertsDialog"));
        LATCHKEY_AWAIT(QApplication::activeWindow() != nullptr);
        part<QCheckBox>(fixture, "alertDesktop").click();
        QVERIFY(!part<QCheckBox>(fixture, "alertSound").isEnabled());
        QVERIFY(!fixture.settings.areAlertsOnDesktop());
    }

    void desktopWithoutNotifications_isReported()
    {
        if (!test::KeychainSetup::obstacleHere().isEmpty())
            QSKIP(qPrintable(test::KeychainSetup::obstacleHere()));
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.workspace.inspected()->watcher().coverage().isObserving());
        fixture.window.hide();
        LATCHKEY_AWAIT(QApplication::activeWindow() == nullptr);
        take("lock:stuck");
        auto *control = fixture.window.findChild<ui::shell::AlertControl *>();
        LATCHKEY_AWAIT(control->desktopProblem().contains(QStringLiteral("org.freedesktop.Notifications")));
        fixture.window.show();
        QVERIFY(label(fixture, "alertNote").text().startsWith(QStringLiteral("The desktop shows no notifications: ")));
    }
};

LATCHKEY_WINDOW_TEST(TestAlertControl)

} // namespace tst_alertcontrol

#include "tst_alertcontrol.moc"
