#include "core/inspect/findings/findingtexts.h"
#include "core/inspect/recognition/recogniser.h"
#include "tests/support/testprogram.h"

#include <QTest>

#include <algorithm>
#include <functional>

namespace tst_findings {

using namespace latchkey;
using namespace latchkey::findings;
using keys::KeyType;
using keys::RawValue;
using recognition::Candidate;
using recognition::Confidence;
using recognition::Dialect;
using recognition::KeySample;
using recognition::Recognition;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

constexpr base::WallTime now {1'795'320'000'000ms};

/// A lock without problems: a token, a lease of 30 s, a library without known dangers.
struct Sound
{
    Recognition recognition;
    Dialect dialect;
    KeySample sample;
    ServerProperties server;
    milliseconds heldFor = 3s;
    std::vector<PastHold> past;
    std::optional<PastHold> present;
    std::vector<ValueChange> changes;
    std::vector<TracedAction> traced;
    QByteArrayList unlockedJobs;
    std::optional<qint64> fencingBefore;
    QByteArray holderClient;
    std::optional<bool> isHolderConnected;

    Sound()
    {
        recognition.candidates = {{QStringLiteral("sound"), Confidence::Certain, {}}};
        recognition.decoded.holders.emplace_back().bytes = "token";
        recognition.decoded.holderCount = 1;
        dialect.id = QStringLiteral("sound");
        sample.key = "lock:a";
        sample.type = KeyType::String;
        sample.value = RawValue {KeyType::String, 5, {"token"}};
        sample.isExpiryKnown = true;
        sample.left = 27s;
        sample.ttlHistory.addSample({}, 30s);
        sample.now = now;
    }

    void has(recognition::Hazard hazard) { dialect.hazards.set(static_cast<std::size_t>(hazard)); }

    /// Sets the observations of the time left: when, and the time left.
    void looked(std::initializer_list<std::pair<milliseconds, std::optional<milliseconds>>> looks)
    {
        sample.ttlHistory = {};
        for (const auto &[at, left] : looks)
            sample.ttlHistory.addSample(base::MonotonicTime(at), left);
    }

    /// Adds a hold from one time to another with this ending.
    void wasHeld(const char *holder, milliseconds from, milliseconds to, PastHold::End end, milliseconds lease = 30s)
    {
        past.push_back({holder, base::MonotonicTime(from), base::MonotonicTime(to), lease, 0, end, true});
    }

    void isHeld(const char *holder, milliseconds from)
    {
        const base::MonotonicTime since {from};
        present = PastHold {holder, since, since, 30s, 0, PastHold::End::Unknown, true};
    }

    void renewedEvery(milliseconds period)
    {
        sample.ttlHistory = {};
        for (int i = 0; i < 6; ++i) {
            sample.ttlHistory.addSample(base::MonotonicTime(i * period), 30s);
            sample.ttlHistory.addSample(base::MonotonicTime((i + 1) * period - 1ms), 30s - period + 1ms);
        }
    }

    [[nodiscard]] std::vector<Finding> judge() const
    {
        return findingsOf({recognition, dialect, sample, server, heldFor, past, changes, traced, unlockedJobs,
                           fencingBefore, holderClient, isHolderConnected, present});
    }
};

using Change = std::function<void(Sound &)>;

} // namespace

} // namespace tst_findings

Q_DECLARE_METATYPE(tst_findings::Change)

namespace tst_findings {

/// Each rule with a case that it must find, and with near misses that it must not report.
class TestFindings final : public QObject
{
    Q_OBJECT

    static void found(const char *name, FindingKind kind, Severity severity, const Change &change)
    {
        QTest::addRow("%s", name) << static_cast<int>(kind) << static_cast<int>(severity) << change;
    }
    static void missed(const char *name, FindingKind kind, const Change &change)
    {
        QTest::addRow("not: %s", name) << static_cast<int>(kind) << -1 << change;
    }

    static void addKeyRows()
    {
        using recognition::Hazard;
        found("no expiry", FindingKind::NoExpiry, Severity::Error, [](Sound &s) { s.sample.left.reset(); });
        found("no expiry, but a deadline", FindingKind::NoExpiry, Severity::Warning, [](Sound &s) {
            s.sample.left.reset();
            s.recognition.decoded.deadline = now + 5s;
        });
        missed("PTTL was not asked", FindingKind::NoExpiry, [](Sound &s) {
            s.sample.left.reset();
            s.sample.isExpiryKnown = false;
        });
        missed("a latch does not end by itself", FindingKind::NoExpiry, [](Sound &s) {
            s.sample.left.reset();
            s.dialect.family = recognition::Family::Latch;
        });
        found("constant", FindingKind::ConstantValue, Severity::Error,
              [](Sound &s) { s.recognition.decoded.isConstant = true; });
        missed("a token", FindingKind::ConstantValue, [](Sound &) {});
        found("past its deadline", FindingKind::PastDeadline, Severity::Warning, [](Sound &s) {
            s.sample.left.reset();
            s.recognition.decoded.deadline = now - 3s;
        });
        missed("past it by rounding", FindingKind::PastDeadline, [](Sound &s) {
            s.sample.left.reset();
            s.recognition.decoded.deadline = now - 1s;
        });
        missed("past it, and the server will end it", FindingKind::PastDeadline,
               [](Sound &s) { s.recognition.decoded.deadline = now - 3s; });
        found("a clock ahead", FindingKind::SkewedDeadline, Severity::Warning,
              [](Sound &s) { s.recognition.decoded.deadline = now + 27s + 3s; });
        found("a clock behind", FindingKind::SkewedDeadline, Severity::Warning,
              [](Sound &s) { s.recognition.decoded.deadline = now + 20s; });
        missed("one second more, on purpose", FindingKind::SkewedDeadline,
               [](Sound &s) { s.recognition.decoded.deadline = now + 28s; });
        found("a dead waiter", FindingKind::StaleQueue, Severity::Info,
              [](Sound &s) { s.recognition.decoded.waiters = {{"w", now - 1ms}}; });
        missed("a waiter", FindingKind::StaleQueue,
               [](Sound &s) { s.recognition.decoded.waiters = {{"w", now + 1s}, {"v", {}}}; });
        found("a signal", FindingKind::StaleSignal, Severity::Info,
              [](Sound &s) { s.sample.companions["lock-signal:a"] = {true, {}, {}}; });
        missed("no signal", FindingKind::StaleSignal, [](Sound &s) { s.sample.companions["lock-signal:a"] = {}; });
        found("a smaller number", FindingKind::FencingDecreased, Severity::Error, [](Sound &s) {
            s.fencingBefore = 8;
            s.recognition.decoded.fencing = 7;
        });
        found("no number any more", FindingKind::FencingDecreased, Severity::Error, [](Sound &s) {
            s.fencingBefore = 8;
            s.sample.companions["{lock:a}:fence"] = {};
        });
        missed("the same number", FindingKind::FencingDecreased, [](Sound &s) {
            s.fencingBefore = 8;
            s.recognition.decoded.fencing = 8;
        });
        missed("fewer attempts, of another job", FindingKind::FencingDecreased, [](Sound &s) {
            s.dialect.family = recognition::Family::Job;
            s.fencingBefore = 8;
            s.recognition.decoded.fencing = 1;
        });
        missed("the counter was not read", FindingKind::FencingDecreased, [](Sound &s) { s.fencingBefore = 8; });
        found("a counter that ends", FindingKind::FencingExpires, Severity::Error,
              [](Sound &s) { s.sample.companions["redisson_lock_token:{lock:a}"] = {true, {}, 60s}; });
        missed("a counter", FindingKind::FencingExpires,
               [](Sound &s) { s.sample.companions["redisson_lock_token:{lock:a}"] = {true, {}, {}}; });
        found("no fencing", FindingKind::NoFencing, Severity::Info, [](Sound &s) { s.has(Hazard::NoFencing); });
        missed("no fencing, if it is that library", FindingKind::NoFencing, [](Sound &s) {
            s.has(Hazard::NoFencing);
            s.recognition.candidates.front().confidence = Confidence::Medium;
        });
        found("one id for all", FindingKind::SharedId, Severity::Info, [](Sound &s) { s.has(Hazard::SharedId); });
        missed("ids of their own", FindingKind::SharedId, [](Sound &) {});
        found("predictable", FindingKind::PredictableToken, Severity::Info,
              [](Sound &s) { s.has(Hazard::Predictable); });
        missed("random", FindingKind::PredictableToken, [](Sound &) {});
        found("permits held for long", FindingKind::LeakedPermits, Severity::Warning, [](Sound &s) {
            s.has(Hazard::LeaksPermits);
            s.recognition.decoded.isHolderRecorded = false;
            s.heldFor = 2h;
        });
        found("permits held", FindingKind::LeakedPermits, Severity::Info,
              [](Sound &s) { s.has(Hazard::LeaksPermits); });
        missed("permits with holders", FindingKind::LeakedPermits, [](Sound &s) { s.heldFor = 2h; });
        found("several holders, and no limit", FindingKind::LimitNotStored, Severity::Info, [](Sound &s) {
            s.has(Hazard::UnstoredLimit);
            s.sample.type = KeyType::SortedSet;
            s.recognition.candidates.front().confidence = Confidence::Medium;
            s.recognition.decoded.holderCount = 2;
        });
        missed("a single holder of what may be no semaphore", FindingKind::LimitNotStored, [](Sound &s) {
            s.has(Hazard::UnstoredLimit);
            s.sample.type = KeyType::SortedSet;
            s.recognition.candidates.front().confidence = Confidence::Medium;
        });
        missed("several readers", FindingKind::LimitNotStored, [](Sound &s) { s.recognition.decoded.holderCount = 2; });
        found("a job without a lock", FindingKind::UnlockedJob, Severity::Warning,
              [](Sound &s) { s.unlockedJobs = {"7"}; });
        missed("all jobs have theirs", FindingKind::UnlockedJob, [](Sound &) {});
        found("several holders", FindingKind::SeveralHolders, Severity::Error,
              [](Sound &s) { s.recognition.decoded.isOverfull = true; });
        missed("several holders of what admits them", FindingKind::SeveralHolders,
               [](Sound &s) { s.recognition.decoded.holders.resize(2); });
        found("a quorum", FindingKind::OneOfMany, Severity::Info, [](Sound &s) { s.has(Hazard::Quorum); });
        missed("one server", FindingKind::OneOfMany, [](Sound &) {});
    }

    static void addHabitRows()
    {
        using End = PastHold::End;
        using recognition::Hazard;
        using Kind = TracedAction::Kind;
        found("DEL in a trace", FindingKind::PlainDelete, Severity::Error,
              [](Sound &s) { s.traced = {{Kind::PlainDelete, "10.0.0.7:4711"}}; });
        found("DEL as it is known", FindingKind::PlainDelete, Severity::Warning,
              [](Sound &s) { s.has(Hazard::PlainDelete); });
        found("GET, and then DEL in a trace", FindingKind::PlainDelete, Severity::Error,
              [](Sound &s) { s.traced = {{Kind::PlainDelete, "10.0.0.7:4711", true}}; });
        missed("a trace of something else", FindingKind::PlainDelete,
               [](Sound &s) { s.traced = {{Kind::UncheckedRenewal, "10.0.0.7:4711"}}; });
        found("EXPIRE in a trace", FindingKind::UncheckedRenewal, Severity::Warning,
              [](Sound &s) { s.traced = {{Kind::UncheckedRenewal, "10.0.0.7:4711"}}; });
        missed("a script", FindingKind::UncheckedRenewal, [](Sound &s) { s.renewedEvery(10s); });
        found("a gap before the expiry", FindingKind::NotAtomic, Severity::Error,
              [](Sound &s) { s.looked({{0ms, {}}, {40ms, 10s}}); });
        missed("an expiry on second thoughts", FindingKind::NotAtomic,
               [](Sound &s) { s.looked({{0ms, {}}, {60s, 10s}}); });
        found("SETNX and EXPIRE in a trace", FindingKind::NotAtomic, Severity::Error,
              [](Sound &s) { s.traced = {{Kind::SeparateExpire, "a"}}; });

        // Rule one against false findings: every watchdog lets a lease grow.
        missed("a watchdog", FindingKind::ExtendedByContender, [](Sound &s) {
            s.renewedEvery(10s);
            s.recognition.decoded.isHolderRecorded = false;
        });
        found("irregular growth of a nameless lock", FindingKind::ExtendedByContender, Severity::Warning, [](Sound &s) {
            s.recognition.decoded.isHolderRecorded = false;
            s.looked({{0ms, 10s}, {1s, 10s}, {2s, 10s}, {9s, 10s}, {9500ms, 10s}});
        });
        missed("irregular growth of a token's lock", FindingKind::ExtendedByContender,
               [](Sound &s) { s.looked({{0ms, 10s}, {1s, 10s}, {2s, 10s}, {9s, 10s}, {9500ms, 10s}}); });
        found("a loser's EXPIRE in a trace", FindingKind::ExtendedByContender, Severity::Error,
              [](Sound &s) { s.traced = {{Kind::ForeignExpire, "a"}}; });

        // Rule two: a release and an acquisition may lie between two values.
        missed("another token at the next look", FindingKind::TakenOver,
               [](Sound &s) { s.changes = {{{}, {}, now, false}}; });
        found("another token, and events told of no end", FindingKind::TakenOver, Severity::Error,
              [](Sound &s) { s.changes = {{{}, {}, now, true}}; });
        found("a past deadline gave way to a new one", FindingKind::TakenOver, Severity::Error,
              [](Sound &s) { s.changes = {{now - 10s, now + 30s, now, false}}; });
        missed("a deadline that was not over", FindingKind::TakenOver,
               [](Sound &s) { s.changes = {{now + 10s, now + 30s, now, false}}; });
        missed("a deadline that its holder has put off", FindingKind::TakenOver,
               [](Sound &s) { s.changes = {{now + 10s, now + 30s, now, true}}; });
        found("GETSET in a trace", FindingKind::TakenOver, Severity::Error,
              [](Sound &s) { s.traced = {{Kind::Swap, "10.0.0.7:4711"}}; });

        found("expired, and the next came at once", FindingKind::ExpiredUnderHolder, Severity::Error, [](Sound &s) {
            s.wasHeld("a", 0s, 30s, End::Expired);
            s.wasHeld("b", 30'050ms, 35s, End::Released);
        });
        found("expired, and the next has it now", FindingKind::ExpiredUnderHolder, Severity::Error, [](Sound &s) {
            s.wasHeld("a", 0s, 30s, End::Expired);
            s.isHeld("b", 30'050ms);
        });
        missed("expired, and much later another", FindingKind::ExpiredUnderHolder, [](Sound &s) {
            s.wasHeld("a", 0s, 30s, End::Expired);
            s.wasHeld("b", 300s, 305s, End::Released);
        });
        missed("released, and the next came at once", FindingKind::ExpiredUnderHolder, [](Sound &s) {
            s.wasHeld("a", 0s, 29s, End::Released);
            s.wasHeld("b", 29'050ms, 35s, End::Released);
        });
        missed("the end was not seen", FindingKind::ExpiredUnderHolder, [](Sound &s) {
            s.wasHeld("a", 0s, 30s, End::Unknown);
            s.wasHeld("b", 30s, 35s, End::Released);
        });
        found("came back with the same token", FindingKind::Recreated, Severity::Warning, [](Sound &s) {
            s.wasHeld("a", 0s, 30s, End::Expired);
            s.wasHeld("a", 31s, 35s, End::Released);
        });
        found("is there again with the same token", FindingKind::Recreated, Severity::Warning, [](Sound &s) {
            s.wasHeld("a", 0s, 30s, End::Expired);
            s.isHeld("a", 31s);
        });
        missed("came back after a release", FindingKind::Recreated, [](Sound &s) {
            s.wasHeld("a", 0s, 20s, End::Released);
            s.wasHeld("a", 31s, 35s, End::Released);
        });
        missed("nameless both times", FindingKind::Recreated, [](Sound &s) {
            s.wasHeld("", 0s, 30s, End::Expired);
            s.wasHeld("", 31s, 35s, End::Released);
        });

        const auto heldThrice = [](Sound &s) {
            s.renewedEvery(10s);
            for (int i = 0; i < 3; ++i)
                s.wasHeld("a", i * 100s, i * 100s + 60s, End::Released);
        };
        found("renewed for an hour, held a minute before", FindingKind::OrphanRenewal, Severity::Warning,
              [heldThrice](Sound &s) {
                  heldThrice(s);
                  s.heldFor = 1h;
              });
        missed("renewed for two minutes", FindingKind::OrphanRenewal, [heldThrice](Sound &s) {
            heldThrice(s);
            s.heldFor = 2min;
        });
        missed("renewed for an hour, never seen before", FindingKind::OrphanRenewal, [](Sound &s) {
            s.renewedEvery(10s);
            s.heldFor = 1h;
        });
        const auto heldOften = [](Sound &s, milliseconds each, End end) {
            for (int i = 0; i < 12; ++i)
                s.wasHeld("a", i * 60s, i * 60s + each, end);
        };
        found("27 s of 30", FindingKind::LeaseTooShort, Severity::Warning,
              [heldOften](Sound &s) { heldOften(s, 27s, End::Released); });
        missed("20 s of 30", FindingKind::LeaseTooShort, [heldOften](Sound &s) { heldOften(s, 20s, End::Released); });
        missed("27 s of 30, nine times", FindingKind::LeaseTooShort, [heldOften](Sound &s) {
            heldOften(s, 27s, End::Released);
            s.past.resize(9);
        });
        missed("27 s of 30, renewed", FindingKind::LeaseTooShort, [heldOften](Sound &s) {
            heldOften(s, 27s, End::Released);
            for (PastHold &hold : s.past)
                hold.renewals = 1;
        });
        found("its client has left", FindingKind::HolderGone, Severity::Warning, [](Sound &s) {
            s.holderClient = "10.0.0.7:4711";
            s.isHolderConnected = false;
        });
        missed("its client is there", FindingKind::HolderGone, [](Sound &s) {
            s.holderClient = "10.0.0.7:4711";
            s.isHolderConnected = true;
        });
        missed("its client is unknown", FindingKind::HolderGone, [](Sound &s) { s.isHolderConnected = false; });
        missed("CLIENT LIST is forbidden", FindingKind::HolderGone, [](Sound &s) { s.holderClient = "worker-7"; });
    }

    static void addServerRows()
    {
        const auto evicts = [](Sound &s, const char *policy) {
            s.server.evictionPolicy = policy;
            s.server.memoryLimit = 1'000'000;
        };
        found("allkeys-lru", FindingKind::MayBeEvicted, Severity::Warning,
              [evicts](Sound &s) { evicts(s, "allkeys-lru"); });
        found("volatile-ttl, and it has happened", FindingKind::MayBeEvicted, Severity::Error, [evicts](Sound &s) {
            evicts(s, "volatile-ttl");
            s.server.evictedKeys = 5;
        });
        missed("volatile-ttl, without an expiry", FindingKind::MayBeEvicted, [evicts](Sound &s) {
            evicts(s, "volatile-ttl");
            s.sample.left.reset();
        });
        missed("noeviction", FindingKind::MayBeEvicted, [evicts](Sound &s) { evicts(s, "noeviction"); });
        missed("allkeys-lru without a limit", FindingKind::MayBeEvicted, [evicts](Sound &s) {
            evicts(s, "allkeys-lru");
            s.server.memoryLimit = 0;
        });
        found("a replica that need not confirm", FindingKind::LostByFailover, Severity::Warning, [](Sound &s) {
            s.server.replicas = 1;
            s.server.replicasToWrite = 0;
        });
        missed("a replica that has to", FindingKind::LostByFailover, [](Sound &s) {
            s.server.replicas = 1;
            s.server.replicasToWrite = 1;
        });
        missed("CONFIG is forbidden", FindingKind::LostByFailover, [](Sound &s) { s.server.replicas = 1; });
        missed("no replica", FindingKind::LostByFailover, [](Sound &s) { s.server.replicasToWrite = 0; });
        found("a replica's view", FindingKind::ReadFromReplica, Severity::Info,
              [](Sound &s) { s.server.isReplica = true; });
        missed("the primary's", FindingKind::ReadFromReplica, [](Sound &s) { s.server.isReplica = false; });
        const auto forgets = [](Sound &s) {
            s.server.keepsLog = false;
            s.server.takesSnapshots = false;
        };
        found("an hour's lease, kept nowhere", FindingKind::LostByRestart, Severity::Warning, [forgets](Sound &s) {
            forgets(s);
            s.sample.left = 1h;
        });
        missed("a short lease, kept nowhere", FindingKind::LostByRestart, forgets);
        missed("an hour's lease in snapshots", FindingKind::LostByRestart, [forgets](Sound &s) {
            forgets(s);
            s.server.takesSnapshots = true;
            s.sample.left = 1h;
        });
        missed("the persistence is not known", FindingKind::LostByRestart, [](Sound &s) { s.sample.left = 1h; });
        missed("the server was not asked yet", FindingKind::NotChecked, [](Sound &) {});
        missed("INFO tells all", FindingKind::NotChecked, [](Sound &s) { s.server = reportedServer(); });
        missed("no replica, and CONFIG is forbidden", FindingKind::NotChecked, [](Sound &s) {
            s.server = reportedServer();
            s.server.replicasToWrite.reset();
            s.server.takesSnapshots.reset();
        });
    }

    /// Returns the facts of a server without problems.
    static ServerProperties reportedServer()
    {
        ServerProperties properties;
        properties.wasAsked = true;
        properties.evictionPolicy = "noeviction";
        properties.memoryLimit = 1'000'000;
        properties.replicas = 0;
        properties.replicasToWrite = 0;
        properties.isReplica = false;
        properties.keepsLog = true;
        properties.takesSnapshots = true;
        return properties;
    }

private Q_SLOTS:
    /// Each property that the server does not report, with the finding kinds that depend on it.
    void unreportedProperty_leavesItsKindsUnchecked_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("titles");
        const auto row = [](const char *name, const char *titles, const Change &change) {
            QTest::newRow(name) << change << QString::fromLatin1(titles);
        };
        row("all", "may be evicted, may be lost by a failover, read from a replica", [](Sound &s) {
            s.server = {};
            s.server.wasAsked = true;
        });
        row("memory limit", "may be evicted", [](Sound &s) { s.server.memoryLimit.reset(); });
        row("policy", "may be evicted", [](Sound &s) { s.server.evictionPolicy.clear(); });
        row("replicas", "may be lost by a failover", [](Sound &s) { s.server.replicas.reset(); });
        row("replicas to write", "may be lost by a failover", [](Sound &s) {
            s.server.replicas = 1;
            s.server.replicasToWrite.reset();
        });
        row("role", "read from a replica", [](Sound &s) { s.server.isReplica.reset(); });
        row("log", "lost by a restart", [](Sound &s) {
            s.sample.left = 1h;
            s.server.keepsLog.reset();
        });
        row("snapshots", "lost by a restart", [](Sound &s) {
            s.sample.left = 1h;
            s.server.keepsLog = false;
            s.server.takesSnapshots.reset();
        });
    }
    void unreportedProperty_leavesItsKindsUnchecked()
    {
        QFETCH(const Change, change);
        QFETCH(const QString, titles);
        Sound sound;
        sound.server = reportedServer();
        change(sound);
        const std::vector<Finding> findings = sound.judge();
        QCOMPARE(findings.size(), 1U);
        QCOMPARE(findings.front().kind, FindingKind::NotChecked);
        QCOMPARE(FindingTexts::evidence(findings.front(), {}),
                 QStringLiteral("the server does not say in INFO or CONFIG GET what these depend on: ") + titles);
    }

    void eachRule_findsItsCaseAndNoOther_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("severity");
        QTest::addColumn<Change>("change");
        addKeyRows();
        addHabitRows();
        addServerRows();
    }
    void eachRule_findsItsCaseAndNoOther()
    {
        QFETCH(int, kind);
        QFETCH(int, severity);
        QFETCH(Change, change);
        Sound lock;
        change(lock);
        const std::vector<Finding> all = lock.judge();
        const auto it = std::ranges::find(all, static_cast<FindingKind>(kind), &Finding::kind);
        QCOMPARE(it == all.end() ? -1 : static_cast<int>(it->severity), severity);
        if (it == all.end())
            return;
        for (const QString &text :
             {FindingTexts::title(it->kind), FindingTexts::evidence(*it, QStringLiteral("Library")),
              FindingTexts::meaning(it->kind), FindingTexts::advice(it->kind), kindId(it->kind)}) {
            QVERIFY(!text.isEmpty());
            QVERIFY2(!text.contains(u'%') && !text.endsWith(u'.'), qPrintable(text));
        }
    }

    void aSoundLock_hasNoFindings() { QVERIFY(Sound().judge().empty()); }

    void mostSevereFinding_comesFirst()
    {
        Sound lock;
        lock.has(recognition::Hazard::NoFencing);
        lock.server.isReplica = true;
        lock.sample.left.reset();
        const std::vector<Finding> all = lock.judge();
        QCOMPARE(all.size(), std::size_t(3));
        QCOMPARE(all.front().kind, FindingKind::NoExpiry);
    }

    void ids_areDifferentAndOfWords()
    {
        QSet<QString> ids;
        for (int kind = 0; kind < kindCount; ++kind) {
            ids += kindId(static_cast<FindingKind>(kind));
            QVERIFY(!FindingTexts::title(static_cast<FindingKind>(kind)).isEmpty());
        }
        QCOMPARE(ids.size(), kindCount);
        QCOMPARE(kindId(FindingKind::LostByRestart), QStringLiteral("lost-by-restart"));
        QCOMPARE(kindId(FindingKind::PlainDelete), QStringLiteral("plain-delete"));
        QCOMPARE(severityId(Severity::Warning), QStringLiteral("warning"));
    }

    /// A text from the server can contain anything, including a place such as %2.
    void textsFromTheServer_areNoFormats()
    {
        Finding finding {FindingKind::LeaseTooShort};
        finding.kind = FindingKind::FencingDecreased;
        finding.text = "%2\n";
        finding.number = 8;
        QCOMPARE(FindingTexts::evidence(finding, QStringLiteral("x")),
                 QStringLiteral("it is %2\\x0a, after it had been 8"));
    }

    /// A typical lock, recognised and checked without test data in between.
    void aTextbooksLock_isJudged()
    {
        const recognition::Recogniser recogniser;
        Sound lock;
        lock.sample.value = RawValue {KeyType::String, 1, {"1"}};
        lock.sample.left.reset();
        lock.sample.ttlHistory = {};
        lock.recognition = recogniser.recognise(lock.sample);
        QVERIFY(lock.recognition.isLock());
        lock.dialect = *recogniser.dialects().find(lock.recognition.best().dialect);
        QStringList ids;
        for (const Finding &finding : lock.judge())
            ids += kindId(finding.kind);
        QCOMPARE(ids, (QStringList {QStringLiteral("no-expiry"), QStringLiteral("constant-value")}));
    }
};

LATCHKEY_TEST(TestFindings)

} // namespace tst_findings

#include "tst_findings.moc"
