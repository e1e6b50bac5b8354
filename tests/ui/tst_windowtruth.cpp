#include "tests/support/otherclient.h"
#include "tests/support/testprogram.h"
#include "tests/ui/wholewidgets.h"
#include "tests/ui/windowwords.h"

#include <QLabel>
#include <QLocalSocket>
#include <QRegularExpression>
#include <QScopeGuard>
#include <QTableView>
#include <QTest>

#include <csignal>

namespace tst_windowtruth {

using namespace latchkey;
using net::Session;
using test::MainWindowFixture;
using ui::keytable::KeyTableModel;
using ui::widgets::Pill;
using namespace std::chrono_literals;

namespace {

const QByteArray token = QByteArrayLiteral("5d41402abc4b2a76b9719d911017c592");

/// A window on a server whose state changes while it is watched.
class WatchingWindow final
{
public:
    explicit WatchingWindow()
        : server({QStringLiteral("--enable-debug-command"), QStringLiteral("yes"), QStringLiteral("--key-load-delay"),
                  QStringLiteral("1000"), QStringLiteral("--loading-process-events-interval-bytes"),
                  QStringLiteral("1024"), QStringLiteral("--lua-time-limit"), QStringLiteral("50")})
        , control(server.endpoint())
    {
        m_raw.connectToServer(server.endpoint().path);
        tell({"SET", "lock:a", token, "PX", "3600000"});
        tell({"SET", "lock:forever", token});
        openServer(fixture, server.endpoint());
        if (!test::waitFor([&] { return fixture.rows() == 2; }))
            qFatal("the window shows no keys");
    }

    void tell(const resp::Command &command) const
    {
        if (const resp::Reply reply = control(command); reply.isError())
            qFatal("%s: %s", command.name().constData(), reply.bytes().constData());
    }
    /// Sends a command whose reply is not awaited.
    void send(const char *command)
    {
        m_raw.write(command);
        m_raw.write("\r\n");
        m_raw.flush();
    }
    /// Closes the window's connections from the server's side.
    void killConnections() const
    {
        static const QRegularExpression id(QStringLiteral("^id=(\\d+) .* name=latchkey"));
        for (const QByteArray &line : control({"CLIENT", "LIST"}).bytes().split('\n')) {
            if (const auto match = id.match(QString::fromUtf8(line)); match.hasMatch())
                (void)control({"CLIENT", "KILL", "ID", match.captured(1).toLatin1()});
        }
    }
    [[nodiscard]] Session &session() { return fixture.workspace.inspected()->session(); }
    [[nodiscard]] bool isWatching()
    {
        return session().state() == Session::State::Ready
            && fixture.workspace.inspected()->watcher().coverage().isObserving() && note().isEmpty();
    }
    /// Returns the text over the table; empty while there is none.
    [[nodiscard]] QString note() const
    {
        const auto &label = fixture.widget<QLabel>("outOfSight");
        return label.isVisible() ? label.text() : QString();
    }
    [[nodiscard]] QString pill() const { return fixture.widget<Pill>("connectionState").text(); }

    test::TestServer server;
    test::OtherClient control;
    MainWindowFixture fixture;

private:
    QLocalSocket m_raw;
};

} // namespace

/// Tests of the window while the state of its server changes: each shown reason is the present one, and the view
/// recovers soon.
class TestWindowTruth final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void busyServer_isNamedUntilItAnswers()
    {
        WatchingWindow window;
        window.fixture.window.resize(960, 560);
        window.send("EVAL \"while true do end\" 0");
        LATCHKEY_AWAIT(window.note().contains(QStringLiteral("busy with a script")));
        LATCHKEY_AWAIT(test::bannerText(window.fixture).contains(QStringLiteral("busy with a script")));
        // The reason is whole, although it is longer than a line.
        const auto &label = window.fixture.widget<QLabel>("outOfSight");
        LATCHKEY_AWAIT(label.width() >= label.minimumSizeHint().width()
                       && label.height() >= label.heightForWidth(label.width()));
        QVERIFY(label.wordWrap());
        QCOMPARE(window.fixture.rows(), 2);
        // No row is covered.
        const auto &table = window.fixture.table();
        const QRect last = table.visualRect(table.model()->index(1, KeyTableModel::KeyColumn));
        QVERIFY(label.parentWidget()->y() > table.viewport()->y() + last.bottom());
        window.tell({"SCRIPT", "KILL"});
        LATCHKEY_AWAIT(window.isWatching() && test::bannerText(window.fixture).isEmpty());
        QCOMPARE(window.fixture.rows(), 2);
    }

    /// An empty table is no statement about a server that does not answer.
    void emptyServerThatDoesNotAnswer_isNotCalledEmpty()
    {
        WatchingWindow window;
        const auto texts = [&window] {
            QStringList found;
            for (const QLabel *label : window.fixture.widget<QWidget>("emptyState").findChildren<QLabel *>())
                found += label->text();
            return found.join(u'\n');
        };
        window.tell({"FLUSHALL"});
        LATCHKEY_AWAIT(window.fixture.rows() == 0 && texts().contains(QStringLiteral("This database is empty.")));
        const auto process = static_cast<pid_t>(window.server.process().processId());
        const auto wake = qScopeGuard([process] { ::kill(process, SIGCONT); });
        ::kill(process, SIGSTOP);
        LATCHKEY_AWAIT(texts().contains(QStringLiteral("The server does not answer.")));
        QVERIFY2(!texts().contains(QStringLiteral("is empty")), qPrintable(texts()));
        ::kill(process, SIGCONT);
        LATCHKEY_AWAIT(texts().contains(QStringLiteral("This database is empty.")));
    }

    /// The connection is lost first. The present reason is the state of the server.
    void loadingServer_isNamedAfterALostConnection()
    {
        WatchingWindow window;
        window.tell({"DEBUG", "POPULATE", "3000", "filler", "100"});
        window.send("DEBUG RELOAD");
        LATCHKEY_AWAIT(window.control({"DBSIZE"}).bytes().startsWith("LOADING"));
        window.killConnections();
        LATCHKEY_AWAIT(window.session().state() != Session::State::Ready);
        LATCHKEY_AWAIT(window.session().state() == Session::State::Ready);
        LATCHKEY_AWAIT(window.note().contains(QStringLiteral("still loading its data")));
        QVERIFY(!window.note().contains(QStringLiteral("connection was lost")));
        LATCHKEY_AWAIT(window.isWatching() && window.fixture.rows() == 3002);
    }

    void replicaWithoutMaster_isNamedOnce()
    {
        WatchingWindow window;
        window.tell({"CONFIG", "SET", "replica-serve-stale-data", "no"});
        window.tell({"REPLICAOF", "127.0.0.1", "1"});
        LATCHKEY_AWAIT(test::bannerText(window.fixture).contains(QStringLiteral("MASTERDOWN")));
        QCOMPARE(test::bannerText(window.fixture).count(QStringLiteral("MASTERDOWN")), 1);
        window.tell({"REPLICAOF", "NO", "ONE"});
        LATCHKEY_AWAIT(window.isWatching());
    }

    void passwordThatIsRemoved_isNoticedSoon()
    {
        WatchingWindow window;
        window.tell({"CONFIG", "SET", "requirepass", "secret"});
        window.killConnections();
        LATCHKEY_AWAIT(window.pill() == u"password needed");
        // Several attempts do not lengthen the wait.
        for (int attempt = 0; attempt < 4; ++attempt) {
            LATCHKEY_AWAIT(window.session().state() == Session::State::Waiting);
            QVERIFY(window.session().nextAttempt() - window.fixture.workspace.clock().now() <= 3s);
            window.session().retryNow();
        }
        window.tell({"CONFIG", "SET", "requirepass", ""});
        LATCHKEY_AWAIT(window.isWatching());
        QCOMPARE(window.pill(), QStringLiteral("connected"));
    }

    /// The findings are those of the last state that was seen, whatever the connection does.
    void findings_stayWhileConnectionsAreKilled()
    {
        WatchingWindow window;
        const QAbstractItemModel &model = *window.fixture.table().model();
        const auto badge = [&] {
            const auto row = static_cast<int>(window.fixture.keys().indexOf(QStringLiteral("lock:forever")));
            return row < 0 ? QString() : window.fixture.cell(row, KeyTableModel::FindingsColumn);
        };
        const auto &evaluator = window.fixture.workspace.inspected()->evaluator();
        LATCHKEY_AWAIT(evaluator.server().wasAsked && badge() == u"2");
        QStringList seen;
        connect(&model, &QAbstractItemModel::dataChanged, this, [&] {
            if (const QString text = badge(); !seen.contains(text))
                seen += text;
        });
        for (int kill = 0; kill < 5; ++kill) {
            window.killConnections();
            LATCHKEY_AWAIT(!window.isWatching());
            LATCHKEY_AWAIT(window.isWatching());
        }
        QVERIFY2(seen.isEmpty() || seen == QStringList {QStringLiteral("2")}, qPrintable(seen.join(u' ')));
    }
};

LATCHKEY_WINDOW_TEST(TestWindowTruth)

} // namespace tst_windowtruth

#include "tst_windowtruth.moc"
