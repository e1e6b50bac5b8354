// Tests of watch with values that were read late: to which hold a value belongs, and how the hold before ended.

#include "core/inspect/recording/entry.h"
#include "core/inspect/recording/format.h"
#include "tests/support/outcome.h"
#include "tests/support/testprogram.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace tst_watchedholds {

using namespace latchkey;
using namespace std::chrono_literals;
using base::Deadline;
using base::MonotonicTime;
using events::EventCoverage;
using recording::Encoder;
using std::chrono::milliseconds;
using watching::EventSource;

/// Tests with recordings, so that the order of reads and events is certain. replay prints what watch prints.
class TestWatchedHolds final : public QObject
{
    Q_OBJECT

    const QByteArray key = QByteArrayLiteral("lock:a");
    const QByteArray token = QByteArrayLiteral("f442172cd0841b68177e827d1a6528b1");
    const QByteArray other = QByteArrayLiteral("9891ac7c19c1ec9e54f0c08c8074917c");
    const MonotonicTime began {50s};

    std::unique_ptr<QTemporaryDir> folder;
    std::unique_ptr<Encoder> encoder;
    QByteArray file;
    recording::WatchState watched;

    void add(milliseconds at, auto what) { file += encoder->line({began + at, std::move(what)}); }
    /// Begins a recording of a complete watch.
    void begin(EventSource::Mechanism mechanism, EventCoverage::Depth depth)
    {
        watched = {};
        watched.phase = watching::Watcher::Phase::Watching;
        watched.mechanism = mechanism;
        watched.hasChangeEvents = mechanism != EventSource::Mechanism::None;
        watched.lastScanBegan = began - 300ms;
        watched.eventDelay = 1ms;
        add(0ms, watched);
        events::Coverage::Parts parts;
        parts.isScanComplete = true;
        parts.databaseSize = 0;
        add(0ms, recording::Covered {parts, false});
        add(0ms, EventCoverage {depth, true, began});
    }
    static keys::RawValue text(const QByteArray &value) { return {keys::KeyType::String, value.size(), {value}}; }
    /// Adds a request that took some time; the key ended `left` after the request.
    void look(milliseconds asked, milliseconds left, const std::optional<keys::RawValue> &value,
              events::Source source = events::Source::NotifiedRead, milliseconds took = 2ms)
    {
        const MonotonicTime from = began + asked;
        const MonotonicTime to = from + took;
        events::Observations all {{key, events::Exists {Deadline(from + left, 1ms), false}, from, to, source}};
        if (value) {
            all.push_back({key, events::TypeReply {value->type}, from, to, source});
            all.push_back({key, events::ValueReply {*value}, from, to, source});
        }
        add(asked + took, all);
    }
    void receive(milliseconds at, const char *event)
    {
        const MonotonicTime time = began + at;
        add(at,
            events::Observations {{key, events::ChangeNotification {event}, time, time, events::Source::Notification}});
    }
    /// Records a lock that expires and is acquired again while its value is read: the value may be of either hold.
    void recordTwoHolds()
    {
        begin(EventSource::Mechanism::Notifications, EventCoverage::Depth::Events);
        receive(1000ms, "set");
        receive(1000ms, "expire");
        look(1195ms, 203ms, text(other), events::Source::NotifiedRead, 30ms);
        receive(1215ms, "expired");
        receive(1215ms, "set");
        receive(1215ms, "expire");
        add(1230ms, recording::ReceivedUpTo {began + 1229ms});
    }
    /// Ends the recording and replays it.
    test::Outcome replayed(const QStringList &options)
    {
        add(60s, recording::EndMarker {});
        QFile written(folder->filePath(QStringLiteral("recording")));
        if (!written.open(QIODevice::WriteOnly) || written.write(file) != file.size())
            qFatal("the recording cannot be written");
        written.close();
        QProcess replay;
        replay.start(QStringLiteral(LATCHKEY_CLI),
                     QStringList {QStringLiteral("replay"), written.fileName()} + options);
        return test::outcomeOf(replay);
    }
    /// Returns "EVENT HOLDER" of each line; the holder is t (token), o (other) or - (unknown).
    QStringList told(QList<QJsonObject> *lines = nullptr)
    {
        QStringList all;
        for (const QByteArray &line : replayed({QStringLiteral("--json")}).output.split('\n')) {
            const QJsonObject json = QJsonDocument::fromJson(line).object();
            if (!json.contains(QStringLiteral("key")))
                continue;
            const QByteArray holder = json[QStringLiteral("holder")].toString().toLatin1();
            all += json[QStringLiteral("event")].toString()
                 + (holder == token   ? QStringLiteral(" t")
                    : holder == other ? QStringLiteral(" o")
                                      : QStringLiteral(" -"));
            if (lines != nullptr)
                *lines += json;
        }
        return all;
    }

private Q_SLOTS:
    void init()
    {
        folder = std::make_unique<QTemporaryDir>();
        encoder = std::make_unique<Encoder>(began);
        file = Encoder::heading({{}, QStringLiteral("redis://db.example:6379"), {}, true});
    }

    /// The first hold of 200 ms was found by a scan; when the value is read, another client has the lock.
    /// The subscription begins a moment before all changes are reported. The lock may be older than its first reported
    /// change, so the interval begins with the last scan.
    void lockAcquiredBeforeTheReportsBegan_hasItsHolderAndItsInterval_data()
    {
        QTest::addColumn<bool>("isWriteReceived");
        QTest::addRow("its write is received") << true;
        QTest::addRow("only its expiry is received") << false;
    }
    void lockAcquiredBeforeTheReportsBegan_hasItsHolderAndItsInterval()
    {
        QFETCH(bool, isWriteReceived);
        begin(EventSource::Mechanism::None, EventCoverage::Depth::None);
        if (isWriteReceived)
            receive(10ms, "set");
        watched.mechanism = EventSource::Mechanism::Notifications;
        watched.hasChangeEvents = true;
        add(11ms, watched);
        add(11ms, EventCoverage {EventCoverage::Depth::Events, true, began + 11ms});
        receive(12ms, "expire");
        look(13ms, 60s, text(token));
        add(20ms, recording::ReceivedUpTo {began + 19ms});
        QList<QJsonObject> lines;
        QCOMPARE(told(&lines), QStringList {QStringLiteral("acquired t")});
        const int uncertain = lines.front()[QStringLiteral("uncertain_ms")].toInt();
        QVERIFY2(uncertain >= 300 && uncertain < 400, qPrintable(QString::number(uncertain)));
    }

    void valueOfALaterHold_isNotThatOfTheFirst()
    {
        begin(EventSource::Mechanism::None, EventCoverage::Depth::None);
        look(1000ms, 150ms, std::nullopt, events::Source::Scan);
        look(1180ms, 190ms, text(other), events::Source::Poll);
        QList<QJsonObject> lines;
        QCOMPARE(told(&lines), (QStringList {QStringLiteral("acquired -"), QStringLiteral("changed o")}));
        // The last scan did not find the key; it began at -300 ms.
        QCOMPARE(lines.front()[QStringLiteral("uncertain_ms")].toInt(), 1302);
    }

    /// The process stood still when the lock expired, so the notification was read 2.2 s later.
    void expiryReadLate_isPrintedWithItsInterval_data()
    {
        QTest::addColumn<milliseconds>("delay");
        QTest::addColumn<int>("uncertain");
        QTest::addColumn<QByteArray>("remark");
        QTest::newRow("the delay is long") << 2600ms << 2202 << QByteArray("(at most 2.201 s late)");
        QTest::newRow("the server was late") << 5ms << 5 << QByteArray("(2.201 s late)");
    }
    void expiryReadLate_isPrintedWithItsInterval()
    {
        QFETCH(milliseconds, delay);
        QFETCH(int, uncertain);
        QFETCH(QByteArray, remark);
        begin(EventSource::Mechanism::Notifications, EventCoverage::Depth::Events);
        receive(1000ms, "set");
        receive(1000ms, "expire");
        look(1001ms, 500ms, text(token));
        add(1010ms, recording::ReceivedUpTo {began + 1009ms});
        watched.eventDelay = delay;
        add(3702ms, watched);
        receive(3702ms, "expired");
        add(3710ms, recording::ReceivedUpTo {began + 3709ms});
        QList<QJsonObject> lines;
        QCOMPARE(told(&lines), (QStringList {QStringLiteral("acquired t"), QStringLiteral("expired t")}));
        QCOMPARE(lines[1][QStringLiteral("late_ms")].toInt(), 2201);
        QCOMPARE(lines[1][QStringLiteral("uncertain_ms")].toInt(), uncertain);
        const QByteArray text = replayed({}).output;
        QVERIFY2(text.contains(remark), text.constData());
    }

    /// The permissions were taken away while two clients held the lock one after the other. Only the second is read.
    void holderReadAfterAGapInTheEvents_isNotThatOfTheFirstHold()
    {
        begin(EventSource::Mechanism::Notifications, EventCoverage::Depth::Events);
        receive(1000ms, "set");
        receive(1000ms, "expire");
        add(1300ms, EventCoverage {});
        look(4800ms, 60s, text(other), events::Source::Poll);
        QList<QJsonObject> lines;
        QCOMPARE(told(&lines), (QStringList {QStringLiteral("acquired -"), QStringLiteral("changed o")}));
        QCOMPARE(lines[1][QStringLiteral("source")].toString(), QStringLiteral("inferred"));
        QVERIFY(lines[1][QStringLiteral("uncertain_ms")].toInt() >= 3800);
    }

    /// The values are refused. The later expiry may be that of another holder.
    void laterExpiryWithoutTheValue_isNoExtension()
    {
        begin(EventSource::Mechanism::None, EventCoverage::Depth::None);
        look(1000ms, 30s, text(token), events::Source::Poll);
        look(2000ms, 60s, std::nullopt, events::Source::Poll);
        look(3000ms, 59s, text(other), events::Source::Poll);
        QCOMPARE(told(), (QStringList {QStringLiteral("acquired t"), QStringLiteral("changed -"),
                                       QStringLiteral("ended t"), QStringLiteral("acquired o")}));
    }

    /// The holder is overwritten, and 0.8 s later the expiry is changed; the value is read after both.
    void handOverReadAfterALaterChange_isPrintedWithItsInterval()
    {
        begin(EventSource::Mechanism::Notifications, EventCoverage::Depth::Events);
        receive(1000ms, "set");
        receive(1000ms, "expire");
        look(1001ms, 60s, text(token));
        add(1010ms, recording::ReceivedUpTo {began + 1009ms});
        watched.eventDelay = 90ms; // At the first notification; shorter when the event is printed.
        add(2000ms, watched);
        receive(2000ms, "set");
        receive(2000ms, "expire");
        watched.eventDelay = 1ms;
        add(2100ms, watched);
        receive(2800ms, "expire");
        look(2801ms, 60s, text(other));
        add(2810ms, recording::ReceivedUpTo {began + 2809ms});
        QList<QJsonObject> lines;
        QCOMPARE(told(&lines), (QStringList {QStringLiteral("acquired t"), QStringLiteral("handed-over o")}));
        QCOMPARE(lines[1][QStringLiteral("uncertain_ms")].toInt(), 890);
    }

    /// A poll in between has seen that the expiry has moved.
    void valueAfterAnUnknownChange_isNotThatOfTheFirst()
    {
        begin(EventSource::Mechanism::None, EventCoverage::Depth::None);
        look(1000ms, 150ms, std::nullopt, events::Source::Scan);
        look(1180ms, 190ms, std::nullopt, events::Source::Poll);
        add(1190ms, recording::ReceivedUpTo {began + 1189ms}); // No flush was counted.
        look(1200ms, 170ms, text(other), events::Source::Poll);
        add(1210ms, recording::ReceivedUpTo {began + 1209ms});
        QCOMPARE(told(), (QStringList {QStringLiteral("acquired -"), QStringLiteral("changed o")}));
    }

    void valueOfTheSameHold_isThatOfTheFirst()
    {
        begin(EventSource::Mechanism::None, EventCoverage::Depth::None);
        look(1000ms, 150ms, std::nullopt, events::Source::Scan);
        look(1050ms, 100ms, text(token), events::Source::Poll);
        QCOMPARE(told(), QStringList {QStringLiteral("acquired t")});
    }

    void valueOfEitherHold_isOfNone()
    {
        recordTwoHolds();
        receive(1420ms, "expired");
        add(1430ms, recording::ReceivedUpTo {began + 1429ms});
        QCOMPARE(told(), (QStringList {QStringLiteral("acquired -"), QStringLiteral("expired -"),
                                       QStringLiteral("acquired -"), QStringLiteral("expired -")}));
    }

    /// The start of the last hold still waits for the read of its value when the watch ends.
    void waitingStart_isReportedAtTheEnd()
    {
        recordTwoHolds();
        look(1240ms, 158ms, std::nullopt);
        add(1250ms, recording::ReceivedUpTo {began + 1249ms});
        QCOMPARE(told(), (QStringList {QStringLiteral("acquired -"), QStringLiteral("expired -"),
                                       QStringLiteral("acquired -")}));
    }

    /// The server does not confirm its announcements for two seconds. The clock is that of the recording.
    void startThatWaitsTooLong_isReportedWithoutItsHolder()
    {
        begin(EventSource::Mechanism::Notifications, EventCoverage::Depth::Events);
        receive(1000ms, "set");
        look(1001ms, 30s, std::nullopt);
        add(1005ms, recording::ReceivedUpTo {began + 1004ms});
        look(1010ms, 30s - 9ms, text(token));
        const MonotonicTime later = began + 2500ms;
        add(2500ms, events::Observations {{"other", events::Exists {}, later, later, events::Source::Scan}});
        add(3000ms, recording::ReceivedUpTo {began + 2999ms});
        QCOMPARE(told(), (QStringList {QStringLiteral("acquired -"), QStringLiteral("changed t")}));
    }

    /// The value was read during two writes, so the tracker cannot tell after which. It is still the present one.
    void valueReadDuringTwoWrites_isReportedLater()
    {
        begin(EventSource::Mechanism::Notifications, EventCoverage::Depth::Events);
        receive(1000ms, "set");
        look(1001ms, 60s, text(token));
        add(1010ms, recording::ReceivedUpTo {began + 1009ms});
        receive(2000ms, "set");
        look(1990ms, 60s, text(other), events::Source::NotifiedRead, 60ms);
        receive(2020ms, "set");
        add(2100ms, recording::ReceivedUpTo {began + 2099ms});
        for (const milliseconds at : {3000ms, 5000ms, 7000ms}) {
            const MonotonicTime later = began + at;
            add(at, events::Observations {{"other", events::Exists {}, later, later, events::Source::Scan}});
            add(at, recording::DisplayMark {});
        }
        QList<QJsonObject> lines;
        QCOMPARE(told(&lines),
                 (QStringList {QStringLiteral("acquired t"), QStringLiteral("ended t"), QStringLiteral("acquired o")}));
        QCOMPARE(lines.back()[QStringLiteral("source")].toString(), QStringLiteral("inferred"));
        const int at = lines.back()[QStringLiteral("at_ms")].toInt();
        QVERIFY(at >= 2020 && at - lines.back()[QStringLiteral("uncertain_ms")].toInt() <= 2000);
    }

    /// The new primary has the key, with another holder: it is not reported to lack the key.
    void otherHolderAfterAFailover_isNoLoss()
    {
        begin(EventSource::Mechanism::None, EventCoverage::Depth::None);
        watched.primary = QStringLiteral("a.example:6379");
        add(500ms, watched);
        look(1000ms, 30s, text(token), events::Source::Scan);
        watched.primary = QStringLiteral("b.example:6379");
        add(2000ms, watched);
        look(2100ms, 29s, text(other), events::Source::Poll);
        const QByteArray lines = replayed({}).output;
        QVERIFY2(lines.contains("  ended  "), lines.constData());
        QVERIFY2(!lines.contains("unknown to the primary"), lines.constData());
    }

    /// With tracking, the server does not name the change: the former hold has ended in some way before the next.
    void formerHold_endsBeforeTheNextIsAcquired()
    {
        begin(EventSource::Mechanism::Tracking, EventCoverage::Depth::Keys);
        receive(1000ms, "");
        look(1001ms, 200ms, text(token));
        add(1010ms, recording::ReceivedUpTo {began + 1009ms});
        add(1236ms, recording::ReceivedUpTo {began + 1235ms});
        receive(1240ms, "");
        look(1241ms, 200ms, text(other));
        add(1250ms, recording::ReceivedUpTo {began + 1249ms});
        QList<QJsonObject> lines;
        QCOMPARE(told(&lines),
                 (QStringList {QStringLiteral("acquired t"), QStringLiteral("ended t"), QStringLiteral("acquired o")}));
        QCOMPARE(lines[1][QStringLiteral("source")].toString(), QStringLiteral("inferred"));
        // It may have expired at 1201 ms.
        QVERIFY(lines[1][QStringLiteral("uncertain_ms")].toInt() >= 39);
    }

    /// The hash of a Redisson lock with another holder than before.
    void otherHolderOfAHash_isAnotherHold()
    {
        const auto hash = [](const QByteArray &holder) {
            return keys::RawValue {keys::KeyType::Hash, 1, {holder, QByteArrayLiteral("1")}};
        };
        begin(EventSource::Mechanism::Tracking, EventCoverage::Depth::Keys);
        receive(1000ms, "");
        look(1001ms, 30s, hash("285475da-9152-4c83-822a-67ee2f116a79:52"));
        add(1010ms, recording::ReceivedUpTo {began + 1009ms});
        receive(1240ms, "");
        look(1241ms, 30s, hash("0e1c2d3f-9152-4c83-822a-67ee2f116a79:7"));
        add(1250ms, recording::ReceivedUpTo {began + 1249ms});
        QList<QJsonObject> lines;
        QCOMPARE(told(&lines),
                 (QStringList {QStringLiteral("acquired -"), QStringLiteral("ended -"), QStringLiteral("acquired -")}));
        QVERIFY(lines[1][QStringLiteral("holder")].toString().startsWith(u"285475da"));
        QVERIFY(lines[2][QStringLiteral("holder")].toString().startsWith(u"0e1c2d3f"));
    }
};

LATCHKEY_TEST(TestWatchedHolds)

} // namespace tst_watchedholds

#include "tst_watchedholds.moc"
