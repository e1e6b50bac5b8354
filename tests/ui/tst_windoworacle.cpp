#include "tests/support/otherclient.h"
#include "tests/support/testprogram.h"
#include "tests/ui/windowwords.h"

#include <QRandomGenerator>
#include <QTest>

namespace tst_windoworacle {

using namespace latchkey;
using keys::KeyState;
using test::MainWindowFixture;
using ui::keytable::KeyTableModel;
using namespace std::chrono_literals;

namespace {

/// How the window learns of changes.
enum class Mechanism : quint8 { Notifications, Tracking, Polling };

/// A row of the table that shows an existing key, or the key itself at the server.
struct Shown
{
    base::Deadline deadline;
    QString holder; ///< Empty for a key that is no lock.
};

using ShownKeys = QMap<QString, Shown>;

/// A client that changes random keys of a server, and disturbs its other connections.
class RandomClient final
{
public:
    RandomClient(const test::TestServer &server, quint32 seed)
        : m_control(server.endpoint())
        , m_random(seed)
    {}

    resp::Reply ask(const resp::Command &command) { return m_control(command); }

    void change()
    {
        const QByteArray key = (below(2) == 0 ? "lock:" : "session:") + QByteArray::number(below(30));
        switch (below(12)) {
        case 0:
        case 1:
        case 2:
            (void)ask({"SET", key, token(), "NX", "PX", lease()});
            break;
        case 3:
            (void)ask({"SET", key, token(), "PX", lease()});
            break;
        case 4:
            (void)ask({"SET", key, token()});
            break;
        case 5:
        case 6:
            (void)ask({"PEXPIRE", key, lease()});
            break;
        case 7:
            (void)ask({"PERSIST", key});
            break;
        case 8:
            (void)ask({"RENAME", key, "lock:" + QByteArray::number(below(30))});
            break;
        case 9: // Another type under the same name.
            (void)ask({"DEL", key});
            (void)ask({"HSET", key, "owner", token()});
            (void)ask({"PEXPIRE", key, lease()});
            break;
        default:
            (void)ask({"DEL", key});
        }
    }

    void disturb(Mechanism mechanism)
    {
        switch (below(6)) {
        case 0:
            (void)ask({"CLIENT", "KILL", "TYPE", "NORMAL", "SKIPME", "YES"});
            break;
        case 1:
            (void)ask({"CLIENT", "KILL", "TYPE", "PUBSUB"});
            break;
        case 2:
            (void)ask({"FLUSHALL"});
            break;
        case 3:
            if (mechanism == Mechanism::Notifications)
                (void)ask({"CONFIG", "SET", "notify-keyspace-events", below(2) == 0 ? "" : "KEA"});
            break;
        case 4:
            (void)ask({"SWAPDB", "0", "1"});
            break;
        default:
            (void)ask({"CLIENT", "PAUSE", "300", "ALL"});
        }
    }

    /// Returns the keys of the server that outlive the comparison.
    ShownKeys keys()
    {
        ShownKeys result;
        const resp::Reply names = ask({"KEYS", "*"});
        for (const resp::Reply &name : names.elements()) {
            const QByteArray &key = name.bytes();
            const base::MonotonicTime sent = base::SystemClock::instance().now();
            const qint64 left = ask({"PTTL", key}).toInteger();
            const base::MonotonicTime received = base::SystemClock::instance().now();
            Shown shown;
            if (left >= 0)
                shown.deadline = base::Deadline::measured(std::chrono::milliseconds(left), sent, received);
            if (const resp::Reply value = ask({"GET", key}); value.isBulk() && key.startsWith("lock:"))
                shown.holder = QString::fromLatin1(value.bytes());
            result.insert(QString::fromLatin1(key), shown);
        }
        return result;
    }

    int below(int limit) { return static_cast<int>(m_random.bounded(limit)); }

private:
    QByteArray token() { return "worker-" + QByteArray::number(m_random.bounded(100'000, 999'999)); }
    /// Short leases end during the changes, long ones outlive the test.
    QByteArray lease() { return QByteArray::number(below(2) == 0 ? 20 + below(300) : 3'600'000 + below(600'000)); }

    test::OtherClient m_control;
    QRandomGenerator m_random;
};

/// Returns the existing keys that the table shows.
ShownKeys shownKeys(const MainWindowFixture &fixture)
{
    ShownKeys result;
    const QAbstractItemModel &model = *fixture.table().model();
    for (int row = 0; row < model.rowCount(); ++row) {
        const QModelIndex index = model.index(row, 0);
        if (index.data(KeyTableModel::StateRole).value<KeyState>() != KeyState::Live)
            continue;
        result.insert(QString::fromLatin1(index.data(KeyTableModel::KeyRole).toByteArray()),
                      {index.data(KeyTableModel::DeadlineRole).value<base::Deadline>(),
                       fixture.cell(row, KeyTableModel::HolderColumn)});
    }
    return result;
}

/// Returns what the table shows and is not true; empty if it equals the server.
QString difference(const ShownKeys &shown, const ShownKeys &truth)
{
    QStringList differences;
    for (auto key = truth.cbegin(); key != truth.cend(); ++key) {
        if (!shown.contains(key.key())) {
            differences += key.key() + QStringLiteral(" is not shown");
            continue;
        }
        const Shown row = shown.value(key.key());
        const bool isSameDeadline = row.deadline.isNever() == key->deadline.isNever()
                                 && (row.deadline.isNever()
                                     || std::chrono::abs(row.deadline.at() - key->deadline.at())
                                            <= row.deadline.uncertainty() + key->deadline.uncertainty());
        if (!isSameDeadline)
            differences += key.key() + QStringLiteral(" has another expiry");
        if (!key->holder.isEmpty() && row.holder != key->holder)
            differences += QStringLiteral("%1 is held by %2, not by %3").arg(key.key(), key->holder, row.holder);
    }
    for (auto key = shown.cbegin(); key != shown.cend(); ++key) {
        if (!truth.contains(key.key()))
            differences += key.key() + QStringLiteral(" is shown, but does not exist");
    }
    return differences.join(QStringLiteral("; "));
}

} // namespace

/// Tests of the whole window against an oracle, which knows the keys of the server: after random changes and
/// disturbances, the table shows what the server has.
class TestWindowOracle final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void table_equalsTheServer_data()
    {
        QTest::addColumn<int>("mechanism");
        QTest::addColumn<quint32>("seed");
        const int seeds = qEnvironmentVariableIntValue("LATCHKEY_ORACLE_SEEDS");
        for (int seed = 1; seed <= std::max(seeds, 3); ++seed) {
            QTest::addRow("notifications %d", seed) << int(Mechanism::Notifications) << quint32(seed);
            QTest::addRow("tracking %d", seed) << int(Mechanism::Tracking) << quint32(1000 + seed);
            QTest::addRow("polling %d", seed) << int(Mechanism::Polling) << quint32(2000 + seed);
        }
    }
    void table_equalsTheServer()
    {
        QFETCH(int, mechanism);
        QFETCH(quint32, seed);
        test::TestServer server;
        RandomClient client(server, seed);
        if (mechanism == int(Mechanism::Notifications))
            QVERIFY(client.ask({"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
        else if (mechanism == int(Mechanism::Polling))
            QVERIFY(client.ask({"ACL", "SETUSER", "default", "-client|tracking"}).isOk());
        MainWindowFixture fixture;
        test::openServer(fixture, server.endpoint());
        constexpr int rounds = 40;
        for (int round = 0; round < rounds; ++round) {
            for (int i = client.below(25); i >= 0; --i)
                client.change();
            if (client.below(8) == 0)
                client.disturb(Mechanism(mechanism));
            for (int i = client.below(4); i >= 0; --i)
                QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 20);
        }
        QString last;
        const bool isEqual = test::waitFor(
            [&] {
                last = difference(shownKeys(fixture), client.keys());
                return last.isEmpty();
            },
            20s);
        QVERIFY2(isEqual, qPrintable(last));
    }
};

LATCHKEY_WINDOW_TEST(TestWindowOracle)

} // namespace tst_windoworacle

#include "tst_windoworacle.moc"
