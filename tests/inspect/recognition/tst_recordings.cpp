#include "core/inspect/recognition/recogniser.h"
#include "tests/inspect/recognition/recording.h"
#include "tests/support/testprogram.h"

#include <QTest>

#include <algorithm>
#include <array>

namespace tst_recordings {

using namespace latchkey;
using namespace latchkey::recognition;
using std::chrono::milliseconds;
using test::Recording;
using namespace std::chrono_literals;

namespace {

/// Repeats recognition with the requested data until there are no more questions.
Recognition recogniseAt(const Recording &recording, const QByteArray &key, milliseconds at)
{
    const Recogniser recogniser;
    KeySample sample = recording.sample(key, at);
    const ServerContext serverContext = recording.serverContext(at);
    Recognition recognition = recogniser.recognise(sample, serverContext);
    for (int round = 0; round < 5; ++round) {
        bool hasLearned = false;
        for (const ReadRequest &request : recognition.requests) {
            if (request.kind == ReadRequest::Kind::Companion && !sample.companions.contains(request.subject)) {
                sample.companions[request.subject] = recording.companion(request.subject, at);
                hasLearned = true;
            }
        }
        if (!hasLearned)
            break;
        recognition = recogniser.recognise(sample, serverContext);
    }
    return recognition;
}

QByteArray summary(const Recognition &recognition)
{
    QByteArrayList texts;
    for (const Candidate &candidate : recognition.candidates)
        texts += candidate.dialect.toUtf8() + ' ' + confidenceId(candidate.confidence).toUtf8();
    QByteArrayList holders;
    for (const Holder &holder : recognition.decoded.holders)
        holders += holder.bytes;
    return '[' + texts.join(", ") + "] held by [" + holders.join(", ") + ']';
}

bool names(const Recognition &recognition, const QString &dialect)
{
    return std::ranges::find(recognition.candidates, dialect, &Candidate::dialect) != recognition.candidates.end();
}

/// At first only the token indicates a lock, which is not enough. These libraries are recognised after the library has
/// done more than acquire.
const QStringList lateOnes {QStringLiteral("redlock-py"), QStringLiteral("redis-plus-plus"),
                            QStringLiteral("redlock-universal")};

/// A counter with an arbitrary name and no other key. It cannot be distinguished from a rate limit.
const QStringList unrecognisable {QStringLiteral("dramatiq")};

/// Returns whether the lock is missing among the recorded holds: redlock-rb's extend() created a new lock after the end
/// of the old one, and node-resque elects a leader.
bool isUnrecordedLock(const Recording &recording, const QByteArray &key)
{
    return (recording.library() == u"redlock-rb" && key == "x")
        || (recording.library() == u"node-resque" && key == "resque:resque_scheduler_leader_lock");
}

} // namespace

} // namespace tst_recordings

Q_DECLARE_METATYPE(const tst_recordings::Recording *)

namespace tst_recordings {

/// Tests with recordings of the keys that real libraries write.
class TestRecordings final : public QObject
{
    Q_OBJECT

    const std::vector<Recording> recordings = Recording::all();

    std::vector<Recording>::const_iterator find(const char *library) const
    {
        return std::ranges::find(recordings, QString::fromLatin1(library), &Recording::library);
    }

    void addRows()
    {
        QTest::addColumn<const Recording *>("recording");
        for (const Recording &recording : recordings) {
            QTest::addRow("%s", qPrintable(recording.library())) << &recording;
        }
    }

private Q_SLOTS:
    void recordedLock_isRecognisedWithItsHolder_data() { addRows(); }
    void recordedLock_isRecognisedWithItsHolder()
    {
        QFETCH(const Recording *, recording);
        for (const Recording::Held &held : recording->held()) {
            if (unrecognisable.contains(recording->library())) {
                QVERIFY(!recogniseAt(*recording, held.key, recording->looks(held.key).back()).isLock());
                continue;
            }
            bool isRecognised = !lateOnes.contains(recording->library());
            const auto looks = recording->looks(held.key);
            QVERIFY(!looks.empty());
            for (const milliseconds at : looks) {
                const Recognition recognition = recogniseAt(*recording, held.key, at);
                isRecognised = isRecognised || recognition.isLock();
                if (!isRecognised)
                    continue;
                const QByteArray found =
                    held.key + " at " + QByteArray::number(at.count()) + ": " + summary(recognition);
                QVERIFY2(names(recognition, held.dialect), found.constData());
                QByteArrayList holders;
                for (const Holder &holder : recognition.decoded.holders)
                    holders += holder.bytes;
                std::ranges::sort(holders);
                QByteArrayList expected = held.holders;
                std::ranges::sort(expected);
                // Other holders may join or leave a shared lock later. Only the first read shows exactly the recorded
                // holders.
                if (at == looks.front() || expected.size() <= 1)
                    QVERIFY2(holders == expected, found.constData());
                QCOMPARE(recognition.decoded.isHolderRecorded, !expected.isEmpty());
                if (held.count > 0)
                    QCOMPARE(recognition.decoded.holdCount(), held.count);
            }
            QVERIFY2(isRecognised, (held.key + " was never recognised").constData());
        }
    }

    void recordedOtherKey_isNoLock_data() { addRows(); }
    void recordedOtherKey_isNoLock()
    {
        QFETCH(const Recording *, recording);
        for (const QByteArray &key : recording->keys()) {
            const auto isIt = [&](const Recording::Held &held) { return held.key == key; };
            if (std::ranges::any_of(recording->held(), isIt) || isUnrecordedLock(*recording, key))
                continue;
            for (const milliseconds at : recording->looks(key)) {
                const Recognition recognition = recogniseAt(*recording, key, at);
                QVERIFY2(!recognition.isLock(), (key + ": " + summary(recognition)).constData());
            }
        }
    }

    void libraries_areNamedFirst_onceTheyHaveShownThemselves()
    {
        struct Expectation
        {
            const char *library;
            milliseconds at;
            Confidence least;
        };
        constexpr std::array expectations {
            Expectation {"bullmq", 10s, Confidence::Certain},
            Expectation {"redisson", 10s, Confidence::Certain},
            Expectation {"shedlock", 10s, Confidence::Certain},
            Expectation {"symfony-lock", 10s, Confidence::Certain},
            Expectation {"redis-py", 10s, Confidence::High},
            Expectation {"node-redlock.v4", 10s, Confidence::High},
            Expectation {"redlock-rb", 10s, Confidence::Medium},
            Expectation {"aioredlock", 15s, Confidence::High},
            Expectation {"redis-plus-plus", 6s, Confidence::High},
            Expectation {"redlock-universal", 11s, Confidence::Medium},
        };
        for (const Expectation &expected : expectations) {
            const auto recording = find(expected.library);
            QVERIFY(recording != recordings.end());
            const Recording::Held &held = recording->held().front();
            const Recognition recognition = recogniseAt(*recording, held.key, expected.at);
            QVERIFY2(recognition.isLock(), expected.library);
            QVERIFY2(recognition.best().dialect == held.dialect && recognition.best().confidence >= expected.least,
                     summary(recognition).constData());
        }
    }

    void fairLock_tellsItsWaitersInOrder()
    {
        const auto recording = find("redisson");
        const Recognition recognition = recogniseAt(*recording, "fair:1", milliseconds(10'000));
        QCOMPARE(recognition.decoded.waiters.size(), std::size_t(2));
        QVERIFY(recognition.decoded.waiters[0].bytes.endsWith(":27"));
        QVERIFY(recognition.decoded.waiters[1].bytes.endsWith(":26"));
    }
};

LATCHKEY_TEST(TestRecordings)

} // namespace tst_recordings

#include "tst_recordings.moc"
