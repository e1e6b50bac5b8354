#include "core/keyspace/events/coveragemeter.h"
#include "tests/support/manualclock.h"
#include "tests/support/testprogram.h"

#include <QJsonArray>
#include <QSignalSpy>
#include <QTest>

namespace tst_coverage {

using namespace latchkey;
using namespace latchkey::events;
using base::ErrorKind;
using resp::Commands;
using resp::Replies;
using resp::Reply;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

const Reply good = Reply::integer(1000);
const Reply notPermitted = Reply::error("NOPERM User default has no permissions to run the 'pttl' command");
const Reply keyNotPermitted = Reply::error("NOPERM No permissions to access a key");
const Reply busy = Reply::error("BUSY Redis is busy running a script.");

} // namespace

/// Tests of the coverage for given server replies, with a manual clock.
class TestCoverage final : public QObject
{
    Q_OBJECT

    test::ManualClock clock;
    std::unique_ptr<CoverageMeter> meter;

    void answer(const Commands &commands, const Replies &replies)
    {
        const auto replyObserver = meter->trafficObserver()(commands);
        replyObserver(net::Connection::Delivery {replies, clock.now(), clock.now()});
    }
    void answerPttl(const Reply &reply) { answer({{"PTTL", "k"}}, {reply}); }
    /// Returns the coverage after a complete scan.
    [[nodiscard]] Coverage coverage() const { return meter->coverage({true, 10, 10}); }
    [[nodiscard]] milliseconds unobservedDuration() const
    {
        return std::chrono::duration_cast<milliseconds>(coverage().unobservedDuration());
    }

private Q_SLOTS:
    void init()
    {
        meter = std::make_unique<CoverageMeter>(clock);
        meter->connected();
        answerPttl(good);
    }

    void answeredQuestions_areComplete()
    {
        QVERIFY(coverage().isComplete());
        QVERIFY(coverage().sentences().empty());
        const QJsonObject json = toJson(coverage());
        QCOMPARE(json[QStringLiteral("complete")].toBool(), true);
        QCOMPARE(json[QStringLiteral("looked_at")].toInt(), 10);
        QCOMPARE(json[QStringLiteral("of")].toInt(), 10);
        QCOMPARE(json[QStringLiteral("blind_ms")].toInt(-1), 0);
        QVERIFY(json[QStringLiteral("denied")].toArray().isEmpty());
    }

    /// A state of the server after a lost connection is the newer reason.
    void serverStateAfterALoss_isTheReason()
    {
        clock.advance(1s);
        meter->lost({ErrorKind::ConnectionLost, base::Text("closed")});
        meter->connected();
        QCOMPARE(coverage().gap()->why.kind, ErrorKind::ConnectionLost);
        answer({{"DBSIZE"}}, {Reply::error("LOADING Redis is loading the dataset in memory")});
        QCOMPARE(coverage().gap()->why.kind, ErrorKind::Loading);
        QCOMPARE(coverage().parts().gaps.size(), std::size_t(1));
        // No key has been read yet.
        answer({{"DBSIZE"}}, {good});
        QVERIFY(!coverage().isObserving());
        answerPttl(good);
        QVERIFY(coverage().isObserving());
        meter->lost({ErrorKind::ConnectionLost, base::Text("closed")});
        QCOMPARE(coverage().gap()->why.kind, ErrorKind::ConnectionLost);
    }

    void unscannedKeys_areReported()
    {
        const Coverage part = meter->coverage({false, 3, 10});
        QVERIFY(!part.isComplete());
        QCOMPARE(part.sentences().front().toString(), QStringLiteral("of 10 keys only 3 were looked at"));
        QVERIFY(part.narrowedTo(KeyRequest::Expiry).isComplete());
    }

    void missingPartsOfACluster_areReported()
    {
        const Coverage::Parts part = coverage().parts();
        Coverage::Parts sum = sumOf({part, part});
        QCOMPARE(sum.scannedKeys, 20);
        QCOMPARE(sum.databaseSize, std::optional<qint64>(20));
        sum.cluster = Coverage::ClusterParts {{{QStringLiteral("redis://a:1"), 10, {}}}, false, 0, {}};
        QVERIFY(Coverage(sum).isComplete());
        sum.cluster->nodes.push_back(
            {QStringLiteral("redis://b:2"), 0, base::Error {ErrorKind::Unreachable, base::Text(QStringLiteral("no"))}});
        sum.cluster->haveSlotsMoved = true;
        sum.cluster->unservedSlots = 7;
        QStringList said;
        for (const base::Text &sentence : Coverage(sum).sentences())
            said += sentence.toString();
        QCOMPARE(said.size(), 3);
        QCOMPARE(said[0], QStringLiteral("keys of the cluster node redis://b:2 are missing: no"));
        QVERIFY(said[1].startsWith(QLatin1String("slots of the cluster that no node serves: 7")));
        QVERIFY(said[2].startsWith(QLatin1String("slots moved")));
        const QJsonObject json = toJson(Coverage(sum))[QStringLiteral("cluster")].toObject();
        QCOMPARE(json[QStringLiteral("unserved_slots")].toInt(), 7);
        QCOMPARE(json[QStringLiteral("nodes")][1][QStringLiteral("why")].toString(), QStringLiteral("no"));
        QVERIFY(!toJson(coverage()).contains(QStringLiteral("cluster")));
    }

    void sumOfServers_knowsTheNumberOfKeys_onlyIfAllDo()
    {
        const Coverage::Parts known = coverage().parts();
        const Coverage::Parts unknown = meter->coverage({false, 3, {}}).parts();
        const Coverage::Parts sum = sumOf({known, unknown});
        QVERIFY(!sum.isScanComplete);
        QCOMPARE(sum.scannedKeys, 13);
        QVERIFY(!sum.databaseSize);
    }

    /// A gap begins at the last good reply, not when the silence is noticed.
    void silence_isBlindFromTheLastReplyOn()
    {
        QSignalSpy changes(meter.get(), &CoverageMeter::gapChanged);
        clock.advance(1400ms);
        meter->check();
        meter->check();
        QVERIFY(coverage().isObserving());
        clock.advance(200ms);
        meter->check(); // The reply may be received but not read yet.
        QVERIFY(coverage().isObserving());
        meter->check();
        QVERIFY(!coverage().isObserving());
        QCOMPARE(changes.size(), 1);
        QCOMPARE(coverage().gap()->why.kind, ErrorKind::TimedOut);
        QCOMPARE(unobservedDuration(), 1600ms);
        clock.advance(400ms);
        answerPttl(good);
        QVERIFY(coverage().isObserving());
        QCOMPARE(changes.size(), 2);
        clock.advance(10s);
        QCOMPARE(unobservedDuration(), 2000ms);
        QVERIFY(!coverage().isComplete());
    }

    /// This process was stopped, so it did not check for replies. One reply is waiting.
    void unnoticedSilence_countsAsWell()
    {
        QSignalSpy changes(meter.get(), &CoverageMeter::gapChanged);
        clock.advance(60s);
        answerPttl(good);
        QCOMPARE(changes.size(), 2);
        QCOMPARE(unobservedDuration(), 60'000ms);
        QCOMPARE(coverage().parts().gaps.back().why.message(),
                 QStringLiteral("this program was stopped, or its output blocked"));
        meter->setPaused(true);
        clock.advance(60s);
        meter->setPaused(false);
        answerPttl(good);
        QCOMPARE(unobservedDuration(), 60'000ms);
    }

    /// Requests are answered, so the keys are seen, but a key that comes and goes may be missed.
    void interruptionOfTheChangeEvents_makesTheCoverageIncomplete()
    {
        meter->setHasChangeEvents(false, clock.now()); // None so far: the keys are polled.
        QVERIFY(coverage().isComplete());
        meter->setHasChangeEvents(true, {});
        clock.advance(1s);
        answerPttl(good);
        QSignalSpy changes(meter.get(), &CoverageMeter::gapChanged);
        meter->setHasChangeEvents(false, clock.now() - 300ms);
        QCOMPARE(changes.size(), 1);
        clock.advance(200ms);
        QVERIFY(coverage().isObserving());
        QVERIFY(!coverage().isComplete());
        QCOMPARE(unobservedDuration(), 0ms);
        QCOMPARE(coverage().unreportedDuration(), std::chrono::nanoseconds(500ms));
        meter->setHasChangeEvents(true, {});
        QCOMPARE(changes.size(), 2);
        clock.advance(1s);
        answerPttl(good);
        QCOMPARE(coverage().unreportedDuration(), std::chrono::nanoseconds(500ms));
        QCOMPARE(toJson(coverage())[QStringLiteral("unreported_ms")].toInt(), 500);
        QCOMPARE(coverage().sentences().size(), 1U);
        QCOMPARE(coverage().sentences().front().toString(),
                 QStringLiteral("the server reported no changes for 0.500 s, so a key that came and went meanwhile may "
                                "be missing"));
        QVERIFY(coverage().narrowedTo(KeyRequest::Expiry).isComplete());
    }

    /// Time without any answer is not counted twice.
    void interruptionDuringBlindness_isNotCountedTwice()
    {
        meter->setHasChangeEvents(true, {});
        clock.advance(1s);
        answerPttl(good);
        meter->lost({ErrorKind::ConnectionLost, base::Text(QStringLiteral("lost"))});
        meter->setHasChangeEvents(false, clock.now());
        clock.advance(2s);
        meter->connected();
        answerPttl(good);
        clock.advance(10ms);
        meter->setHasChangeEvents(true, {});
        QCOMPARE(unobservedDuration(), 2000ms);
        QCOMPARE(coverage().unreportedDuration(), std::chrono::nanoseconds(10ms));
    }

    void refusedQuestion_isBlindUntilItIsAnswered()
    {
        clock.advance(300ms);
        answerPttl(notPermitted);
        QVERIFY(!coverage().isObserving());
        QCOMPARE(coverage().denied().size(), 1U);
        QCOMPARE(coverage().denied().front().request, KeyRequest::Expiry);
        QCOMPARE(unobservedDuration(), 300ms);
        QVERIFY(coverage().narrowedTo(KeyRequest::Names).isObserving());
        QVERIFY(coverage().narrowedTo(KeyRequest::Names).isComplete());
        QCOMPARE(coverage().sentences().size(), 1U);
        QVERIFY(coverage().sentences().front().toString().startsWith(
            QStringLiteral("the server has refused PTTL for 0.300 s: ")));
        answer({{"SCAN", "0"}, {"PING"}}, {Reply::array({}), Reply::status("PONG")});
        QVERIFY(!coverage().isObserving());
        clock.advance(100ms);
        answerPttl(good);
        QVERIFY(coverage().isObserving());
        QVERIFY(coverage().denied().empty());
        QCOMPARE(unobservedDuration(), 400ms);
        QCOMPARE(coverage().sentences().size(), 1U);
        clock.advance(500ms);
        answerPttl(good);
        const QString sentence = coverage().sentences().front().toString();
        QVERIFY2(sentence.startsWith(QStringLiteral("the server refused PTTL for 0.400 s, until 0.500 s ago: ")),
                 qPrintable(sentence));
        const QJsonObject denied = events::toJson(coverage())[QStringLiteral("denied")][0].toObject();
        QCOMPARE(denied[QStringLiteral("question")].toString(), QStringLiteral("PTTL"));
        QCOMPARE(denied[QStringLiteral("began_ago_ms")].toInt(), 900);
        QCOMPARE(denied[QStringLiteral("lasted_ms")].toInt(), 400);
        QVERIFY(sentence.endsWith(denied[QStringLiteral("why")].toString()));
    }

    /// Refused requests and a lost connection are distinguished.
    void refusalAndSilence_haveASentenceEach()
    {
        clock.advance(300ms);
        answerPttl(notPermitted);
        answerPttl(good);
        meter->lost({ErrorKind::ConnectionLost, base::Text(QStringLiteral("lost"))});
        clock.advance(2s);
        meter->connected();
        answerPttl(good);
        QCOMPARE(coverage().sentences().size(), 2U);
        QCOMPARE(coverage().sentences().front().toString(), QStringLiteral("nothing was seen for 2.000 s"));
        QVERIFY(coverage().sentences().back().toString().startsWith(
            QStringLiteral("the server refused PTTL for 0.300 s, until 2.000 s ago: ")));
    }

    /// A user without HSCAN still sees strings, in whatever order the keys are read.
    void valuesOfOneType_areThoseOfSomeKeys_data()
    {
        QTest::addColumn<bool>("isStringFirst");
        QTest::newRow("string first") << true;
        QTest::newRow("hash first") << false;
    }
    void valuesOfOneType_areThoseOfSomeKeys()
    {
        QFETCH(const bool, isStringFirst);
        const auto readString = [this] {
            answer({{"STRLEN", "k"}, {"GETRANGE", "k", "0", "255"}}, {good, Reply::bulk("v")});
        };
        if (isStringFirst)
            readString();
        answer({{"HLEN", "h"}, {"HSCAN", "h", "0"}}, {good, notPermitted});
        QCOMPARE(coverage().isObserving(), isStringFirst);
        clock.advance(10ms);
        if (!isStringFirst)
            readString();
        QVERIFY(coverage().isObserving());
        QVERIFY(!coverage().isComplete());
        QVERIFY(coverage().denied().front().isOfSomeKeys);
        QCOMPARE(coverage().sentences().size(), 1U);
        QVERIFY(coverage().sentences().front().toString().startsWith(QStringLiteral("some values cannot be read: ")));
        // Without any readable type, no value is seen.
        answer({{"STRLEN", "k"}, {"GETRANGE", "k", "0", "255"}}, {notPermitted, notPermitted});
        QVERIFY(!coverage().isObserving());
        QVERIFY(!coverage().denied().front().isOfSomeKeys);
    }

    /// The refusal of values that were read before is a gap, also if the values of one type are permitted again first.
    void refusalThatEndsForOneTypeFirst_staysAGap()
    {
        const Commands string {{"STRLEN", "k"}, {"GETRANGE", "k", "0", "255"}};
        const Commands hash {{"HLEN", "h"}, {"HSCAN", "h", "0"}};
        const Reply fields = Reply::array({});
        answer(string, {good, Reply::bulk("v")});
        clock.advance(1s);
        answer(hash, {good, fields});
        clock.advance(1s);
        answer(string, {notPermitted, notPermitted});
        answer(hash, {notPermitted, notPermitted});
        QVERIFY(!coverage().isObserving());
        QCOMPARE(unobservedDuration(), 1000ms); // Since the last value of any type.
        clock.advance(10s);
        answer(string, {good, Reply::bulk("v")});
        QVERIFY(coverage().isObserving());
        answer(hash, {good, fields});
        QCOMPARE(unobservedDuration(), 11000ms);
        QVERIFY(!coverage().isComplete());
    }

    void keyThatIsHidden_leavesTheOthersInSight()
    {
        answer({{"PTTL", "a"}, {"PTTL", "b"}}, {keyNotPermitted, good});
        QVERIFY(coverage().isObserving());
        QVERIFY(!coverage().isComplete());
        QVERIFY(coverage().denied().front().isOfSomeKeys);
        QVERIFY(coverage().sentences().front().toString().startsWith(QStringLiteral("some keys are not shown: ")));
        clock.advance(1s);
        answerPttl(good);
        QVERIFY(!coverage().isComplete());
        for (int i = 0; i < 5; ++i) {
            clock.advance(1s);
            answerPttl(good);
        }
        QVERIFY(coverage().isComplete());
    }

    /// Reading a string needs both commands, in any order.
    void oneOfTheCommandsThatReadAValue_isEnoughToMissIt()
    {
        answer({{"STRLEN", "k"}, {"GETRANGE", "k", "0", "255"}}, {notPermitted, Reply::bulk("v")});
        QVERIFY(!coverage().isObserving());
        QCOMPARE(coverage().denied().front().request, KeyRequest::Value);
        answer({{"GETRANGE", "k", "0", "255"}}, {Reply::bulk("v")});
        QVERIFY(!coverage().isObserving());
        answer({{"STRLEN", "k"}}, {good});
        QVERIFY(coverage().isObserving());
    }

    void scanWithoutAnEnd_isARefusal()
    {
        meter->setScanFailure(base::Error {ErrorKind::Protocol, base::Text(QStringLiteral("no end"))});
        answer({{"SCAN", "0"}}, {Reply::array({})});
        QCOMPARE(coverage().denied().front().request, KeyRequest::Names);
        QVERIFY(!coverage().isObserving());
        meter->setScanFailure(std::nullopt);
        QVERIFY(coverage().isObserving());
    }

    void valueOfAnotherType_isNoRefusal()
    {
        answer({{"GETRANGE", "k", "0", "1"}},
               {Reply::error("WRONGTYPE Operation against a key holding the wrong kind of value")});
        QVERIFY(coverage().isComplete());
    }

    void trouble_isOfAllQuestions()
    {
        QSignalSpy ended(meter.get(), &CoverageMeter::commandsAccepted);
        clock.advance(200ms);
        answer({{"PTTL", "a"}, {"PTTL", "b"}}, {busy, busy});
        QVERIFY(!coverage().isObserving());
        QCOMPARE(meter->serverError()->kind, ErrorKind::Busy);
        QCOMPARE(meter->probe(), (resp::Command {"PTTL", "b"}));
        QCOMPARE(coverage().denied().size(), 4U);
        answer({{"PING"}}, {Reply::status("PONG")}); // A server with MASTERDOWN answers PING too.
        QVERIFY(!coverage().isObserving());
        clock.advance(800ms);
        answer({meter->probe()}, {good});
        QVERIFY(coverage().isObserving());
        QCOMPARE(ended.size(), 1);
        QCOMPARE(unobservedDuration(), 1000ms);
    }

    /// The keys are those of the last reply with a link that was up, whatever the server answers since.
    void lostPrimary_isBlindFromTheLastGoodLinkOn()
    {
        const auto answerLink = [this](const QByteArray &fields) {
            answer({{"INFO", "replication"}}, {Reply::bulk(fields)});
        };
        const QByteArray replica = "role:slave\r\nmaster_host:a\r\nmaster_port:1\r\nmaster_link_status:";
        answerLink(replica + "up\r\n");
        QVERIFY(coverage().isComplete());
        clock.advance(1s);
        answerPttl(good);
        clock.advance(500ms);
        answerLink(replica + "down\r\n");
        answerPttl(good);
        QCOMPARE(unobservedDuration(), 1500ms);
        QVERIFY(!coverage().isObserving());
        QCOMPARE(coverage().sentences().front().toString(),
                 QStringLiteral("keys may be missing or out of date: the server is a replica, and its link to the "
                                "primary a:1 is down"));
        QCOMPARE(toJson(coverage())[QStringLiteral("missing")].toArray().size(), 1);
        answer({{"INFO", "replication"}}, {Reply::error("NOPERM no INFO")});
        QVERIFY(!coverage().isObserving()); // A refusal says nothing about the link.
        clock.advance(500ms);
        answerLink("role:master\r\n");
        QVERIFY(coverage().isObserving());
        QCOMPARE(coverage().sentences().front().toString(),
                 QStringLiteral("keys may have been missing or out of date for 2.000 s"));
        QCOMPARE(coverage().sentences().size(), 1U);
    }
    /// The keys of the former primary are gone, and those of the new one may have arrived at any time since the last
    /// reply.
    void otherPrimary_isBlindFromTheLastReplyOn()
    {
        const auto answerPrimary = [this](const QByteArray &host) {
            answer({{"INFO", "replication"}}, {Reply::bulk("role:slave\r\nmaster_host:" + host
                                                           + "\r\nmaster_port:1\r\nmaster_link_status:up\r\n")});
        };
        answerPrimary("a");
        clock.advance(1s);
        answerPrimary("b");
        QVERIFY(!coverage().isObserving());
        QCOMPARE(coverage().sentences().front().toString(),
                 QStringLiteral("keys may be missing or out of date: the server is a replica, and its primary is "
                                "another one: b:1"));
        clock.advance(500ms);
        QSignalSpy scanNeeded(meter.get(), &CoverageMeter::commandsAccepted);
        answerPrimary("b");
        QVERIFY(coverage().isObserving());
        QCOMPARE(scanNeeded.size(), 1); // The new keys are not announced.
        QCOMPARE(unobservedDuration(), 1500ms);
        answer({{"INFO", "replication"}}, {Reply::bulk("role:master\r\n")});
        QVERIFY(coverage().isObserving()); // A promoted replica keeps its keys.
        answerPrimary("b");
        QVERIFY(!coverage().isObserving());
    }
    /// The time before the first connection is no gap.
    void lostPrimaryAtTheStart_isBlindFromTheStartOn()
    {
        meter = std::make_unique<CoverageMeter>(clock);
        clock.advance(60s);
        meter->connected();
        clock.advance(200ms);
        answer({{"INFO", "replication"}}, {Reply::bulk("role:slave\r\nmaster_host:a\r\nmaster_port:1\r\n"
                                                       "master_link_status:down\r\n")});
        QCOMPARE(unobservedDuration(), 200ms);
    }

    void beforeTheFirstConnection_nothingIsSeen()
    {
        meter = std::make_unique<CoverageMeter>(clock);
        meter->awaitConnection({ErrorKind::ConnectionLost, base::Text(QStringLiteral("not yet"))});
        clock.advance(3s);
        QVERIFY(!coverage().isObserving());
        QCOMPARE(coverage().gap()->why.message(), QStringLiteral("not yet"));
        QCOMPARE(unobservedDuration(), 3000ms);
        QSignalSpy changes(meter.get(), &CoverageMeter::gapChanged);
        meter->connected();
        QCOMPARE(changes.size(), 1);
        answerPttl(good);
        QVERIFY(coverage().isComplete());
        meter->lost({ErrorKind::ConnectionLost, base::Text(QStringLiteral("gone"))});
        meter->awaitConnection({ErrorKind::Unreachable, base::Text(QStringLiteral("not yet"))});
        QCOMPARE(coverage().gap()->why.message(), QStringLiteral("gone"));
        meter->awaitConnection({ErrorKind::AuthenticationRequired, base::Text(QStringLiteral("password needed"))});
        QCOMPARE(coverage().gap()->why.message(), QStringLiteral("password needed"));
        QVERIFY(unobservedDuration() < 1s); // The interval is the same.
    }

    /// Such a reply shows no key.
    void replyOfAnotherType_isARefusal()
    {
        answerPttl(Reply::status("OK"));
        QCOMPARE(coverage().denied().front().request, KeyRequest::Expiry);
        QCOMPARE(coverage().denied().front().why.kind, ErrorKind::Protocol);
        QVERIFY(!coverage().isObserving());
        answerPttl(Reply::status("QUEUED")); // Inside a transaction.
        QVERIFY(!coverage().isObserving());
        answerPttl(good);
        QVERIFY(coverage().isObserving());
        answer({{"SCAN", "0"}}, {Reply::integer(0)});
        QCOMPARE(coverage().denied().front().request, KeyRequest::Names);
    }

    void refusedPassword_isTheReasonAfterALostConnection()
    {
        QSignalSpy changes(meter.get(), &CoverageMeter::gapChanged);
        meter->lost({ErrorKind::ConnectionLost, base::Text(QStringLiteral("gone"))});
        meter->awaitConnection({ErrorKind::Unreachable, base::Text(QStringLiteral("no route"))});
        QCOMPARE(coverage().gap()->why.kind, ErrorKind::ConnectionLost);
        QCOMPARE(changes.size(), 1);
        meter->awaitConnection({ErrorKind::WrongPassword, base::Text(QStringLiteral("WRONGPASS"))});
        QCOMPARE(coverage().gap()->why.kind, ErrorKind::WrongPassword);
        QCOMPARE(changes.size(), 2);
    }
    void lostConnection_isBlindUntilAKeyIsSeenAgain()
    {
        clock.advance(500ms);
        meter->lost({ErrorKind::ConnectionLost, base::Text(QStringLiteral("gone"))});
        QVERIFY(!coverage().isObserving());
        clock.advance(5s);
        meter->connected();
        answer({{"PING"}}, {Reply::status("PONG")});
        QCOMPARE(coverage().gap()->why.kind, ErrorKind::ConnectionLost);
        clock.advance(500ms);
        answerPttl(good);
        QVERIFY(coverage().isObserving());
        QCOMPARE(unobservedDuration(), 6000ms);
    }

    /// The present gap does not hide the gaps before it.
    void formerGaps_areReportedBesideThePresentOne()
    {
        const auto lose = [this] { meter->lost({ErrorKind::ConnectionLost, base::Text(QStringLiteral("gone"))}); };
        for (int i = 0; i < 3; ++i) {
            answerPttl(good);
            lose();
            clock.advance(2s);
            meter->connected();
        }
        const auto sentencesNow = [this] {
            QStringList all;
            for (const base::Text &sentence : coverage().sentences())
                all += sentence.toString();
            return all;
        };
        QCOMPARE(sentencesNow(), (QStringList {QStringLiteral("nothing has been seen for 2.000 s: gone"),
                                               QStringLiteral("before that, nothing was seen for 4.000 s")}));
        answerPttl(good);
        QCOMPARE(sentencesNow(), QStringList {QStringLiteral("nothing was seen for 6.000 s")});
    }

    void overlappingTimes_countOnce()
    {
        const base::MonotonicTime start = clock.now();
        Coverage::Parts parts;
        parts.isScanComplete = true;
        const base::Error why {ErrorKind::Busy, base::Text(QStringLiteral("why"))};
        parts.gaps = {{start, start + 10s, why, {}},
                      {start + 2s, start + 4s, why, KeyRequest::Type},
                      {start + 8s, start + 12s, why, KeyRequest::Type}};
        parts.now = start + 20s;
        QCOMPARE(Coverage(parts).unobservedDuration(), std::chrono::nanoseconds(12s));
        QCOMPARE(Coverage(parts).narrowedTo(KeyRequest::Expiry).unobservedDuration(), std::chrono::nanoseconds(10s));
    }

    void changesThatWait_areReported()
    {
        QVERIFY(meter->coverage({true, 1, 1}, 500ms).isComplete());
        const Coverage late = meter->coverage({true, 1, 1}, 3s);
        QVERIFY(!late.isComplete());
        QCOMPARE(toJson(late)[QStringLiteral("lag_ms")].toInt(), 3000);
    }

    /// Without permission for keyspace notifications, polling remains.
    void refusedChanges_areNotNeeded()
    {
        meter->setChangesDenied(base::Error {ErrorKind::PermissionDenied, base::Text(QStringLiteral("no"))});
        QVERIFY(coverage().isComplete());
        QCOMPARE(coverage().denied().size(), 1U);
    }
};

LATCHKEY_TEST(TestCoverage)

} // namespace tst_coverage

#include "tst_coverage.moc"
