#include "core/keyspace/keys/key.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_key {

using namespace latchkey;
using namespace latchkey::keys;
using base::Deadline;
using base::MonotonicTime;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

/// Tests of the rules that compare two observations of a key.
class TestKey final : public QObject
{
    Q_OBJECT

    const MonotonicTime start {100h};

    [[nodiscard]] MonotonicTime at(int time) const { return start + milliseconds(time); }

private Q_SLOTS:
    void types_haveTheNamesOfTheServer()
    {
        for (const KeyType type :
             {KeyType::Hash, KeyType::List, KeyType::Set, KeyType::Stream, KeyType::String, KeyType::SortedSet})
            QCOMPARE(keyTypeFrom(keyTypeName(type).toLatin1()), type);
        QCOMPARE(keyTypeFrom("none"), KeyType::Unknown);
        QCOMPARE(keyTypeFrom({}), KeyType::Unknown);
        QCOMPARE(keyTypeFrom("ReJSON-RL"), KeyType::Other);
    }

    /// The key was due at 10 s, known to 100 ms.
    void endings_areDistinguished_data()
    {
        QTest::addColumn<int>("lastSeen");
        QTest::addColumn<int>("goneAt");
        QTest::addColumn<KeyState>("ending");
        QTest::addRow("long before its end") << 9000 << 9100 << KeyState::Removed;
        QTest::addRow("just before the earliest end") << 9800 << 9899 << KeyState::Removed;
        QTest::addRow("at the earliest end") << 9800 << 9900 << KeyState::Expired;
        QTest::addRow("after its end") << 9800 << 60'000 << KeyState::Expired;
        QTest::addRow("seen just closely enough") << 7900 << 60'000 << KeyState::Expired;
        QTest::addRow("not seen closely enough") << 7899 << 60'000 << KeyState::Ended;
    }
    void endings_areDistinguished()
    {
        QFETCH(int, lastSeen);
        QFETCH(int, goneAt);
        QTEST(endingOf(Deadline(at(10'000), 100ms), at(lastSeen), at(goneAt)), "ending");
    }

    void keyWithoutAnEnd_wasRemoved() { QCOMPARE(endingOf(Deadline::never(), at(0), at(1)), KeyState::Removed); }

    /// The key was due at 10 s, and its longest time left was 8 s. The other end is observed at 5 s.
    void changedEnds_areDistinguished_data()
    {
        QTest::addColumn<int>("end");
        QTest::addColumn<ExpiryChange>("change");
        QTest::addRow("the same") << 10'000 << ExpiryChange::None;
        QTest::addRow("the same within the measuring error") << 10'002 << ExpiryChange::None;
        QTest::addRow("slightly later") << 10'999 << ExpiryChange::Moved;
        QTest::addRow("three quarters of the full time") << 11'000 << ExpiryChange::Renewed;
        QTest::addRow("the full time") << 13'000 << ExpiryChange::Renewed;
        QTest::addRow("a longer time") << 60'000 << ExpiryChange::Renewed;
        QTest::addRow("earlier") << 9000 << ExpiryChange::Moved;
    }
    void changedEnds_areDistinguished()
    {
        QFETCH(int, end);
        const Deadline before(at(10'000), 1ms);
        QTEST(expiryChange(before, 8s, Deadline(at(end), 1ms), at(5000)), "change");
    }

    /// An earlier end is no renewal, even with all of the time left.
    void endThatIsEarlier_isNoRenewal()
    {
        QCOMPARE(expiryChange(Deadline(at(10'000), 1ms), 4s, Deadline(at(9000), 1ms), at(5000)), ExpiryChange::Moved);
    }

    void endThatComesOrGoes_isNoRenewal()
    {
        const Deadline end(at(10'000), 1ms);
        QCOMPARE(expiryChange(end, 8s, Deadline::never(), at(0)), ExpiryChange::Moved);
        QCOMPARE(expiryChange(Deadline::never(), 0s, end, at(0)), ExpiryChange::Moved);
        QCOMPARE(expiryChange(Deadline::never(), 0s, Deadline::never(), at(0)), ExpiryChange::None);
    }

    void timeLeft_isRoundedAndNotNegative()
    {
        QCOMPARE(leftAt(Deadline(at(10'000), 1ms), at(4000)), 6000ms);
        QCOMPARE(leftAt(Deadline(at(10'000) + 600us, 1ms), at(4000)), 6001ms);
        QCOMPARE(leftAt(Deadline(at(10'000), 1ms), at(10'001)), 0ms);
        QCOMPARE(leftAt(Deadline::never(), at(0)), 0ms);
    }
};

LATCHKEY_TEST(TestKey)

} // namespace tst_key

#include "tst_key.moc"
