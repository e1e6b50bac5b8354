// Bursts of renewals on a server with many locks: how late the last change is reported, and how many are reported
// wrongly.
//
//   bench-bursts URL LOCKS BURST ROUNDS     writes LOCKS locks, then renews BURST of them at once, ROUNDS times. Prints
//                                           told_ms, the longest time from the last renewal of a burst until all are
//                                           told, and wrong: renewals that are missing, invented, or reported with an
//                                           interval that excludes the true time

#include "core/foundation/base/random.h"
#include "core/inspect/inspection/inspectedserver.h"
#include "tests/support/await.h"
#include "tests/support/otherclient.h"

#include <QCoreApplication>
#include <QHash>
#include <QJsonDocument>
#include <QJsonObject>

#include <cstdio>
#include <thread>

using namespace latchkey;
using base::MonotonicTime;
using base::SystemClock;
using namespace std::chrono_literals;

namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

[[noreturn]] void fail(const char *what)
{
    std::fprintf(stderr, "bench-bursts: %s\n", what);
    std::exit(1);
}

QByteArray keyOf(int number)
{
    return "lock:" + QByteArray::number(number);
}

/// The time of a renewal: between sending the command and receiving its reply.
struct Renewal
{
    MonotonicTime sent;
    MonotonicTime answered;
    int told = 0;
};

/// A client that renews locks one after the other, with a log.
class Client final
{
public:
    Client(const net::Endpoint &endpoint, int locks)
        : m_client(endpoint)
    {
        for (int i = 0; i < locks; ++i) {
            const QByteArray token = "7f0c1d2e-3b4a-4c5d-8e6f-" + QByteArray::number(i).rightJustified(12, '0');
            (void)m_client({"SET", keyOf(i), token, "PX", lease()});
        }
    }
    void renew(int first, int step, int count)
    {
        m_lease += 20s; // Makes each renewal visible.
        for (int i = 0; i < count; ++i) {
            const QByteArray key = keyOf(first + i * step);
            Renewal renewal {SystemClock::instance().now(), {}};
            if (!m_client({"PEXPIRE", key, lease()}).isInteger(1))
                fail("a lock was not renewed");
            renewal.answered = m_last = SystemClock::instance().now();
            m_log.insert(key, renewal);
        }
    }
    [[nodiscard]] QHash<QByteArray, Renewal> &log() { return m_log; }
    [[nodiscard]] MonotonicTime last() const { return m_last; }

private:
    [[nodiscard]] QByteArray lease() const { return QByteArray::number(qint64(m_lease.count())); }

    test::OtherClient m_client;
    std::chrono::milliseconds m_lease {600s};
    QHash<QByteArray, Renewal> m_log;
    MonotonicTime m_last;
};

/// The events of one burst; they are compared with the client's log when the burst is over.
class Report final
{
public:
    void note(const events::KeyEvent &event)
    {
        if (event.type == events::KeyEvent::Type::FirstRead)
            return;
        m_events.push_back(event);
        m_last = SystemClock::instance().now();
    }
    void clear() { m_events.clear(); }
    [[nodiscard]] std::size_t size() const { return m_events.size(); }
    [[nodiscard]] MonotonicTime last() const { return m_last; }
    [[nodiscard]] int wrong(QHash<QByteArray, Renewal> log) const
    {
        int wrong = 0;
        for (const events::KeyEvent &event : m_events) {
            const auto renewal = log.find(event.key);
            const bool isRight = renewal != log.end() && ++renewal->told == 1
                              && event.type == events::KeyEvent::Type::Renewed && event.notBefore <= renewal->answered
                              && event.notAfter >= renewal->sent;
            wrong += isRight ? 0 : 1;
        }
        for (const Renewal &renewal : std::as_const(log))
            wrong += renewal.told == 0 ? 1 : 0;
        return wrong;
    }

private:
    std::vector<events::KeyEvent> m_events;
    MonotonicTime m_last;
};

} // namespace

int main(int argc, char *argv[])
{
    if (argc < 5)
        fail("see the comment at the top of its source");
    QCoreApplication application(argc, argv);
    const auto endpoint = net::Endpoint::fromUrl(QString::fromLocal8Bit(argv[1]));
    const int locks = std::atoi(argv[2]);
    const int burst = std::atoi(argv[3]);
    const int rounds = std::atoi(argv[4]);
    if (!endpoint || burst < 1 || burst * rounds > locks)
        fail("each burst needs locks of its own");

    Client client(*endpoint, locks);
    inspection::InspectedServer server(*endpoint, false, SystemClock::instance(), base::SystemRandom::instance());
    for (int i = 0; i < locks; ++i)
        server.keyEventTracker().follow(keyOf(i));
    server.start();
    const auto isSettled = [&] {
        return server.watcher().phase() == watching::Watcher::Phase::Watching && server.locks().isIdle()
            && server.locks().lockCount() == locks && server.watcher().coverage().lag() == 0ns;
    };
    if (!test::waitFor(isSettled, 120s))
        fail("the locks were not found");
    Report report;
    QObject::connect(&server.keyEventTracker(), &events::KeyEventTracker::happened, &application,
                     [&](const events::KeyEvent &event) { report.note(event); });

    double longest = 0;
    int wrong = 0;
    for (int round = 0; round < rounds; ++round) {
        client.log().clear();
        report.clear();
        bool isDone = false;
        std::thread writer([&] {
            client.renew(round, rounds, burst);
            QMetaObject::invokeMethod(&application, [&] { isDone = true; }, Qt::QueuedConnection);
        });
        (void)test::waitFor([&] { return isDone; });
        writer.join();
        (void)test::waitFor([&] { return report.size() >= static_cast<std::size_t>(burst) && isSettled(); }, 100s);
        wrong += report.wrong(client.log());
        longest = std::max(longest, Milliseconds(report.last() - client.last()).count());
    }
    const QJsonObject result {{QStringLiteral("told_ms"), longest}, {QStringLiteral("wrong"), wrong}};
    std::printf("%s\n", QJsonDocument(result).toJson(QJsonDocument::Compact).constData());
    return 0;
}
