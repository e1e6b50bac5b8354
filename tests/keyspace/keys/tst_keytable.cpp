#include "core/keyspace/keys/keytable.h"
#include "tests/support/testprogram.h"

#include <QRandomGenerator>
#include <QTest>

namespace tst_keytable {

using namespace latchkey;
using namespace latchkey::keys;
using base::Deadline;
using base::MonotonicTime;
using namespace std::chrono_literals;

class TestKeyTable final : public QObject
{
    Q_OBJECT

    const MonotonicTime epoch {100h};

private Q_SLOTS:
    void randomOperations_agreeWithAPlainHash()
    {
        KeyTable table(epoch);
        QHash<QByteArray, KeyId> reference;
        QRandomGenerator random(11);
        const auto key = [&] {
            const int number = random.bounded(3000);
            // Short, long, empty, with NUL, and too long for the arena.
            switch (number % 5) {
            case 0:
                return QByteArray("k") + QByteArray::number(number);
            case 1:
                return QByteArray::number(number).repeated(100);
            case 2:
                return QByteArray("nul\0", 4) + QByteArray::number(number);
            case 3:
                return number < 30 ? QByteArray(70'000 + number, 'L') : QByteArray(number / 5, '-');
            default:
                return QByteArray("lock:") + QByteArray::number(number);
            }
        };
        for (int step = 0; step < 40'000; ++step) {
            const QByteArray name = key();
            const auto found = table.find(name);
            QCOMPARE(found.has_value(), reference.contains(name));
            if (!found) {
                reference.insert(name, table.insert(name));
            } else if (random.bounded(2) == 0) {
                QVERIFY(*found == reference.value(name));
                table.erase(*found);
                reference.remove(name);
            }
            QCOMPARE(table.size(), reference.size());
        }
        for (auto entry = reference.cbegin(); entry != reference.cend(); ++entry) {
            QVERIFY(table.find(entry.key()) == entry.value());
            QCOMPARE(table.key(entry.value()).toByteArray(), entry.key());
        }
    }

    /// Lengths of keys have 16 bits in a record; longer keys are kept elsewhere.
    void keysAroundTheLongestInARecord_areKept()
    {
        KeyTable table(epoch);
        for (const qsizetype length : {65'534, 65'535, 65'536}) {
            const QByteArray key(length, 'k');
            const KeyId id = table.insert(key);
            QVERIFY(table.find(key) == id);
            QCOMPARE(table.key(id).size(), length);
            table.erase(id);
            QVERIFY(!table.find(key));
        }
    }

    /// Among this many keys, some share their 32-bit hash with an absent key.
    void keysWithTheSameHash_areDistinguished()
    {
        KeyTable table(epoch);
        constexpr int count = 200'000;
        for (int i = 0; i < count; ++i)
            table.insert("there:" + QByteArray::number(i));
        int found = 0;
        for (int i = 0; i < count; ++i)
            found += table.find("absent:" + QByteArray::number(i)) ? 1 : 0;
        QCOMPARE(found, 0);
        for (int i = 0; i < count; ++i)
            found += table.find("there:" + QByteArray::number(i)) ? 1 : 0;
        QCOMPARE(found, count);
    }

    void comingAndGoing_needsNoMoreMemoryThanBefore()
    {
        KeyTable table(epoch);
        const auto fill = [&](int round) {
            for (int i = 0; i < 20'000; ++i)
                table.insert("lock:" + QByteArray::number(round) + ":" + QByteArray::number(100'000 + i));
        };
        const auto empty = [&] {
            for (quint32 i = 0; i < table.idLimit(); ++i) {
                if (table.isUsed(KeyId {i}))
                    table.erase(KeyId {i});
            }
        };
        fill(10);
        const std::size_t once = table.bytesAllocated();
        QVERIFY2(once > 20'000 * 48 && once < 20'000 * 200, qPrintable(QString::number(once)));
        for (int round = 11; round < 60; ++round) {
            empty();
            fill(round);
        }
        // Other keys are distributed differently over the index; apart from that nothing may grow.
        QVERIFY2(table.bytesAllocated() < once + once / 5,
                 qPrintable(QStringLiteral("%1 after %2").arg(table.bytesAllocated()).arg(once)));
    }

    void record_keepsWhatItWasGiven()
    {
        KeyTable table(epoch);
        const KeyId id = table.insert("k");
        QVERIFY(table.deadline(id).isNever());
        QCOMPARE(table.type(id), KeyType::Unknown);
        QCOMPARE(table.state(id), KeyState::Live);

        table.setDeadline(id, Deadline(epoch + 5s, 1500us));
        table.setSampled(id, epoch + 1s);
        table.setSpan(id, 30s);
        table.setType(id, KeyType::SortedSet);
        table.setState(id, KeyState::Removed);
        table.setStartSeen(id, true);
        const KeyRecord record = table.at(id);
        QCOMPARE(record.key, base::Key("k"));
        QCOMPARE(record.deadline, Deadline(epoch + 5s, 1500us));
        QCOMPARE(record.sampled, epoch + 1s);
        QCOMPARE(record.span, 30s);
        QCOMPARE(record.type, KeyType::SortedSet);
        QCOMPARE(record.state, KeyState::Removed);
        QVERIFY(record.isStartSeen);
    }

    void farAwayEnds_areKeptAndSaturate()
    {
        KeyTable table(epoch);
        const KeyId id = table.insert("k");
        // 2^46 ms: two thousand years.
        const Deadline far(epoch + std::chrono::milliseconds(qint64(1) << 43), 3h);
        table.setDeadline(id, far);
        QCOMPARE(table.deadline(id).at(), far.at());
        QVERIFY2(table.deadline(id).uncertainty() > 1h, "saturates, does not wrap");
        table.setSpan(id, std::chrono::hours(24 * 365));
        QVERIFY(table.span(id) > std::chrono::hours(24 * 49));
    }
};

LATCHKEY_TEST(TestKeyTable)

} // namespace tst_keytable

#include "tst_keytable.moc"
