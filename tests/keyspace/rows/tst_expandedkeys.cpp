#include "core/keyspace/keys/keystore.h"
#include "core/keyspace/rows/expandedkeys.h"
#include "tests/support/manualclock.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_expandedkeys {

using namespace latchkey;
using namespace std::chrono_literals;
using rows::ExpandedKeys;

/// Tests of the row positions of expanded keys, without a list and without a table.
class TestExpandedKeys final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Three of ten keys are expanded, one of them in a folded group: every row is found from its content.
    void everyRow_isFoundFromWhatStandsInIt()
    {
        test::ManualClock clock;
        keys::KeyStore store(clock);
        ExpandedKeys expanded;
        const QList<std::pair<int, int>> fieldsOf {{2, 3}, {5, 1}, {9, 2}};
        for (int i = 0; i < 10; ++i)
            store.observe(QByteArray::number(i), base::Deadline(clock.now() + 60s, 1ms), clock.now());
        while (store.commit()) {}
        for (const auto &[key, count] : fieldsOf) {
            keys::FieldDeadlines ends;
            for (int i = 0; i < count; ++i)
                ends.first.push_back({QByteArray::number(i), base::Deadline(clock.now() + 10s, 1ms)});
            ends.endingCount = ends.readCount = ends.size = count;
            ends.isWhole = true;
            store.observeFieldEnds(QByteArray::number(key), ends);
        }
        while (store.commit()) {}
        const keys::KnownKeys &known = store.known();
        const auto listRowOf = [&](keys::KeyId id) { return known.table.key(id).toByteArray().toInt(); };
        for (const auto &[key, count] : fieldsOf)
            expanded.open(known, *known.table.find(QByteArray::number(key)));
        QCOMPARE(expanded.hiddenCount(known), 6);
        expanded.updateRows(known, listRowOf, [](int row) { return row == 5 ? -1 : row; });
        QCOMPARE(expanded.hiddenCount(known), 1);
        QCOMPARE(expanded.fieldCount(), 5);
        QStringList shown;
        for (int row = 0; row < 10 + expanded.fieldCount(); ++row) {
            const ExpandedKeys::RowContent content = expanded.at(row);
            shown += QString::number(content.base)
                   + (content.open == nullptr ? QString() : u'.' + QString::number(content.field));
            if (content.open == nullptr)
                QCOMPARE(expanded.rowOf(content.base), row);
            else
                QCOMPARE(expanded.rowOf(content.base) + 1 + content.field, row);
        }
        QCOMPARE(shown.join(u' '), QStringLiteral("0 1 2 2.0 2.1 2.2 3 4 5 6 7 8 9 9.0 9.1"));
        expanded.close(*known.table.find("2"));
        QCOMPARE(expanded.at(9).base, 9);
        QCOMPARE(expanded.at(10).field, 0);
    }
};

LATCHKEY_TEST(TestExpandedKeys)

} // namespace tst_expandedkeys

#include "tst_expandedkeys.moc"
