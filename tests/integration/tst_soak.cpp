#include "core/redis/net/dialer.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>

#include <algorithm>
#include <array>

#include <csignal>
#include <sys/types.h>

namespace tst_soak {

using namespace latchkey;
using base::SystemClock;
using net::Connection;
using test::TestServer;
using namespace std::chrono_literals;

namespace {

constexpr int locks = 200;
constexpr int changesPerTick = 20;
constexpr auto tick = 20ms; ///< A thousand changes a second.

/// The resources of a process at one moment.
struct Resources
{
    qint64 descriptors = 0;
    qint64 threads = 0;
    qint64 kibibytes = 0; ///< Resident memory.
};

Resources resourcesOf(qint64 process)
{
    const QString folder = QStringLiteral("/proc/%1").arg(process);
    const auto entries = [&](const char *name) {
        return QDir(folder + QLatin1String(name))
            .entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot)
            .size();
    };
    Resources used {entries("/fd"), entries("/task")};
    QFile status(folder + QStringLiteral("/status"));
    if (status.open(QIODevice::ReadOnly)) {
        const QByteArray text = status.readAll();
        const qsizetype at = text.indexOf("VmRSS:");
        used.kibibytes = text.mid(at + 6, text.indexOf("kB", at) - at - 6).trimmed().toLongLong();
    }
    return used;
}

/// The part of a run from one fraction of its samples to another, with the largest figures of it, and the median of the
/// memory.
Resources part(const std::vector<Resources> &samples, double from, double to)
{
    const auto at = [&](double share) {
        return static_cast<std::ptrdiff_t>(share * static_cast<double>(samples.size()));
    };
    std::vector<Resources> chosen(samples.begin() + at(from), samples.begin() + at(to));
    Resources result;
    for (const Resources &each : chosen) {
        result.descriptors = std::max(result.descriptors, each.descriptors);
        result.threads = std::max(result.threads, each.threads);
    }
    const auto middle = chosen.begin() + static_cast<std::ptrdiff_t>(chosen.size() / 2);
    std::ranges::nth_element(chosen, middle, {}, &Resources::kibibytes);
    result.kibibytes = middle->kibibytes;
    return result;
}

std::chrono::seconds fromEnvironment()
{
    return std::chrono::seconds(qEnvironmentVariableIntValue("LATCHKEY_SOAK_SECONDS"));
}

} // namespace

/// A test of whether watching needs ever more: the command line and the window watch 200 locks that change a thousand
/// times a second, and lose their connections again and again.
///
/// LATCHKEY_SOAK_SECONDS: duration; by default a few seconds, in which only descriptors and threads are compared.
/// Memory is compared from ten minutes on, because it grows until the history has its largest number of holds.
class TestSoak final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;
    std::unique_ptr<Connection> connection;
    int next = 0;
    qint64 changes = 0;

    /// Sends the next changes: each lock is taken, extended and released in turn.
    void change()
    {
        resp::Commands commands;
        for (int i = 0; i < changesPerTick; ++i, ++next) {
            const QByteArray key = "lock:soak:" + QByteArray::number(next % locks);
            const QByteArray token = QByteArray::number(next / locks / 3).rightJustified(32, 'a');
            switch (next / locks % 3) {
            case 0:
                commands.push_back({"SET", key, token, "NX", "PX", "30000"});
                break;
            case 1:
                commands.push_back({"PEXPIRE", key, "30000"});
                break;
            default:
                commands.push_back({"DEL", key});
                break;
            }
        }
        connection->send(commands, 60s, this, [this](const base::Result<Connection::Delivery> &delivery) {
            changes += delivery ? static_cast<qint64>(delivery->replies.size()) : 0;
        });
    }
    void cutConnections()
    {
        for (const char *type : {"normal", "pubsub"})
            connection->send({{"CLIENT", "KILL", "TYPE", type, "SKIPME", "yes"}}, 60s, this,
                             [](const base::Result<Connection::Delivery> &) {});
    }

public:
    static void initMain()
    {
        qputenv("QTEST_FUNCTION_TIMEOUT",
                QByteArray::number(std::chrono::milliseconds(fromEnvironment() + 300s).count()));
    }

private Q_SLOTS:
    void watchingNeedsNoMore_afterReconnects()
    {
        constexpr auto fewSeconds = 12s;
        constexpr auto untilFull = 600s;
        const auto duration = std::max<std::chrono::seconds>(fromEnvironment(), fewSeconds);
        const int cuts = duration >= untilFull ? 60 : 6;
        server = std::make_unique<TestServer>();
        net::Dialer dialer(SystemClock::instance());
        dialer.dial(server->endpoint(), 60s, [this](base::Result<net::DialResult<Connection>> dialled) {
            LATCHKEY_VERIFY_RESULT(dialled);
            connection = std::move(dialled->connection);
        });
        LATCHKEY_AWAIT(connection);

        const QTemporaryDir folder;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), folder.path());
        environment.insert(QStringLiteral("LATCHKEY_URL"), server->url());
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        QProcess watch;
        QProcess window;
        std::array<QProcess *, 2> programs {&watch, &window};
        qint64 lines = 0;
        connect(&watch, &QProcess::readyReadStandardOutput, this,
                [&] { lines += watch.readAllStandardOutput().count('\n'); });
        for (QProcess *program : programs) {
            program->setProcessEnvironment(environment);
            program->setStandardErrorFile(QProcess::nullDevice());
        }
        watch.start(QStringLiteral(LATCHKEY_CLI), {QStringLiteral("watch"), QStringLiteral("--json")});
        window.start(QStringLiteral(LATCHKEY_WINDOW), {});

        QTimer ticks;
        ticks.setTimerType(Qt::PreciseTimer);
        connect(&ticks, &QTimer::timeout, this, &TestSoak::change);
        ticks.start(tick);
        LATCHKEY_AWAIT(lines > 0);

        std::array<std::vector<Resources>, 2> samples;
        std::vector<qint64> told;
        for (int cut = 0; cut < cuts; ++cut) {
            // A sample just before the next cut, when all connections have been made again.
            const QDeadlineTimer until(std::chrono::milliseconds(duration) / cuts);
            QVERIFY(test::waitFor([&] { return until.hasExpired(); }, duration + 60s));
            for (std::size_t i = 0; i < programs.size(); ++i) {
                QCOMPARE(programs[i]->state(), QProcess::Running);
                samples[i].push_back(resourcesOf(programs[i]->processId()));
            }
            told.push_back(lines);
            cutConnections();
        }
        // After every cut the changes are reported again.
        for (std::size_t i = 1; i < told.size(); ++i)
            QVERIFY2(told[i] > told[i - 1], qPrintable(QStringLiteral("nothing was told after cut %1").arg(i)));
        for (std::size_t i = 0; i < programs.size(); ++i) {
            // The history is full after 300 seconds at most.
            const Resources before = part(samples[i], 0.5, 0.75);
            const Resources after = part(samples[i], 0.75, 1);
            qInfo("%s: %lld then %lld descriptors, %lld then %lld threads, %lld then %lld KiB",
                  qPrintable(programs[i]->program().section(u'/', -1)), static_cast<long long>(before.descriptors),
                  static_cast<long long>(after.descriptors), static_cast<long long>(before.threads),
                  static_cast<long long>(after.threads), static_cast<long long>(before.kibibytes),
                  static_cast<long long>(after.kibibytes));
            QVERIFY(before.descriptors > 0 && before.kibibytes > 0);
            QVERIFY2(after.descriptors <= before.descriptors, qPrintable(programs[i]->program()));
            QVERIFY2(after.threads <= before.threads, qPrintable(programs[i]->program()));
            if (duration >= untilFull)
                QVERIFY2(after.kibibytes <= before.kibibytes * 102 / 100, qPrintable(programs[i]->program()));
        }
        qInfo("%lld changes in %lld s, %lld lines", static_cast<long long>(changes),
              static_cast<long long>(duration.count()), static_cast<long long>(lines));
        ticks.stop();
        for (QProcess *program : programs) {
            ::kill(static_cast<pid_t>(program->processId()), SIGTERM);
            LATCHKEY_AWAIT(program->state() == QProcess::NotRunning);
        }
    }
};

LATCHKEY_TEST(TestSoak)

} // namespace tst_soak

#include "tst_soak.moc"
