#include "core/inspect/inspection/inspectedserver.h"
#include "tests/support/adjustableclock.h"
#include "tests/support/await.h"
#include "tests/support/freeport.h"
#include "tests/support/otherclient.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTcpSocket>
#include <QTest>

#include <algorithm>
#include <functional>

namespace tst_hazards {

using namespace latchkey;
using namespace latchkey::detection;
using namespace latchkey::inspection;
using findings::Finding;
using findings::FindingKind;
using test::OtherClient;
using watching::KeyTrace;
using watching::Watcher;
using namespace std::chrono_literals;

namespace {

/// A real server that clients use while it is inspected.
class Fixture final
{
public:
    explicit Fixture(const QStringList &arguments)
        : m_server(test::listeningAt(m_port) + arguments)
        , a(endpoint(), "worker-a")
        , b(endpoint(), "worker-b")
        , m_inspected(endpoint(), false, clock, m_random)
    {
        m_inspected.clients().setRequestInterval(200ms);
        m_inspected.listenTo(m_trace);
        QObject::connect(&m_trace, &KeyTrace::began, &m_trace, [this] { m_isTracing = true; });
    }
    void inspect()
    {
        m_inspected.start();
        await([this] { return m_inspected.watcher().phase() == Watcher::Phase::Watching; });
    }

    [[nodiscard]] net::Endpoint endpoint() const { return test::localEndpoint(m_port); }
    [[nodiscard]] quint16 port() const { return m_port; }
    [[nodiscard]] InspectedServer &inspected() { return m_inspected; }

    template<typename Condition>
    void await(Condition &&condition)
    {
        m_isInTime = m_isInTime && test::waitFor(condition);
    }
    void awaitLock(const QByteArray &key = "lock:a")
    {
        await([&] { return m_inspected.locks().isLock(key); });
    }
    /// Waits until the key is known to have this value.
    void awaitValue(const QByteArray &value, const QByteArray &key = "lock:a")
    {
        await([&] {
            const auto looked = m_inspected.locks().lookUp(key);
            return looked && looked->sample.value && looked->sample.value->bytes() == value;
        });
    }
    /// Waits until this many holds of the key have ended.
    void awaitOver(std::size_t count, const QByteArray &key = "lock:a")
    {
        await([&] {
            const auto &holds = m_inspected.holds().history().holds({key, 0});
            return static_cast<std::size_t>(std::ranges::count_if(holds, &history::Hold::isOver)) >= count;
        });
    }
    void trace(const QList<QByteArray> &keys = {"lock:a"})
    {
        m_trace.start(endpoint(), keys, 60s);
        await([this] { return m_isTracing; });
    }
    /// Waits until the trace has reported everything that was sent until now.
    void awaitTrace()
    {
        const qint64 received = m_trace.received();
        (void)a({"ECHO", "done"});
        await([&] { return m_trace.received() > received; });
    }

    [[nodiscard]] std::optional<Finding> finding(FindingKind kind, const QByteArray &key = "lock:a") const
    {
        const auto found = m_inspected.evaluator().findingsOf(key);
        const auto it = std::ranges::find(found, kind, &Finding::kind);
        return it == found.end() ? std::nullopt : std::optional(*it);
    }
    /// Waits until everything until now was read and evaluated, by waiting for a later change.
    void settle()
    {
        (void)a({"SET", "lock:later", "5b2e8c01d94f4f0c9a7e3d2b1c6f8e0a"});
        await([this] { return finding(FindingKind::NoExpiry, "lock:later") && m_inspected.locks().isIdle(); });
    }
    /// Returns whether no wait has timed out.
    [[nodiscard]] bool isInTime() const { return m_isInTime; }

    test::AdjustableClock clock;
    std::unique_ptr<test::TestServer> replica; ///< Null unless a course needs a replica.

private:
    quint16 m_port = test::freePort();
    test::TestServer m_server;
    test::ScriptedRandom m_random {0.0};
    bool m_isTracing = false;
    bool m_isInTime = true;

public:
    const OtherClient a;
    const OtherClient b;

private:
    InspectedServer m_inspected;
    KeyTrace m_trace {clock};
};

using Course = std::function<void(Fixture &)>;

/// A problem of a lock: a course that causes it, and a similar course without the problem.
struct Hazard
{
    FindingKind kind = FindingKind::NoExpiry;
    Course wrong;
    Course sound;
    bool isObserved = true; ///< False: a known property of the library.
    QByteArray key = "lock:a";
    QStringList arguments {};                ///< Arguments of the server with the problem.
    QStringList soundArguments {};           ///< Arguments of the server without it.
    Course before {};                        ///< Steps before the inspection, for the course with the problem.
    std::chrono::milliseconds clockAhead {}; ///< Offset of the local clock; those of server and clients are right.
};

const QByteArray token = "9891ac7c19c1ec9e54f0c08c8074917c";
const QByteArray otherToken = "f442172cd0841b68177e827d1a6528b1";
const QStringList notifies {QStringLiteral("--notify-keyspace-events"), QStringLiteral("KEA")};
constexpr auto releaseScript =
    "if redis.call('GET',KEYS[1]) == ARGV[1] then return redis.call('DEL',KEYS[1]) else return 0 end";
constexpr auto renewScript =
    "if redis.call('GET',KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE',KEYS[1],ARGV[2]) else return 0 end";

QByteArray unixTime(std::chrono::seconds fromNow)
{
    return QByteArray::number((base::SystemClock::instance().wallNow() + fromNow).time_since_epoch() / 1s);
}

bool acquire(const OtherClient &client, const QByteArray &value, const char *lease = "600000")
{
    return client({"SET", "lock:a", value, "NX", "PX", lease}).isOk();
}

void release(const OtherClient &client)
{
    (void)client({"EVAL", releaseScript, "1", "lock:a", token});
}

void renew(const OtherClient &client)
{
    (void)client({"EVAL", renewScript, "1", "lock:a", token, "600000"});
}

void addKeyHazards(QHash<QString, Hazard> &all)
{
    all[QStringLiteral("no expiry")] = {FindingKind::NoExpiry, [](Fixture &s) { (void)s.a({"SET", "lock:a", token}); },
                                        [](Fixture &s) { acquire(s.a, token); }};
    all[QStringLiteral("constant value")] = {FindingKind::ConstantValue, [](Fixture &s) { acquire(s.a, "1"); },
                                             [](Fixture &s) { acquire(s.a, token); }};
    all[QStringLiteral("a deadline in the value that is over")] = {
        FindingKind::PastDeadline, [](Fixture &s) { (void)s.a({"SETNX", "lock:a", unixTime(-10s)}); },
        [](Fixture &s) { (void)s.a({"SETNX", "lock:a", unixTime(60s)}); }};
    all[QStringLiteral("a deadline in the value, and our own clock is wrong")] = {
        FindingKind::SkewedDeadline,
        [](Fixture &s) { acquire(s.a, unixTime(900s)); },
        [](Fixture &s) { acquire(s.a, unixTime(600s)); },
        true,
        "lock:a",
        {},
        {},
        {},
        1h};
    all[QStringLiteral("a deadline in the value and another of the key")] = {
        FindingKind::SkewedDeadline, [](Fixture &s) { acquire(s.a, unixTime(900s)); },
        [](Fixture &s) { acquire(s.a, unixTime(600s)); }};
    const QByteArray holder = "285475da-9152-4c83-822a-67ee2f116a79:31";
    const auto fair = [holder](Fixture &s, std::chrono::seconds until) {
        (void)s.a({"HSET", "lock:a", holder, "1"});
        (void)s.a({"PEXPIRE", "lock:a", "30000"});
        (void)s.a({"RPUSH", "redisson_lock_queue:{lock:a}", "97ffb3ed-0d33-4c2e-a4e7-6e53b5aa1e8e:7"});
        (void)s.a({"ZADD", "redisson_lock_timeout:{lock:a}", unixTime(until) + "000",
                   "97ffb3ed-0d33-4c2e-a4e7-6e53b5aa1e8e:7"});
    };
    all[QStringLiteral("a dead waiter")] = {FindingKind::StaleQueue, [fair](Fixture &s) { fair(s, -60s); },
                                            [fair](Fixture &s) { fair(s, 600s); }};
    all[QStringLiteral("a signal that is left")] = {FindingKind::StaleSignal,
                                                    [](Fixture &s) {
                                                        (void)s.a({"LPUSH", "lock-signal:a", "1"});
                                                        acquire(s.a, "kJ2Yd0s8Q6WrTzqk3uUeKwAb");
                                                    },
                                                    [](Fixture &s) { acquire(s.a, "kJ2Yd0s8Q6WrTzqk3uUeKwAb"); }};
}

/// Hazards of fencing tokens, and known properties of libraries.
void addLibraryHazards(QHash<QString, Hazard> &all)
{
    const auto fenced = [](Fixture &s, const char *number) {
        (void)s.a({"SET", "redisson_lock_token:{lock:a}", number});
        (void)s.a({"HSET", "lock:a", "285475da-9152-4c83-822a-67ee2f116a79:31", "1"});
        (void)s.a({"PEXPIRE", "lock:a", "600000"});
        s.await([&] {
            return s.inspected().locks().recognise("lock:a").decoded.fencing == QByteArray(number).toLongLong();
        });
        s.settle();
    };
    all[QStringLiteral("a fencing number that goes back")] = {FindingKind::FencingDecreased,
                                                              [fenced](Fixture &s) {
                                                                  fenced(s, "8");
                                                                  (void)s.b(
                                                                      {"SET", "redisson_lock_token:{lock:a}", "5"});
                                                              },
                                                              [fenced](Fixture &s) {
                                                                  fenced(s, "8");
                                                                  fenced(s, "9");
                                                              }};
    all[QStringLiteral("a fencing counter that vanishes")] = {FindingKind::FencingDecreased,
                                                              [fenced](Fixture &s) {
                                                                  fenced(s, "8");
                                                                  (void)s.b({"DEL", "redisson_lock_token:{lock:a}"});
                                                              },
                                                              [fenced](Fixture &s) { fenced(s, "8"); }};
    const auto ours = [](Fixture &s, const char *number, const QByteArray &value) {
        (void)s.a({"DEL", "lock:a"});
        (void)s.a({"SET", "{lock:a}:fence", number});
        acquire(s.a, value);
        s.await([&] {
            return s.inspected().locks().recognise("lock:a").decoded.fencing == QByteArray(number).toLongLong();
        });
        s.settle();
    };
    all[QStringLiteral("a fencing number of ours that the next holder is given again")] = {
        FindingKind::FencingDecreased,
        [ours](Fixture &s) {
            ours(s, "8", token);
            ours(s, "1", otherToken);
        },
        [ours](Fixture &s) {
            ours(s, "8", token);
            ours(s, "9", otherToken);
        }};
    all[QStringLiteral("a fencing counter that ends")] = {
        FindingKind::FencingExpires,
        [fenced](Fixture &s) {
            fenced(s, "8");
            (void)s.b({"PEXPIRE", "redisson_lock_token:{lock:a}", "500000"});
        },
        [fenced](Fixture &s) { fenced(s, "8"); }};
    all[QStringLiteral("no fencing number")] = {FindingKind::NoFencing,
                                                [](Fixture &s) { acquire(s.a, "kJ2Yd0s8Q6WrTzqk3uUeKwAb"); },
                                                [fenced](Fixture &s) { fenced(s, "8"); }, false};
}

void addKnownHazards(QHash<QString, Hazard> &all)
{
    const Course plain = [](Fixture &s) { acquire(s.a, token); };
    all[QStringLiteral("a value that names a process")] = {
        FindingKind::SharedId,
        [](Fixture &s) {
            (void)s.a({"SET", "hangfire:lock:a", "285475da-9152-4c83-822a-67ee2f116a79", "PX", "600000"});
        },
        plain, false, "hangfire:lock:a"};
    const Course uniqid = [](Fixture &s) {
        acquire(s.a, QByteArray::number(unixTime(0s).toLongLong(), 16) + "a3f10", "60000");
    };
    all[QStringLiteral("a token that can be guessed")] = {FindingKind::PredictableToken, uniqid, plain, false};
    all[QStringLiteral("one server of several")] = {FindingKind::OneOfMany, uniqid, plain, false};
    const auto semaphore = [](int holders) {
        return [=](Fixture &s) {
            for (int i = 0; i < holders; ++i)
                (void)s.a({"ZADD", "lock:a", unixTime(-std::chrono::seconds(i)), i == 0 ? token : otherToken});
            (void)s.a({"PEXPIRE", "lock:a", "600000"});
        };
    };
    all[QStringLiteral("a semaphore whose limit is stored nowhere")] = {FindingKind::LimitNotStored, semaphore(2),
                                                                        semaphore(1)};
    const auto jobs = [](std::initializer_list<const char *> locked) {
        return [=, ids = std::vector(locked)](Fixture &s) {
            (void)s.a({"RPUSH", "bull:mail:active", "1", "2"});
            for (const char *id : ids)
                (void)s.a({"SET", QByteArray("bull:mail:") + id + ":lock",
                           "285475da-9152-4c83-822a-67ee2f116a79:" + QByteArray(id), "PX", "600000"});
            s.settle();
            s.clock.putForward(5s);
            (void)s.a({"PEXPIRE", "bull:mail:1:lock", "600000"});
        };
    };
    all[QStringLiteral("a job at work without its lock")] = {FindingKind::UnlockedJob, jobs({"1"}), jobs({"1", "2"}),
                                                             true, "bull:mail:1:lock"};
    const auto holders = [](int count) {
        return [count](Fixture &s) {
            for (int i = 0; i < count; ++i)
                (void)s.a({"HSET", "order:5", "285475da-9152-4c83-822a-67ee2f116a79:" + QByteArray::number(i), "1"});
            (void)s.a({"PEXPIRE", "order:5", "600000"});
        };
    };
    all[QStringLiteral("two holders of a lock that admits one")] = {FindingKind::SeveralHolders, holders(2), holders(1),
                                                                    true, "order:5"};
    all[QStringLiteral("permits without an owner")] = {FindingKind::LeakedPermits,
                                                       [](Fixture &s) {
                                                           (void)s.a({"SET", "app:jobs:mail:max_concurrency", "3"});
                                                           (void)s.a({"SET", "app:jobs:mail:locked", "1"});
                                                       },
                                                       plain, false, "app:jobs:mail:locked"};
}

/// Hazards that a trace shows.
void addTracedHazards(QHash<QString, Hazard> &all)
{
    const auto tracing = [](const Course &course) {
        return [course](Fixture &s) {
            s.trace();
            course(s);
            s.awaitTrace();
        };
    };
    all[QStringLiteral("released by DEL")] = {
        FindingKind::PlainDelete, tracing([](Fixture &s) {
            acquire(s.a, token);
            (void)s.a({"DEL", "lock:a"});
            acquire(s.b, otherToken);
        }),
        tracing([](Fixture &s) {
            acquire(s.a, token);
            release(s.a);
            acquire(s.a, token);
            for (const resp::Command &step :
                 resp::Commands {{"WATCH", "lock:a"}, {"GET", "lock:a"}, {"MULTI"}, {"DEL", "lock:a"}, {"EXEC"}})
                (void)s.a(step);
            acquire(s.b, otherToken);
        })};
    all[QStringLiteral("SETNX, then EXPIRE")] = {
        FindingKind::NotAtomic, tracing([](Fixture &s) {
            (void)s.a({"SETNX", "lock:a", token});
            (void)s.a({"EXPIRE", "lock:a", "600"});
        }),
        tracing([](Fixture &s) {
            for (const resp::Command &step :
                 resp::Commands {{"MULTI"}, {"SETNX", "lock:a", token}, {"EXPIRE", "lock:a", "600"}, {"EXEC"}})
                (void)s.a(step);
        })};
    all[QStringLiteral("a loser's EXPIRE")] = {FindingKind::ExtendedByContender, tracing([](Fixture &s) {
                                                   acquire(s.a, token);
                                                   (void)s.b({"SETNX", "lock:a", otherToken});
                                                   (void)s.b({"EXPIRE", "lock:a", "600"});
                                               }),
                                               tracing([](Fixture &s) {
                                                   acquire(s.a, token);
                                                   (void)s.b({"SETNX", "lock:a", otherToken});
                                                   renew(s.a);
                                               })};
    all[QStringLiteral("renewed by EXPIRE")] = {FindingKind::UncheckedRenewal, tracing([](Fixture &s) {
                                                    acquire(s.a, token);
                                                    (void)s.a({"EXPIRE", "lock:a", "600"});
                                                }),
                                                tracing([](Fixture &s) {
                                                    acquire(s.a, token);
                                                    renew(s.a);
                                                })};
    all[QStringLiteral("GETSET of a lock that is held")] = {FindingKind::TakenOver, tracing([](Fixture &s) {
                                                                (void)s.a({"SETNX", "lock:a", unixTime(60s)});
                                                                (void)s.b({"GETSET", "lock:a", unixTime(90s)});
                                                            }),
                                                            tracing([](Fixture &s) {
                                                                (void)s.a({"SETNX", "lock:a", unixTime(60s)});
                                                                (void)s.a({"DEL", "lock:a"});
                                                                (void)s.b({"SETNX", "lock:a", unixTime(90s)});
                                                            })};
}

/// Hazards that appear over time.
void addHabitHazards(QHash<QString, Hazard> &all)
{
    all[QStringLiteral("an expiry that comes later")] = {FindingKind::NotAtomic,
                                                         [](Fixture &s) {
                                                             (void)s.a({"SETNX", "lock:a", token});
                                                             s.awaitLock();
                                                             (void)s.a({"EXPIRE", "lock:a", "600"});
                                                         },
                                                         [](Fixture &s) { acquire(s.a, token); }};
    const auto renewedAfter = [](std::initializer_list<std::chrono::seconds> pauses) {
        return [pauses = std::vector(pauses)](Fixture &s) {
            acquire(s.a, "1");
            s.awaitLock();
            int renewals = 0;
            for (const std::chrono::seconds pause : pauses) {
                s.clock.putForward(pause);
                (void)s.b({"PEXPIRE", "lock:a", "600000"});
                ++renewals;
                s.await([&] { return s.inspected().locks().ttlHistory("lock:a")->renewals() == renewals; });
            }
        };
    };
    all[QStringLiteral("a lease that grows irregularly")] = {
        FindingKind::ExtendedByContender, renewedAfter({10s, 2s, 30s, 1s}), renewedAfter({10s, 10s, 10s, 10s}), false};
    all[QStringLiteral("a deadline that is replaced when it is over")] = {
        FindingKind::TakenOver,
        [](Fixture &s) {
            (void)s.a({"SETNX", "lock:a", unixTime(-10s)});
            s.awaitLock();
            (void)s.b({"GETSET", "lock:a", unixTime(60s)});
        },
        [](Fixture &s) {
            (void)s.a({"SETNX", "lock:a", unixTime(60s)});
            s.awaitLock();
            (void)s.a({"SET", "lock:a", unixTime(90s)});
        }};
    const Course overwritten = [](Fixture &s) {
        acquire(s.a, token);
        s.awaitValue(token);
        (void)s.b({"SET", "lock:a", otherToken, "PX", "600000"});
        s.awaitValue(otherToken);
    };
    const Course takenInTurn = [](Fixture &s) {
        acquire(s.a, token);
        s.awaitValue(token);
        release(s.a);
        acquire(s.b, otherToken);
        s.awaitValue(otherToken);
    };
    all[QStringLiteral("a token that is overwritten, and the server tells of it")] = {
        FindingKind::TakenOver, overwritten, takenInTurn, true, "lock:a", notifies, notifies};
    all[QStringLiteral("a lease that is over before the work")] = {FindingKind::ExpiredUnderHolder,
                                                                   [](Fixture &s) {
                                                                       acquire(s.a, token, "300");
                                                                       s.awaitLock();
                                                                       s.await(
                                                                           [&] { return acquire(s.b, otherToken); });
                                                                   },
                                                                   takenInTurn,
                                                                   true,
                                                                   "lock:a",
                                                                   notifies,
                                                                   notifies};
    all[QStringLiteral("a lock that is made anew by its late holder")] = {FindingKind::Recreated,
                                                                          [](Fixture &s) {
                                                                              acquire(s.a, token, "300");
                                                                              s.awaitLock();
                                                                              s.awaitOver(1);
                                                                              acquire(s.a, token);
                                                                          },
                                                                          [](Fixture &s) {
                                                                              acquire(s.a, token);
                                                                              s.awaitLock();
                                                                              release(s.a);
                                                                              s.awaitOver(1);
                                                                              acquire(s.a, token);
                                                                          },
                                                                          true,
                                                                          "lock:a",
                                                                          notifies,
                                                                          notifies};
}

/// Hazards that appear over many holds.
void addHoldsHazards(QHash<QString, Hazard> &all)
{
    const auto heldTimes = [](int times, std::chrono::milliseconds each) {
        return [=](Fixture &s) {
            std::size_t released = 0;
            for (std::size_t holds = 1; released < static_cast<std::size_t>(times); ++holds) {
                const base::MonotonicTime from = s.clock.now();
                acquire(s.a, token, "500");
                s.awaitValue(token);
                s.await([&] { return s.clock.now() - from >= each; });
                const bool isInTime = s.a({"DEL", "lock:a"}).isInteger(1); // False if the machine was too slow.
                released += isInTime ? 1 : 0;
                s.awaitOver(holds);
            }
            acquire(s.a, token);
        };
    };
    all[QStringLiteral("a lease that hardly suffices")] = {
        FindingKind::LeaseTooShort, heldTimes(12, 430ms), heldTimes(12, 0ms), true, "lock:a", notifies, notifies};
    const auto renewedFor = [heldTimes](std::chrono::seconds pause) {
        return [=](Fixture &s) {
            heldTimes(3, 0ms)(s);
            s.awaitValue(token);
            for (int renewals = 1; renewals <= 4; ++renewals) {
                s.clock.putForward(pause);
                renew(s.a);
                s.await([&] { return s.inspected().locks().ttlHistory("lock:a")->renewals() == renewals; });
            }
        };
    };
    all[QStringLiteral("renewed for far longer than it was ever held")] = {FindingKind::OrphanRenewal, renewedFor(200s),
                                                                           renewedFor(20s), false};
    all[QStringLiteral("a client that has left")] = {
        FindingKind::HolderGone,
        [](Fixture &s) {
            auto worker = std::make_unique<OtherClient>(s.endpoint(), "worker-7");
            acquire(*worker, "worker-7");
            s.awaitLock();
            s.await([&] {
                const auto decoded = s.inspected().locks().recognise("lock:a").decoded;
                return !s.inspected().clients().clientsOf("lock:a", decoded).empty();
            });
        },
        [](Fixture &s) { acquire(s.a, "worker-a"); }, false};
}

void addServerHazards(QHash<QString, Hazard> &all)
{
    const Course held = [](Fixture &s) { acquire(s.a, token); };
    const auto arguments = [](const char *text) { return QString::fromLatin1(text).split(u' '); };
    const QStringList limited = arguments("--maxmemory 200mb --maxmemory-policy volatile-lru");
    all[QStringLiteral("a server that evicts")] = {FindingKind::MayBeEvicted, held, held, true, "lock:a", limited, {}};
    all[QStringLiteral("a replica")] = {FindingKind::ReadFromReplica,
                                        held,
                                        held,
                                        true,
                                        "lock:a",
                                        arguments("--replicaof 127.0.0.1 1 --replica-read-only no"),
                                        {}};
    const Course replicated = [](Fixture &s) {
        s.replica = std::make_unique<test::TestServer>(
            QStringList {QStringLiteral("--replicaof"), QStringLiteral("127.0.0.1"), QString::number(s.port())});
        s.await([&] { return s.a({"INFO", "replication"}).bytes().contains("connected_slaves:1"); });
    };
    all[QStringLiteral("a replica that need not have heard of it")] = {
        FindingKind::LostByFailover, held, held, true, "lock:a", {}, {}, replicated};
    all[QStringLiteral("a long lease that a restart loses")] = {
        FindingKind::LostByRestart, [](Fixture &s) { acquire(s.a, token, "3600000"); }, held, true, "lock:a", {}, {}};
}

} // namespace

} // namespace tst_hazards

Q_DECLARE_METATYPE(tst_hazards::Hazard)

namespace tst_hazards {

/// Each hazard on a real server, found by the complete inspection.
class TestHazards final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void hazard_isFound_andNothingOfTheKindWhereAllIsWell_data()
    {
        QTest::addColumn<Hazard>("hazard");
        QHash<QString, Hazard> all;
        for (const auto &add : {&addKeyHazards, &addLibraryHazards, &addKnownHazards, &addTracedHazards,
                                &addHabitHazards, &addHoldsHazards, &addServerHazards})
            add(all);
        for (auto hazard = all.cbegin(); hazard != all.cend(); ++hazard)
            QTest::addRow("%s", qPrintable(hazard.key())) << *hazard;
    }
    void hazard_isFound_andNothingOfTheKindWhereAllIsWell()
    {
        QFETCH(Hazard, hazard);
        {
            Fixture fixture(hazard.arguments);
            fixture.clock.putForward(hazard.clockAhead);
            if (hazard.before)
                hazard.before(fixture);
            fixture.inspect();
            hazard.wrong(fixture);
            QVERIFY(fixture.isInTime());
            LATCHKEY_AWAIT(fixture.finding(hazard.kind, hazard.key));
            QCOMPARE(fixture.finding(hazard.kind, hazard.key)->isObserved, hazard.isObserved);
        }
        Fixture fixture(hazard.soundArguments);
        fixture.clock.putForward(hazard.clockAhead);
        fixture.inspect();
        hazard.sound(fixture);
        fixture.settle();
        QVERIFY(fixture.isInTime());
        for (const QByteArray &key : {hazard.key, QByteArray("lock:a")}) {
            const auto found = fixture.finding(hazard.kind, key);
            QVERIFY(!found || (hazard.isObserved && !found->isObserved));
        }
    }

    /// The settings are read every 30 s, and may be others after the server has refused all commands.
    void settings_areReadAsSoonAsTheServerAcceptsCommands()
    {
        Fixture fixture({QStringLiteral("--busy-reply-threshold"), QStringLiteral("20")});
        fixture.inspect();
        fixture.await([&] { return fixture.inspected().evaluator().server().wasAsked; });
        QVERIFY((fixture.a)({"CONFIG", "SET", "maxmemory", "104857600"}).isOk());
        QTcpSocket script;
        script.connectToHost(QStringLiteral("127.0.0.1"), fixture.port());
        QVERIFY(script.waitForConnected());
        script.write("EVAL \"while true do end\" 0\r\n");
        fixture.await([&] {
            const events::Coverage coverage = fixture.inspected().watcher().coverage();
            return coverage.gap() != nullptr && coverage.gap()->why.kind == base::ErrorKind::Busy;
        });
        QVERIFY((fixture.b)({"SCRIPT", "KILL"}).isOk());
        QVERIFY(test::waitFor([&] { return fixture.inspected().evaluator().server().memoryLimit == 104857600; }, 20s));
        QVERIFY(fixture.isInTime());
    }
};

LATCHKEY_TEST(TestHazards)

} // namespace tst_hazards

#include "tst_hazards.moc"
