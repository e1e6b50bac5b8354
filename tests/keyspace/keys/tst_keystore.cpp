#include "core/keyspace/keys/keystore.h"
#include "tests/support/manualclock.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_keystore {

using namespace latchkey;
using namespace latchkey::keys;
using base::Deadline;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// A view that notes the changes that the store reports.
class Spy final : public KeyStoreObserver
{
public:
    explicit Spy(KeyStore &store)
        : m_store(store)
    {
        store.addObserver(*this);
    }
    ~Spy() override { m_store.removeObserver(*this); }
    Q_DISABLE_COPY_MOVE(Spy)

    [[nodiscard]] bool isBusy() const override { return false; }
    void work(QDeadlineTimer) override {}
    void aboutToChange(std::span<const KeyId> ids) override { m_changing.assign(ids.begin(), ids.end()); }
    void changed(std::span<const KeyId> ids) override
    {
        for (const KeyId id : ids)
            added += m_store.known().table.key(id).toByteArray();
        for (const KeyId id : m_changing) {
            if (m_store.known().isLive(id))
                continue;
            const QByteArray key = m_store.known().table.key(id).toByteArray();
            (m_store.isHidden(id) ? hidden : m_store.isEndInferred(id) ? inferred : gone) += key;
        }
    }
    void aboutToClear() override {}

    QByteArrayList added;
    QByteArrayList gone;
    QByteArrayList inferred;
    QByteArrayList hidden;

private:
    KeyStore &m_store; // Not owned.
    std::vector<KeyId> m_changing;
};

RawValue string(const QByteArray &value)
{
    return {KeyType::String, value.size(), {value}};
}

} // namespace

/// Tests of the known keys of a server, and of their changes from commit to commit.
class TestKeyStore final : public QObject
{
    Q_OBJECT

    test::ManualClock clock;
    std::unique_ptr<KeyStore> store;

    void observe(const QByteArray &key, milliseconds left, bool isFromTheStart = false)
    {
        (void)store->observe(key, Deadline(clock.now() + left, 1ms), clock.now(), isFromTheStart);
    }
    [[nodiscard]] KeyId id(const QByteArray &key) const { return store->known().table.find(key).value(); }
    [[nodiscard]] KeyRecord record(const QByteArray &key) const { return store->known().table.at(id(key)); }

private Q_SLOTS:
    void init() { store = std::make_unique<KeyStore>(clock); }

    void keys_areCountedByWhetherTheyEnd()
    {
        observe("ends", 10s);
        (void)store->observe("stays", Deadline::never(), clock.now());
        (void)store->commit();
        QCOMPARE(store->liveCount(), 2);
        QCOMPARE(store->persistentCount(), 1);
        observe("stays", 10s);
        (void)store->commit();
        QCOMPARE(store->liveCount(), 2);
        QCOMPARE(store->persistentCount(), 0);
        store->observeAbsent("ends", clock.now());
        (void)store->commit();
        QCOMPARE(store->liveCount(), 1);
        QVERIFY(!store->known().table.find("ends"));
    }

    /// A key that came and went between two commits was never shown.
    void keyBetweenTwoCommits_isNotReported()
    {
        Spy spy(*store);
        observe("short", 10s);
        observe("long", 10s);
        store->observeAbsent("short", clock.now());
        (void)store->commit();
        QCOMPARE(spy.added, QByteArrayList {"long"});
        QVERIFY(!store->known().table.find("short"));
        observe("short", 10s);
        (void)store->commit();
        QCOMPARE(spy.added, (QByteArrayList {"long", "short"}));
    }

    void keysThatGo_areReportedWithTheirKindOfEnd()
    {
        Spy spy(*store);
        for (const char *key : {"gone", "inferred", "hidden", "back"})
            observe(key, 10s);
        (void)store->commit();
        store->observeAbsent("gone", clock.now());
        store->observeAbsent("inferred", clock.now(), keys::EndSource::Inferred);
        store->observeHidden("hidden", clock.now());
        store->observeAbsent("back", clock.now(), keys::EndSource::Inferred);
        observe("back", 10s);
        (void)store->commit();
        QCOMPARE(spy.gone, QByteArrayList {"gone"});
        QCOMPARE(spy.inferred, QByteArrayList {"inferred"});
        QCOMPARE(spy.hidden, QByteArrayList {"hidden"});
        QVERIFY(store->known().table.find("back"));
        QCOMPARE(store->liveCount(), 1);
    }

    /// A refused key may still exist, so its last state is kept until it is read again or has ended.
    void refusedKey_isRemembered()
    {
        for (const char *key : {"back", "ended", "other"})
            observe(key, 10s);
        (void)store->commit();
        const auto seen = clock.now();
        clock.advance(2s);
        for (const char *key : {"back", "ended", "unknown"})
            store->observeHidden(key, clock.now());
        (void)store->commit();
        const keys::UnreadableKeys &unreadable = store->unreadable();
        QVERIFY(unreadable.find("back") != nullptr && unreadable.find("ended") != nullptr);
        QCOMPARE(*unreadable.find("back"), (keys::UnreadableKey {seen, clock.now(), base::Deadline(seen + 10s, 1ms)}));
        QVERIFY(unreadable.find("other") == nullptr && unreadable.find("unknown") == nullptr);
        observe("back", 5s);
        store->observeAbsent("ended", clock.now()); // As by a notification.
        QVERIFY(unreadable.find("back") == nullptr && unreadable.find("ended") == nullptr);
        store->observeHidden("other", clock.now());
        (void)store->commit();
        QVERIFY(unreadable.find("other") != nullptr);
        store->clear();
        QVERIFY2(unreadable.find("other") != nullptr, "the keys may still exist");
        store->clear(clock.now());
        QVERIFY(unreadable.find("other") == nullptr);
    }

    void existence_isThatOfTheLastObservation()
    {
        QVERIFY(!store->exists("k"));
        observe("k", 10s);
        QVERIFY(store->exists("k"));
        store->observeAbsent("k", clock.now()); // Before the first commit.
        QVERIFY(!store->exists("k"));
        observe("k", 10s);
        observe("another", 10s);
        (void)store->commit();
        QVERIFY(store->exists("k"));
        store->observeAbsent("k", clock.now());
        QVERIFY(!store->exists("k"));
        QVERIFY(store->exists("another"));
        observe("k", 10s);
        store->observeValue("k", {keys::KeyType::String, 1, {"v"}});
        QVERIFY(store->exists("k"));
        store->observeHidden("k", clock.now());
        store->observeAbsent("another", clock.now());
        QVERIFY(!store->exists("k"));
        (void)store->commit();
        QVERIFY(!store->exists("k"));
    }

    /// Confirmed ends are not staged, so that a million confirmations cost the views nothing.
    void confirmedEnd_isNoChange_data()
    {
        QTest::addColumn<int>("moved");
        QTest::addColumn<int>("uncertainty");
        QTest::addColumn<int>("staged");
        QTest::addRow("the same") << 0 << 1000 << 0;
        QTest::addRow("within the measuring error") << 1900 << 1000 << 0;
        QTest::addRow("another") << 2100 << 1000 << 1;
        QTest::addRow("half the error") << 0 << 500 << 0;
        QTest::addRow("less than half the error") << 0 << 499 << 1;
        QTest::addRow("a larger error") << 0 << 9000 << 0;
    }
    void confirmedEnd_isNoChange()
    {
        QFETCH(int, moved);
        QFETCH(int, uncertainty);
        QFETCH(int, staged);
        const auto end = clock.now() + 10s;
        (void)store->observe("k", Deadline(end, 1ms), clock.now());
        (void)store->commit();
        clock.advance(1s);
        const Deadline now(end + std::chrono::microseconds(moved), std::chrono::microseconds(uncertainty));
        (void)store->observe("k", now, clock.now());
        QCOMPARE(int(store->stagedCount()), staged);
        (void)store->commit();
        QCOMPARE(record("k").sampled, clock.now());
        QCOMPARE(record("k").deadline, staged > 0 ? now : Deadline(end, 1ms));
        // The order of the observations counts once a change waits.
        store->observeAbsent("k", clock.now());
        (void)store->observe("k", record("k").deadline, clock.now());
        (void)store->commit();
        QVERIFY(store->known().table.find("k"));
    }

    /// A lease of 8 s is observed again after 4 s, with this time left.
    void spanOfAHold_isItsLongestTimeLeft_data()
    {
        QTest::addColumn<int>("left");
        QTest::addColumn<int>("span");
        QTest::addRow("confirmed") << 4000 << 8000;
        QTest::addRow("renewed") << 8000 << 8000;
        QTest::addRow("renewed for three quarters") << 6000 << 8000;
        QTest::addRow("renewed for longer") << 9000 << 9000;
        QTest::addRow("another hold") << 5900 << 5900;
        QTest::addRow("shortened") << 2000 << 2000;
    }
    void spanOfAHold_isItsLongestTimeLeft()
    {
        QFETCH(int, left);
        QFETCH(int, span);
        observe("k", 8s);
        (void)store->commit();
        clock.advance(4s);
        observe("k", milliseconds(left));
        (void)store->commit();
        QCOMPARE(record("k").span, milliseconds(span));
    }

    /// At most a quarter of the time left may have passed unseen.
    void startOfAHold_isSeenIfLittleTimePassedBefore_data()
    {
        QTest::addColumn<int>("unseen");
        QTest::addColumn<bool>("isSeen");
        QTest::addRow("a quarter") << 2000 << true;
        QTest::addRow("more than a quarter") << 2010 << false;
    }
    void startOfAHold_isSeenIfLittleTimePassedBefore()
    {
        QFETCH(int, unseen);
        observe("unknown", 8s);
        observe("appeared", 8s, true);
        store->setUnseenFor(milliseconds(unseen));
        observe("met", 8s);
        (void)store->commit();
        QVERIFY(!record("unknown").isStartSeen);
        QVERIFY(record("appeared").isStartSeen);
        QTEST(record("met").isStartSeen, "isSeen");
        // The same for a hold that follows a known one.
        clock.advance(milliseconds(unseen));
        observe("unknown", 8s);
        (void)store->commit();
        QTEST(record("unknown").isStartSeen, "isSeen");
    }

    void valueOfAnotherType_isForgotten()
    {
        observe("k", 10s);
        store->observeType("k", KeyType::String); // Before a value is known.
        store->observeValue("k", string("a"));
        (void)store->commit();
        QCOMPARE(store->known().value(id("k"))->bytes(), QByteArray("a"));
        observe("k", 20s);
        store->observeType("k", KeyType::String); // Stays known.
        (void)store->commit();
        QVERIFY(store->known().value(id("k")));
        store->observeType("k", KeyType::Hash);
        (void)store->commit();
        QCOMPARE(record("k").type, KeyType::Hash);
        QVERIFY(!store->known().value(id("k")));
    }

    /// A field's end belongs to a hash; it counts for whether the key ends.
    void endsOfFields_areForgottenWithTheHash()
    {
        (void)store->observe("k", Deadline::never(), clock.now());
        FieldDeadlines ends;
        ends.first = {{"f", Deadline(clock.now() + 5s, 1ms)}};
        ends.endingCount = ends.readCount = ends.size = 1;
        ends.isWhole = true;
        ends.last = ends.first.front().deadline;
        store->observeType("k", KeyType::Hash);
        store->observeFieldEnds("k", ends);
        (void)store->commit();
        QCOMPARE(store->persistentCount(), 0);
        observe("other", 10s); // Another commit changes nothing.
        (void)store->commit();
        QVERIFY(store->known().fieldEndsOf(id("k")));
        store->observeType("k", KeyType::String);
        (void)store->commit();
        QVERIFY(!store->known().fieldEndsOf(id("k")));
        QCOMPARE(store->persistentCount(), 1);
    }

    /// The earliest time counts, until the value shows that it may be another key of the same name.
    void timeBeforeTheFirstRead_hasTheSameValue()
    {
        const auto now = clock.now();
        observe("k", 10s);
        store->observeExistedAt("k", now - 5s);
        store->observeExistedAt("k", now - 9s);
        store->observeExistedAt("k", now - 7s);
        (void)store->commit();
        QCOMPARE(store->known().existedAt(id("k")), std::optional(now - 9s));
        store->observeValue("k", string("a")); // Read for the first time.
        (void)store->commit();
        store->observeType("k", KeyType::String);
        store->observeValue("k", string("a"));
        (void)store->commit();
        QCOMPARE(store->known().existedAt(id("k")), std::optional(now - 9s));
        store->observeValue("k", string("b"));
        (void)store->commit();
        QVERIFY(!store->known().existedAt(id("k")));
    }

    void emptyAnalysis_isRemoved()
    {
        observe("k", 10s);
        store->setAnalysis("k", {}); // Nothing to remove.
        QCOMPARE(store->stagedCount(), std::size_t(0));
        (void)store->commit();
        QVERIFY(!store->known().analysisOf(id("k")));
    }
};

LATCHKEY_TEST(TestKeyStore)

} // namespace tst_keystore

#include "tst_keystore.moc"
