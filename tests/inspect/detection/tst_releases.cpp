#include "core/inspect/detection/releases.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_releases {

using namespace latchkey;
using base::Deadline;
using base::SystemClock;
using detection::Releases;
using events::Observation;
using keys::RawValue;
using namespace std::chrono_literals;

namespace {

RawValue token(char digit)
{
    return {keys::KeyType::String, 32, {QByteArray("9891ac7c19c1ec9e54f0c08c8074917") + digit}};
}

} // namespace

/// Tests of releases by observations alone, before the store knows anything of the keys.
class TestReleases final : public QObject
{
    Q_OBJECT

    keys::KeyStore store {SystemClock::instance()};
    recognition::Recogniser recogniser;

    static Observation of(events::ObservationContent content)
    {
        const auto now = SystemClock::instance().now();
        return {"invoice:77", std::move(content), now, now, events::Source::Read};
    }
    static Observation expiry(std::chrono::milliseconds left)
    {
        return of(events::Exists {Deadline(SystemClock::instance().now() + left, 1ms)});
    }

private Q_SLOTS:
    /// The store learns the expiry of a new hold only at its next commit.
    void holdWithinOneCommit_isCounted_data()
    {
        QTest::addColumn<bool>("hasExpiry");
        QTest::addColumn<int>("left"); // Milliseconds.
        QTest::addColumn<int>("releases");
        QTest::addRow("released") << true << 60'000 << 1;
        QTest::addRow("may have expired") << true << 5 << 0;
        QTest::addRow("unknown expiry") << false << 0 << 0;
    }
    void holdWithinOneCommit_isCounted()
    {
        QFETCH(const bool, hasExpiry);
        QFETCH(const int, left);
        Releases releases(store, recogniser);
        events::Observations read;
        if (hasExpiry)
            read.push_back(expiry(std::chrono::milliseconds(left)));
        read.push_back(of(events::ValueReply {token('a')}));
        releases.observed(read);
        releases.observed({of(events::Gone {})});
        QTEST(releases.count("invoice:77", token('b')), "releases");
        QCOMPARE(releases.count("invoice:77", token('a')), 0); // The same value is no other hold.
    }

    /// A key that a read finds gone may have been flushed, as long as the number of flushes is not known.
    void endBeforeTheFlushIsKnown_isNotCounted_data()
    {
        QTest::addColumn<bool>("isFlushed");
        QTest::addColumn<bool>("isEvicted");
        QTest::addColumn<int>("releases");
        QTest::addRow("released") << false << false << 1;
        QTest::addRow("flushed") << true << false << 0;
        QTest::addRow("evicted") << false << true << 0;
    }
    void endBeforeTheFlushIsKnown_isNotCounted()
    {
        QFETCH(const bool, isFlushed);
        QFETCH(const bool, isEvicted);
        QFETCH(const int, releases);
        Releases noted(store, recogniser);
        const auto now = [] { return SystemClock::instance().now(); };
        noted.eventCoverageChanged(0, {events::EventCoverage::Depth::None, true, now()});
        noted.observed({expiry(60s), of(events::ValueReply {token('a')})});
        noted.observed({of(events::Gone {})});
        QCOMPARE(noted.count("invoice:77", token('b')), 0);
        if (isFlushed)
            noted.flushAnnounced(0, now(), events::FlushKind::Any);
        if (isEvicted)
            noted.observed({of(events::ChangeNotification {"evicted"})});
        noted.receivedUpTo(0, now());
        QCOMPARE(noted.count("invoice:77", token('b')), releases);
        QCOMPARE(noted.takeAnnounced().size(), releases);
    }

    /// The measurement of another key says nothing about this one.
    void expiryOfAnotherKey_isNotTaken()
    {
        Releases releases(store, recogniser);
        Observation other = expiry(60s);
        other.key = "other";
        releases.observed({other, of(events::ValueReply {token('a')})});
        releases.observed({of(events::Gone {})});
        QCOMPARE(releases.count("invoice:77", token('b')), 0);
    }
};

LATCHKEY_TEST(TestReleases)

} // namespace tst_releases

#include "tst_releases.moc"
