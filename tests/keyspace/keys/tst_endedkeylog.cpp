#include "core/keyspace/keys/keystore.h"
#include "tests/support/manualclock.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_endedkeylog {

using namespace latchkey;
using base::Deadline;
using base::MonotonicTime;
using keys::EndedKey;
using keys::EndedKeyLog;
using keys::EndSource;
using keys::KeyState;
using keys::KeyStore;
using namespace std::chrono_literals;

/// Tests of the record of the keys that have ended.
class TestEndedKeyLog final : public QObject
{
    Q_OBJECT

    static EndedKey endedAt(std::chrono::milliseconds time)
    {
        return {"k", KeyState::Expired, Deadline::measured(0ms, MonotonicTime(time), MonotonicTime(time)),
                MonotonicTime(time), MonotonicTime(time)};
    }

private Q_SLOTS:
    void store_recordsEveryEnd()
    {
        test::ManualClock clock;
        KeyStore store(clock);
        const MonotonicTime start = clock.now();
        const auto observe = [&](const char *key, std::chrono::milliseconds left) {
            (void)store.observe(key, Deadline::measured(left, clock.now(), clock.now()), clock.now());
        };
        observe("expires", 1s);
        observe("released", 10s);
        (void)store.observe("stays", Deadline::never(), clock.now());
        (void)store.commit();
        clock.advance(990ms);
        observe("expires", 10ms); // Seen shortly before its deadline.
        observe("short", 5ms);    // Ends before any view has shown it.
        clock.advance(22ms);
        store.observeAbsent("expires", clock.now(), EndSource::Reported);
        store.observeAbsent("short", clock.now(), EndSource::Queried);
        store.observeAbsent("released", clock.now(), EndSource::OwnCommand);
        (void)store.commit();

        const EndedKeyLog &ended = store.ended();
        QCOMPARE(ended.total(), quint64(3));
        QHash<QByteArray, EndedKey> found;
        for (quint64 i = ended.first(); i < ended.total(); ++i)
            found.insert(ended.at(i).key, ended.at(i));
        QCOMPARE(found["expires"].state, KeyState::Expired);
        QCOMPARE(found["expires"].source, EndSource::Reported);
        QCOMPARE(found["expires"].lastSeen, start + 990ms);
        QCOMPARE(found["expires"].goneAt, start + 1012ms);
        QCOMPARE(found["expires"].late(), std::optional<std::chrono::nanoseconds>(12ms));
        QCOMPARE(found["short"].late(), std::optional<std::chrono::nanoseconds>(17ms));
        QCOMPARE(found["released"].state, KeyState::Removed);
        QVERIFY(!found["released"].late());
        QCOMPARE(store.since(), start);
    }

    /// A new connection shows only that the key is absent, whatever has caused the request.
    void endBeforeTheConnection_isUnseen()
    {
        test::ManualClock clock;
        KeyStore store(clock);
        for (const char *key : {"before", "read", "own", "flushed"})
            (void)store.observe(key, Deadline::never(), clock.now());
        (void)store.commit();
        const MonotonicTime start = clock.now();
        clock.advance(5s);
        store.setUnseenUntil(clock.now());
        (void)store.observe("read", Deadline::never(), clock.now());
        clock.advance(1s);
        store.observeAbsent("before", clock.now(), EndSource::Reported);
        store.observeAbsent("read", clock.now(), EndSource::Reported);
        store.observeAbsent("own", clock.now(), EndSource::OwnCommand);
        store.observeAbsent("flushed", clock.now(), EndSource::Flushed);
        (void)store.commit();
        const EndedKeyLog &ended = store.ended();
        QCOMPARE(ended.at(0).source, EndSource::Unseen);
        QVERIFY(ended.at(0).lastSeen == start && ended.at(0).goneAt == clock.now());
        QCOMPARE(ended.at(1).source, EndSource::Reported);
        QCOMPARE(ended.at(2).source, EndSource::OwnCommand);
        QCOMPARE(ended.at(3).source, EndSource::Flushed);
        // So it is with all keys at once.
        (void)store.observe("other", Deadline::never(), clock.now());
        (void)store.commit();
        clock.advance(1s);
        store.setUnseenUntil(clock.now());
        store.clear(clock.now());
        QCOMPARE(ended.at(4).source, EndSource::Unseen);
    }

    /// Many keys that a flush removes are one entry.
    void flush_isOneEntry()
    {
        test::ManualClock clock;
        KeyStore store(clock);
        for (int i = 0; i < 1000; ++i)
            (void)store.observe("k" + QByteArray::number(i), Deadline::never(), clock.now());
        (void)store.commit();
        store.clear(clock.now());
        QCOMPARE(store.ended().total(), quint64(1));
        QCOMPARE(store.ended().at(0).count, 1000);
        QCOMPARE(store.ended().at(0).ending(), EndedKey::Ending::Flushed);
        store.clear(); // No key has ended.
        QCOMPARE(store.ended().total(), quint64(1));
    }

    void ending_followsStateAndSource_data()
    {
        using Ending = EndedKey::Ending;
        QTest::addColumn<KeyState>("state");
        QTest::addColumn<EndSource>("source");
        QTest::addColumn<Ending>("ending");
        QTest::newRow("expired") << KeyState::Expired << EndSource::Queried << Ending::Expired;
        QTest::newRow("expired while unseen") << KeyState::Expired << EndSource::Unseen << Ending::Expired;
        QTest::newRow("removed") << KeyState::Removed << EndSource::Reported << Ending::Removed;
        QTest::newRow("removed while unseen") << KeyState::Removed << EndSource::Unseen << Ending::Unknown;
        QTest::newRow("flushed") << KeyState::Removed << EndSource::Flushed << Ending::Flushed;
        QTest::newRow("close to the deadline") << KeyState::Ended << EndSource::Inferred << Ending::ExpiredOrRemoved;
        QTest::newRow("ended while unseen") << KeyState::Ended << EndSource::Unseen << Ending::Unknown;
    }
    void ending_followsStateAndSource()
    {
        QFETCH(const KeyState, state);
        QFETCH(const EndSource, source);
        EndedKey ended = endedAt(1s);
        ended.state = state;
        ended.source = source;
        QTEST(ended.ending(), "ending");
    }

    void record_keepsAnHour()
    {
        EndedKeyLog ended;
        ended.add(endedAt(1s));
        ended.add(endedAt(2s));
        ended.add(endedAt(1s + 1ms + EndedKeyLog::retention));
        QCOMPARE(ended.first(), quint64(1));
        QCOMPARE(ended.total(), quint64(3));
        QVERIFY(!ended.droppedUntil(MonotonicTime(1h))); // Age is no gap.
    }

    /// A thousand keys a second for more than an hour: the memory is bounded, and the gap is known.
    void record_isBounded()
    {
        EndedKeyLog ended;
        const auto many = static_cast<int>(EndedKeyLog::maxKeys) + 10;
        for (int i = 0; i < many; ++i)
            ended.add(endedAt(std::chrono::milliseconds(i)));
        QCOMPARE(ended.total() - ended.first(), quint64(EndedKeyLog::maxKeys));
        QCOMPARE(ended.droppedUntil(MonotonicTime(1min)), std::optional(MonotonicTime(9ms)));
        QVERIFY(!ended.droppedUntil(MonotonicTime(2h)));
    }
};

LATCHKEY_TEST(TestEndedKeyLog)

} // namespace tst_endedkeylog

#include "tst_endedkeylog.moc"
