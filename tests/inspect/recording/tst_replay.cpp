#include "core/inspect/inspection/serverregistry.h"
#include "core/inspect/recording/recorder.h"
#include "core/inspect/recording/replaycache.h"
#include "tests/support/await.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace tst_replay {

using namespace latchkey;
using namespace latchkey::recording;
using base::SystemClock;
using base::SystemRandom;
using events::Ending;
using history::Hold;
using inspection::InspectedServer;
using watching::Watcher;
using namespace std::chrono_literals;

/// Events on a real server, recorded and replayed without the server: the results are the same.
class TestReplay final : public QObject
{
    Q_OBJECT

    const QByteArray token = QByteArrayLiteral("f442172cd0841b68177e827d1a6528b1");
    const QByteArray other = QByteArrayLiteral("9891ac7c19c1ec9e54f0c08c8074917c");

    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<inspection::ServerRegistry> registry;
    std::shared_ptr<InspectedServer> live;
    std::unique_ptr<QTemporaryDir> folder;
    std::unique_ptr<Recorder> recorder;
    ReplayClock clock;

    QString path() const { return folder->filePath(QStringLiteral("a.latchkey-recording")); }
    QByteArray file() const
    {
        QFile recorded(path());
        return recorded.open(QIODevice::ReadOnly) ? recorded.readAll() : QByteArray();
    }
    void watch()
    {
        live = registry->open(server->endpoint(), false);
        live->start();
        LATCHKEY_AWAIT(live->watcher().phase() == Watcher::Phase::Watching && live->watcher().hasChangeEvents()
                       && live->locks().isIdle()
                       && live->keyEventTracker().eventCoverage(0).depth != events::EventCoverage::Depth::None);
    }
    void record(bool hasValues = true)
    {
        auto writer = RecordingWriter::create(path(), true);
        LATCHKEY_VERIFY_RESULT(writer);
        recorder = std::make_unique<Recorder>(*live, std::move(*writer),
                                              Recorder::Options {hasValues, {}, {}, Recorder::defaultMaxBytes, {}},
                                              SystemRandom::instance());
    }
    std::unique_ptr<Replay> replay()
    {
        auto opened = Replay::open(path(), clock, SystemRandom::instance());
        return opened ? std::move(*opened) : nullptr;
    }
    static const std::deque<Hold> &holds(InspectedServer &of, const QByteArray &key)
    {
        return of.holds().history().holds({key, 0});
    }
    /// Returns the parts of a hold that can be compared with another clock.
    static QString said(const Hold &hold, base::MonotonicTime zero)
    {
        const auto at = [zero](base::MonotonicTime time) { return QString::number((time - zero).count()); };
        return QStringList {QString::fromLatin1(hold.holder.value_or("-")),
                            QString::number(int(hold.start)),
                            at(hold.from.earliest),
                            at(hold.from.latest),
                            hold.until ? at(hold.until->earliest) + u' ' + at(hold.until->latest) : QString(),
                            QString::number(hold.extensionCount),
                            QString::number(int(hold.ending)),
                            QString::number(hold.late.value_or(-1ns).count()),
                            QString::number(hold.ownChanges.size()),
                            QString::number(hold.overlaps)}
            .join(u'|');
    }
    static QStringList said(InspectedServer &of, const QByteArray &key, base::MonotonicTime zero)
    {
        QStringList all;
        for (const Hold &hold : holds(of, key))
            all += said(hold, zero);
        return all;
    }
    static std::optional<keys::KeyAnalysis> analysis(InspectedServer &of, const QByteArray &key)
    {
        const auto id = of.store().known().table.find(key);
        return id ? std::optional(of.store().known().analysis.value(*id)) : std::nullopt;
    }
    bool isOver(const QByteArray &key, std::size_t count)
    {
        const auto &all = holds(*live, key);
        return all.size() == count && all.back().isOver();
    }
    bool isHeld(const QByteArray &key, std::size_t count)
    {
        const auto &all = holds(*live, key);
        return all.size() == count && !all.back().isOver() && all.back().holder;
    }
    void work()
    {
        // A hold that is released.
        QVERIFY((*server)({"SET", "lock:a", token, "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(isHeld("lock:a", 1));
        QVERIFY((*server)({"PEXPIRE", "lock:a", "90000"}).isInteger(1));
        LATCHKEY_AWAIT(holds(*live, "lock:a").back().extensionCount == 1);
        QVERIFY((*server)({"DEL", "lock:a"}).isInteger(1));
        LATCHKEY_AWAIT(isOver("lock:a", 1));
        // A hold that expires.
        QVERIFY((*server)({"SET", "lock:b", other, "PX", "1500"}).isOk());
        LATCHKEY_AWAIT(isOver("lock:b", 1));
        // A hold that another holder takes over.
        QVERIFY((*server)({"SET", "lock:c", token, "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(isHeld("lock:c", 1));
        QVERIFY((*server)({"SET", "lock:c", other, "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(isHeld("lock:c", 2));
        LATCHKEY_AWAIT(analysis(*live, "lock:c") && analysis(*live, "lock:c")->holder == other);
    }

    /// Returns a recording of minutes on a busy server: some locks are released, some expire, some are taken over, and
    /// once all are flushed.
    QByteArray minutes(int changes) const
    {
        const base::MonotonicTime began {50s};
        Encoder encoder(began);
        QByteArray all = Encoder::heading({{}, QStringLiteral("redis://db.example:6379"), {}, true});
        base::MonotonicTime now = began;
        const auto line = [&](auto what) { all += encoder.line({now, std::move(what)}); };
        WatchState watched;
        watched.phase = Watcher::Phase::Watching;
        watched.mechanism = watching::EventSource::Mechanism::Notifications;
        watched.hasChangeEvents = true;
        line(watched);
        line(events::EventCoverage {events::EventCoverage::Depth::Events, true, now});
        for (int i = 0; i < changes; ++i) {
            now += 250ms;
            const QByteArray key = "lock:" + QByteArray::number(i * 7 % 20);
            const auto tell = [&](const char *event, events::Observations seen) {
                seen.insert(seen.begin(),
                            {key, events::ChangeNotification {event}, now, now, events::Source::Notification});
                line(std::move(seen));
            };
            const auto seen = [&](events::ObservationContent content) {
                return events::Observation {key, std::move(content), now, now, events::Source::NotifiedRead};
            };
            if (i % 400 == 399) {
                line(FlushReceived {now});
                line(EmptyDatabase {now, now});
            } else if (i % 3 == 2) {
                tell(i % 2 == 0 ? "del" : "expired", {seen(events::Gone {})});
            } else {
                const QByteArray &holder = i % 5 < 3 ? token : other;
                tell("set", {seen(events::Exists {base::Deadline(now + 10s, 1ms), i % 2 == 0}),
                             seen(events::TypeReply {keys::KeyType::String}),
                             seen(events::ValueReply {{keys::KeyType::String, holder.size(), {holder}}})});
            }
            line(ReceivedUpTo {now});
            line(DisplayMark {});
        }
        line(EndMarker {});
        return all;
    }
    void writeFile(const QByteArray &contents) const
    {
        QFile written(path());
        if (!written.open(QIODevice::WriteOnly) || written.write(contents) != contents.size())
            qFatal("%s cannot be written", qPrintable(path()));
    }
    /// Returns the complete result: keys, their recognition as locks, and their history.
    static QStringList pictureOf(InspectedServer &server)
    {
        QStringList picture;
        const keys::KnownKeys &known = server.store().known();
        for (quint32 id = 0; id < known.table.idLimit(); ++id) {
            if (!known.isLive(keys::KeyId {id}))
                continue;
            const keys::KeyRecord record = known.table.at(keys::KeyId {id});
            const keys::KeyAnalysis found = known.analysis.value(keys::KeyId {id});
            QStringList wrong;
            for (const findings::Finding &each : server.evaluator().findingsOf(record.key.bytes()))
                wrong += QString::number(int(each.kind));
            picture += QStringList {QString::fromUtf8(record.key.bytes()),
                                    QString::number(record.deadline.at().time_since_epoch().count()),
                                    QString::fromUtf8(found.holder), QString::number(found.findings), wrong.join(u',')}
                           .join(u'|');
        }
        for (const history::History::LockId &lockId : server.holds().history().lockIds())
            picture += QString::fromUtf8(lockId.key) + u' ' + said(server, lockId.key, ReplayClock::zero).join(u' ');
        picture.sort();
        picture += QString::number(server.locks().lockCount()) + u' ' + QString::number(server.locks().findingCount());
        return picture;
    }

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<test::TestServer>();
        registry = std::make_unique<inspection::ServerRegistry>(SystemClock::instance(), SystemRandom::instance());
        folder = std::make_unique<QTemporaryDir>();
    }
    void cleanup()
    {
        recorder.reset();
        live.reset();
        registry.reset();
        server.reset();
    }

    /// The deadlines of the slices are by the real clock, and the event loop runs in between.
    void replayInSlices_tellsTheSame()
    {
        watch();
        record();
        work();
        if (QTest::currentTestFailed())
            return;
        recorder.reset();
        live.reset();
        server->kill();
        const auto allSaid = [](InspectedServer &of) {
            QStringList all;
            for (const char *key : {"lock:a", "lock:b", "lock:c"})
                all += said(of, key, ReplayClock::zero);
            return all;
        };
        auto replayed = replay();
        (void)replayed->advance(replayed->length(), QDeadlineTimer::Forever, false);
        const QStringList whole = allSaid(replayed->server());
        replayed = replay();
        while (const auto next = replayed->next()) {
            (void)replayed->advance(*next, QDeadlineTimer::Forever, false);
            QCoreApplication::processEvents();
        }
        QVERIFY(!whole.isEmpty());
        QCOMPARE(allSaid(replayed->server()), whole);
    }

    void sameComesOfItWithoutTheServer()
    {
        live = registry->open(server->endpoint(), false);
        record(); // Started before the connection.
        live->start();
        LATCHKEY_AWAIT(live->watcher().phase() == Watcher::Phase::Watching && live->watcher().hasChangeEvents());
        work();
        if (QTest::currentTestFailed())
            return;
        const auto began = SystemClock::instance().now() - recorder->duration();
        recorder.reset();
        QHash<QByteArray, QStringList> was;
        for (const char *key : {"lock:a", "lock:b", "lock:c"})
            was[key] = said(*live, key, began);
        const auto lockFacts = analysis(*live, "lock:c");
        live.reset();
        server->kill();

        const auto replayed = replay();
        QVERIFY(replayed);
        QVERIFY(replayed->advance(replayed->length() / 2) && !replayed->isAtEnd());
        QVERIFY(replayed->advance(replayed->length()) && replayed->isAtEnd());
        QVERIFY(!replayed->problem());
        InspectedServer &shown = replayed->server();
        // The times of the two clocks differ by the time between two readings of one of them.
        for (const char *key : {"lock:a", "lock:b", "lock:c"}) {
            QCOMPARE(holds(shown, key).size(), static_cast<std::size_t>(was[key].size()));
            const QStringList is = said(shown, key, ReplayClock::zero);
            for (qsizetype i = 0; i < is.size(); ++i) {
                const QStringList a = was[key][i].split(u'|');
                const QStringList b = is[i].split(u'|');
                QCOMPARE(b[0], a[0]);
                QCOMPARE(b[1], a[1]);
                QCOMPARE(b.mid(5), a.mid(5));
            }
        }
        QCOMPARE(holds(shown, "lock:a").front().ending, Ending::Removed);
        QVERIFY(analysis(shown, "lock:c") == lockFacts);
        QVERIFY(shown.isRecording() && !shown.isArmed());
        shown.setArmed(true);
        QVERIFY(!shown.isArmed());
        QString refusal;
        shown.takeSnapshot(base::Key("lock:c"), [&](const base::Result<watching::KeySnapshot> &read) {
            refusal = read ? QString() : read.error().message();
        });
        QCOMPARE(refusal, QStringLiteral("a recording holds no more than what was read"));
    }

    void knownKeys_areShownAndNotReportedAsNew()
    {
        QVERIFY((*server)({"SET", "lock:old", token, "PX", "60000"}).isOk());
        QVERIFY(!(*server)({"HSET", "cart", "item", "book"}).isError());
        watch();
        LATCHKEY_AWAIT(analysis(*live, "lock:old") && !analysis(*live, "lock:old")->kind.isEmpty());
        record();
        QVERIFY((*server)({"SET", "lock:new", other, "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(isHeld("lock:new", 1));
        LATCHKEY_AWAIT(file().contains("\"shown\"")); // The previously known keys were written.
        QVERIFY((*server)({"DEL", "lock:new"}).isInteger(1));
        LATCHKEY_AWAIT(isOver("lock:new", 1));
        const auto before = analysis(*live, "lock:old");
        recorder.reset();
        const auto replayed = replay();
        QVERIFY(replayed);
        (void)replayed->advance(replayed->length());
        InspectedServer &shown = replayed->server();
        QCOMPARE(shown.store().liveCount(), 2);
        QVERIFY(analysis(shown, "lock:old") == before);
        QCOMPARE(holds(shown, "lock:old").front().start, Hold::Start::Unseen);
        QCOMPARE(holds(shown, "lock:new").back().ending, Ending::Removed);
        QVERIFY(replayed->watched().mechanism != watching::EventSource::Mechanism::None);
    }

    void omittedValues_areNotInTheFile()
    {
        QVERIFY((*server)({"SET", "lock:old", token, "PX", "60000"}).isOk());
        QVERIFY(!(*server)({"HSET", "cart", "secret-field", "secret-value"}).isError());
        QVERIFY((*server)({"CLIENT", "SETNAME", "secret-client"}).isOk());
        watch();
        LATCHKEY_AWAIT(analysis(*live, "lock:old") && !analysis(*live, "lock:old")->kind.isEmpty());
        record(false);
        work();
        if (QTest::currentTestFailed())
            return;
        const auto before = analysis(*live, "lock:c");
        recorder.reset();
        const QByteArray written = file();
        for (const QByteArray &secret : {token, other, QByteArrayLiteral("secret-field"),
                                         QByteArrayLiteral("secret-value"), QByteArrayLiteral("secret-client")}) {
            QVERIFY2(!written.contains(secret), secret.constData());
            QVERIFY2(!written.contains(secret.toBase64()), secret.constData());
        }
        QVERIFY(written.contains("lock:a")); // The keys remain.

        const auto replayed = replay();
        QVERIFY(replayed && !replayed->heading().hasValues);
        (void)replayed->advance(replayed->length());
        InspectedServer &shown = replayed->server();
        QCOMPARE(holds(shown, "lock:a").size(), 1U);
        QCOMPARE(holds(shown, "lock:a").front().ending, Ending::Removed);
        QCOMPARE(holds(shown, "lock:b").front().ending, holds(*live, "lock:b").front().ending);
        QCOMPARE(holds(shown, "lock:c").size(), 2U); // The change of the holder is known nevertheless.
        // The same holder has the same digest everywhere.
        QCOMPARE(holds(shown, "lock:a").front().holder, holds(shown, "lock:c").front().holder);
        QCOMPARE(holds(shown, "lock:b").front().holder, holds(shown, "lock:c").back().holder);
        QVERIFY(holds(shown, "lock:a").front().holder != holds(shown, "lock:b").front().holder);
        const auto after = analysis(shown, "lock:c");
        QVERIFY(after && before);
        QCOMPARE(after->kind, before->kind);
        QCOMPARE(after->count, before->count);
        QVERIFY(after->holder.startsWith('#'));
    }

    /// The counter-check: the test above would notice an unmasked value.
    void valuesThatAreKept_areInTheFile()
    {
        watch();
        record(true);
        QVERIFY((*server)({"SET", "lock:a", token, "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(isHeld("lock:a", 1));
        recorder.reset();
        QVERIFY(file().contains(token));
    }

    /// A replay shows data at other moments than the recorded session did. Here it is between the value, which shows a
    /// lock, and the notification that all earlier events have arrived. The notification gives the start of the hold.
    void lockRecognisedBeforeItsStartIsReported_isHeldOnce()
    {
        const base::MonotonicTime began {50s};
        Encoder encoder(began);
        QByteArray all = Encoder::heading({{}, QStringLiteral("redis://db.example:6379"), {}, true});
        const auto line = [&](std::chrono::milliseconds at, auto what) {
            all += encoder.line({began + at, std::move(what)});
        };
        WatchState watched;
        watched.phase = Watcher::Phase::Watching;
        watched.mechanism = watching::EventSource::Mechanism::Notifications;
        watched.hasChangeEvents = true;
        line(0ms, watched);
        line(1ms, events::EventCoverage {events::EventCoverage::Depth::Events, true, began});
        line(2ms, DisplayMark {});
        const auto seen = [&](std::chrono::milliseconds at, events::ObservationContent content, events::Source source) {
            return events::Observation {"lock:a", std::move(content), began + at, began + at, source};
        };
        line(1000ms, events::Observations {seen(1000ms, events::Exists {base::Deadline(began + 60s, 1ms)},
                                                events::Source::NotifiedRead)});
        line(1001ms, DisplayMark {});
        line(1010ms,
             events::Observations {seen(1010ms, events::TypeReply {keys::KeyType::String}, events::Source::Read),
                                   seen(1010ms, events::ValueReply {{keys::KeyType::String, token.size(), {token}}},
                                        events::Source::Read)});
        line(1030ms, ReceivedUpTo {began + 1030ms});
        line(1031ms, DisplayMark {});
        line(1100ms, EndMarker {});
        writeFile(all);
        const auto replayed = replay();
        QVERIFY(replayed);
        (void)replayed->advance(1020ms);
        QCOMPARE(holds(replayed->server(), "lock:a").size(), 1U);
        (void)replayed->advance(replayed->length());
        QCOMPARE(holds(replayed->server(), "lock:a").size(), 1U);
        QCOMPARE(holds(replayed->server(), "lock:a").front().start, Hold::Start::Acquired);
        QVERIFY(!holds(replayed->server(), "lock:a").front().isOver());
    }

    /// The history of a recording has the same gaps as that of the live server, whatever hid the server.
    void intervalThatWasNotSeen_isAGapOfTheHistory_data()
    {
        QTest::addColumn<bool>("isRefused");
        QTest::newRow("silence") << false;
        QTest::newRow("refusal") << true;
    }
    void intervalThatWasNotSeen_isAGapOfTheHistory()
    {
        QFETCH(bool, isRefused);
        watch();
        record();
        QVERIFY((*server)({"SET", "lock:a", token, "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(isHeld("lock:a", 1));
        const auto isObserving = [this] { return live->watcher().coverage().isObserving(); };
        if (isRefused)
            QVERIFY((*server)({"ACL", "SETUSER", "default", "-pttl"}).isOk());
        else
            server->process().suspend();
        LATCHKEY_AWAIT(!isObserving());
        if (isRefused)
            QVERIFY((*server)({"ACL", "SETUSER", "default", "+pttl"}).isOk());
        else
            server->process().resume();
        LATCHKEY_AWAIT(isObserving());
        recorder.reset();
        const auto replayed = replay();
        QVERIFY(replayed && replayed->heading().hasCoverage);
        (void)replayed->advance(replayed->length());
        const auto lengths = [](InspectedServer &of) {
            std::vector<std::chrono::nanoseconds> all;
            for (const history::History::Gap &gap : of.holds().history().gaps())
                all.push_back(gap.to.value_or(base::MonotonicTime::max()) - gap.from);
            return all;
        };
        QVERIFY(!lengths(*live).empty());
        QVERIFY(lengths(replayed->server()) == lengths(*live));
        events::Coverage::Parts is = replayed->server().watcher().coverage().parts();
        events::Coverage::Parts was = live->watcher().coverage().parts();
        QCOMPARE(is.gaps.size(), was.gaps.size());
        QVERIFY(is.denied == was.denied);
        QCOMPARE(is.isScanComplete, was.isScanComplete);
    }

    void keptBackAndForth_comesToTheSame()
    {
        watch();
        record();
        work();
        if (QTest::currentTestFailed())
            return;
        recorder.reset();
        const auto atOnce = replay();
        (void)atOnce->advance(atOnce->length());
        const QStringList whole = said(atOnce->server(), "lock:c", ReplayClock::zero);
        ReplayClock another;
        auto steps = Replay::open(path(), another, SystemRandom::instance());
        LATCHKEY_VERIFY_RESULT(steps);
        const auto length = (*steps)->length();
        for (int step = 1; step <= 100; ++step)
            (void)(*steps)->advance(length * step / 100);
        QCOMPARE(said((*steps)->server(), "lock:c", ReplayClock::zero), whole);
        QVERIFY(!whole.isEmpty());
    }

    void anyMoment_isAsAReplayFromTheStartHasIt()
    {
        writeFile(minutes(1200));
        auto replayCache = ReplayCache::open(path(), SystemRandom::instance());
        LATCHKEY_VERIFY_RESULT(replayCache);
        QCOMPARE((*replayCache)->shown().position(), 0ns);
        while ((*replayCache)->prepare(QDeadlineTimer(50))) {}
        QCOMPARE((*replayCache)->keptCount(), ReplayCache::maxReplays);
        const auto length = (*replayCache)->shown().length();
        QCOMPARE(length, 300s);
        for (const int part : {7, 3, 20, 11, 10, 0, 19, 4, 5, 20, 1}) {
            const auto moment = length * part / 20;
            LATCHKEY_VERIFY_RESULT((*replayCache)->moveTo(moment));
            Replay &shown = (*replayCache)->shown();
            QVERIFY(shown.position() <= moment);
            // A kept replay is near until the one on the way has been moved on.
            QVERIFY(part != 7 || moment - shown.position() <= length / static_cast<int>(ReplayCache::maxReplays + 1));
            QVERIFY(shown.advance(moment));
            QCOMPARE((*replayCache)->clock().now(), ReplayClock::zero + moment);
            ReplayClock another;
            const auto straight = Replay::open(path(), another, SystemRandom::instance());
            LATCHKEY_VERIFY_RESULT(straight);
            QVERIFY((*straight)->advance(moment));
            QCOMPARE(pictureOf(shown.server()), pictureOf((*straight)->server()));
            QCOMPARE(pictureOf(shown.server()).size() > 20, part > 0);
        }
        QVERIFY((*replayCache)->keptCount() <= ReplayCache::maxReplays);
    }

    /// Eleven replays of a server with a million keys would not fit into memory.
    void serverOfManyKeys_hasFewerKept()
    {
        constexpr qsizetype room = 4;
        const base::MonotonicTime began {50s};
        Encoder encoder(began);
        events::Observations met;
        for (qsizetype i = 0; i < ReplayCache::maxKeptKeys / room; ++i)
            met.push_back({"key:" + QByteArray::number(i), events::Exists {base::Deadline::never()}, began, began});
        QByteArray all = Encoder::heading({}) + encoder.line({began + 1ms, std::move(met)});
        for (int second = 1; second <= 60; ++second)
            all += encoder.line({began + std::chrono::seconds(second), DisplayMark {}});
        writeFile(all + encoder.line({began + 60s, EndMarker {}}));
        auto replayCache = ReplayCache::open(path(), SystemRandom::instance());
        LATCHKEY_VERIFY_RESULT(replayCache);
        while ((*replayCache)->prepare(QDeadlineTimer(50))) {}
        QCOMPARE((*replayCache)->keptCount(), std::size_t(room));
        LATCHKEY_VERIFY_RESULT((*replayCache)->moveTo(59s));
        QVERIFY((*replayCache)->shown().position() >= 40s);
        LATCHKEY_VERIFY_RESULT((*replayCache)->moveTo(10s));
        QCOMPARE((*replayCache)->keptCount(), std::size_t(room));
    }

    /// The large replay is removed to make room, and is not advanced there again and again.
    void keysThatComeAndGo_areKeptOnce()
    {
        const base::MonotonicTime began {50s};
        Encoder encoder(began);
        const auto all = [&](const auto &what, std::chrono::seconds at) {
            events::Observations seen;
            for (int i = 0; i < 100'000; ++i)
                seen.push_back({"key:" + QByteArray::number(i), what, began + at, began + at});
            return encoder.line({began + at, std::move(seen)});
        };
        QByteArray bytes = Encoder::heading({});
        for (int second = 1; second <= 80; ++second) {
            if (second == 30)
                bytes += all(events::Exists {base::Deadline::never()}, 30s);
            if (second == 50)
                bytes += all(events::Gone {}, 50s);
            bytes += encoder.line({began + std::chrono::seconds(second), DisplayMark {}});
        }
        writeFile(bytes + encoder.line({began + 80s, EndMarker {}}));
        auto replayCache = ReplayCache::open(path(), SystemRandom::instance());
        LATCHKEY_VERIFY_RESULT(replayCache);
        int rounds = 0;
        while ((*replayCache)->prepare(QDeadlineTimer(500)) && rounds < 100)
            ++rounds;
        QVERIFY2(rounds < 100, "it prepares without end");
        QVERIFY((*replayCache)->keptCount() >= 1);
    }

    void cutOffInTheMiddle_isShownUpToThere()
    {
        const QByteArray whole = minutes(400);
        const qsizetype cut = whole.indexOf('\n', whole.size() / 2) - 3;
        writeFile(whole.first(cut) + "\n" + whole.sliced(cut + 1)); // Damaged there, with the same apparent length.
        auto replayCache = ReplayCache::open(path(), SystemRandom::instance());
        LATCHKEY_VERIFY_RESULT(replayCache);
        while ((*replayCache)->prepare(QDeadlineTimer(50))) {}
        LATCHKEY_VERIFY_RESULT((*replayCache)->moveTo(90s));
        QVERIFY((*replayCache)->shown().advance(90s));
        QVERIFY((*replayCache)->shown().isAtEnd() && (*replayCache)->shown().problem());
        QVERIFY((*replayCache)->shown().length() < 60s && (*replayCache)->shown().length() > 40s);
        writeFile(whole.first(cut));
        ReplayClock another;
        const auto straight = Replay::open(path(), another, SystemRandom::instance());
        LATCHKEY_VERIFY_RESULT(straight);
        QVERIFY((*straight)->advance(90s));
        QCOMPARE(pictureOf((*replayCache)->shown().server()), pictureOf((*straight)->server()));
        LATCHKEY_VERIFY_RESULT((*replayCache)->moveTo(20s)); // Moving back still works.
        QVERIFY((*replayCache)->shown().advance(20s) && !(*replayCache)->shown().isAtEnd());
    }

    void recordedReplies_areDeliveredWithoutAnEventLoop()
    {
        const base::MonotonicTime began {50s};
        Encoder encoder(began);
        net::Connection::Delivery delivery;
        delivery.replies = {resp::Reply::bulk("role:master")};
        QByteArray all = Encoder::heading({});
        all += encoder.line({began + 1s, ReplyEntry {{{"INFO"}}, delivery}});
        all += encoder.line({began + 2s, DisplayMark {}}) + encoder.line({began + 3s, EndMarker {}});
        writeFile(all);
        const auto replayed = replay();
        QVERIFY(replayed && replayed->advance(1s));
        QByteArray told;
        replayed->server().watcher().send(
            {{"INFO"}}, this, [&](const net::Connection::Delivery &answer) { told = answer.replies.front().bytes(); });
        QVERIFY(told.isEmpty()); // Not called from within send().
        QVERIFY(replayed->advance(2s));
        QCOMPARE(told, QByteArrayLiteral("role:master"));
    }

    void fileThatIsGone_isReportedAndChangesNothing()
    {
        writeFile(minutes(40));
        auto replayCache = ReplayCache::open(path(), SystemRandom::instance());
        LATCHKEY_VERIFY_RESULT(replayCache);
        QVERIFY((*replayCache)->shown().advance(5s));
        QVERIFY(QFile::remove(path()));
        QVERIFY(!(*replayCache)->prepare(QDeadlineTimer(50)));
        const auto moved = (*replayCache)->moveTo(1s);
        QVERIFY(!moved);
        QVERIFY(moved.error().message().startsWith(path()));
        QCOMPARE((*replayCache)->shown().position(), 5s);
        QVERIFY(!ReplayCache::open(path(), SystemRandom::instance()));
    }

    void lostConnection_isSeenAgain()
    {
        watch();
        record();
        QVERIFY((*server)({"SET", "lock:a", token, "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(isHeld("lock:a", 1));
        server->kill();
        LATCHKEY_AWAIT(live->watcher().phase() == Watcher::Phase::Away);
        recorder.reset();
        const auto replayed = replay();
        (void)replayed->advance(replayed->length());
        QCOMPARE(replayed->server().watcher().phase(), Watcher::Phase::Away);
        QCOMPARE(replayed->server().holds().history().gaps().size(), live->holds().history().gaps().size());
    }

    void flush_isSeenAgain()
    {
        watch();
        record();
        QVERIFY((*server)({"SET", "lock:a", token, "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(isHeld("lock:a", 1));
        QVERIFY((*server)({"FLUSHALL"}).isOk());
        LATCHKEY_AWAIT(isOver("lock:a", 1));
        LATCHKEY_AWAIT(live->store().liveCount() == 0);
        recorder.reset();
        const auto replayed = replay();
        (void)replayed->advance(replayed->length());
        QCOMPARE(holds(*live, "lock:a").front().ending, Ending::Flushed);
        QCOMPARE(holds(replayed->server(), "lock:a").front().ending, Ending::Flushed);
    }
};

LATCHKEY_TEST(TestReplay)

} // namespace tst_replay

#include "tst_replay.moc"
