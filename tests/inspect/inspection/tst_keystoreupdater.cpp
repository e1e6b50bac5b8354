#include "core/inspect/inspection/keystoreupdater.h"
#include "tests/support/manualclock.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_keystoreupdater {

using namespace latchkey;
using events::Exists;
using events::Gone;
using events::Source;
using namespace std::chrono_literals;

/// Tests of the order in which replies of several connections arrive.
class TestKeyStoreUpdater final : public QObject
{
    Q_OBJECT

    test::ManualClock clock;
    std::unique_ptr<keys::KeyStore> store;
    std::unique_ptr<inspection::KeyStoreUpdater> feed;

    void tell(events::ObservationContent content, std::chrono::milliseconds asked, std::chrono::milliseconds answered,
              Source source = Source::Poll)
    {
        const base::MonotonicTime zero = clock.now();
        feed->observed({{"k", std::move(content), zero + asked, zero + answered, source}});
        while (store->commit(1s)) {}
    }
    [[nodiscard]] qint64 ended() const { return store->endedCounter().since(clock.now()); }

private Q_SLOTS:
    void init()
    {
        store = std::make_unique<keys::KeyStore>(clock);
        feed = std::make_unique<inspection::KeyStoreUpdater>(*store);
    }

    void lateReplyFromBeforeTheEnd_doesNotBringTheKeyBack_data()
    {
        QTest::addColumn<Source>("source");
        QTest::addRow("our own command") << Source::OwnCommand;
        QTest::addRow("a notification of the server") << Source::Notification;
    }
    void lateReplyFromBeforeTheEnd_doesNotBringTheKeyBack()
    {
        QFETCH(Source, source);
        tell(Exists {}, 1ms, 2ms);
        QCOMPARE(store->liveCount(), 1);
        tell(Gone {}, 11ms, 12ms, source);
        QCOMPARE(ended(), 1);
        tell(Exists {}, 10ms, 13ms);
        QCOMPARE(store->liveCount(), 0);
        tell(Gone {}, 14ms, 15ms);
        QCOMPARE(ended(), 1);
        tell(Exists {}, 16ms, 17ms);
        QCOMPARE(store->liveCount(), 1);
    }

    /// A poll may find a key absent before the database is found empty.
    void flushedKeys_haveEndedByTheFlush_data()
    {
        QTest::addColumn<bool>("isCommittedBefore");
        QTest::addColumn<bool>("isReportedLast");
        QTest::addRow("staged") << false << false;
        QTest::addRow("committed") << true << false;
        QTest::addRow("reported after the database was found empty") << true << true;
    }
    void flushedKeys_haveEndedByTheFlush()
    {
        QFETCH(bool, isCommittedBefore);
        QFETCH(bool, isReportedLast);
        const base::MonotonicTime zero = clock.now();
        for (const char *key : {"before", "polled", "other"})
            feed->observed({{key, Exists {}, zero, zero + 1ms, Source::Poll}});
        while (store->commit(1s)) {}
        feed->observed({{"before", Gone {}, zero + 2ms, zero + 3ms, Source::NotifiedRead}});
        if (!isReportedLast)
            feed->flushAnnounced(0, zero + 20ms, events::FlushKind::Any);
        feed->observed({{"polled", Gone {}, zero + 20ms, zero + 21ms, Source::NotifiedRead}});
        while (isCommittedBefore && store->commit(1s)) {}
        feed->emptied(0, zero + 20ms, zero + 22ms);
        if (isReportedLast)
            feed->flushAnnounced(0, zero + 30ms, events::FlushKind::Any);
        while (store->commit(1s)) {}
        QCOMPARE(store->ended().total(), quint64(3));
        for (quint64 i = 0; i < 3; ++i) {
            const keys::EndedKey &ended = store->ended().at(i);
            QCOMPARE(ended.source, ended.key == "before" ? keys::EndSource::Reported : keys::EndSource::Flushed);
        }
    }

    /// Replies of one connection arrive in order.
    void readAfterARead_countsAlways()
    {
        tell(Exists {}, 1ms, 2ms);
        tell(Gone {}, 11ms, 12ms);
        tell(Exists {}, 10ms, 13ms);
        QCOMPARE(store->liveCount(), 1);
    }

    /// The state that our own command has compared updates a key, and brings none back.
    void stateThatOwnActHasCompared_isNoAppearance()
    {
        const auto hasValue = [this] { return store->known().value(*store->known().table.find("k")) != nullptr; };
        tell(Exists {}, 10ms, 10ms, Source::Read);
        QCOMPARE(store->liveCount(), 0);
        tell(Exists {}, 11ms, 12ms);
        QCOMPARE(store->liveCount(), 1);
        tell(events::ValueReply {{keys::KeyType::String, 1, {"v"}}}, 10ms, 10ms, Source::Read);
        QVERIFY(hasValue());
        tell(Gone {}, 13ms, 14ms);
        tell(Exists {}, 10ms, 10ms, Source::Read);
        tell(Gone {}, 10ms, 15ms, Source::OwnCommand);
        QCOMPARE(store->liveCount(), 0);
        QCOMPARE(ended(), 1);
    }

    void manyEnds_areForgotten()
    {
        const base::MonotonicTime zero = clock.now();
        for (int i = 0; i < 5000; ++i) {
            const auto at = zero + i * 100ms;
            feed->observed({{QByteArray::number(i), Gone {}, at, at, Source::Notification}});
        }
        const auto at = zero + 1ms;
        feed->observed({{"0", Exists {}, at - 2ms, at, Source::Poll}}); // Its end is older than any read.
        while (store->commit(1s)) {}
        QCOMPARE(store->liveCount(), 1);
    }
};

LATCHKEY_TEST(TestKeyStoreUpdater)

} // namespace tst_keystoreupdater

#include "tst_keystoreupdater.moc"
