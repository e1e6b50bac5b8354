#include "core/keyspace/rows/rowedits.h"
#include "tests/support/testprogram.h"

#include <QList>
#include <QRandomGenerator>
#include <QTest>

#include <algorithm>

namespace tst_rowedits {

using namespace latchkey::rows;

namespace {

QString text(const std::vector<RowRange> &ranges)
{
    QStringList parts;
    for (const RowRange &range : ranges)
        parts += QStringLiteral("%1+%2").arg(range.first).arg(range.count);
    return parts.join(u' ');
}

} // namespace

class TestRowEdits final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void rangesOf_joinsNeighbours_data()
    {
        QTest::addColumn<QList<int>>("rows");
        QTest::addColumn<QString>("ranges");
        QTest::addRow("none") << QList<int> {} << QString();
        QTest::addRow("one") << QList<int> {4} << QStringLiteral("4+1");
        QTest::addRow("run") << QList<int> {0, 1, 2} << QStringLiteral("0+3");
        QTest::addRow("apart") << QList<int> {0, 2, 3, 7} << QStringLiteral("0+1 2+2 7+1");
    }
    void rangesOf_joinsNeighbours()
    {
        QFETCH(QList<int>, rows);
        QTEST(text(rangesOf({rows.constData(), static_cast<std::size_t>(rows.size())})), "ranges");
    }

    void insertionRanges_countWhatWentInBefore_data()
    {
        QTest::addColumn<QList<int>>("before");
        QTest::addColumn<QString>("ranges");
        QTest::addRow("none") << QList<int> {} << QString();
        QTest::addRow("front") << QList<int> {0} << QStringLiteral("0+1");
        QTest::addRow("same place") << QList<int> {3, 3, 3} << QStringLiteral("3+3");
        QTest::addRow("apart") << QList<int> {0, 2} << QStringLiteral("0+1 3+1");
        QTest::addRow("mixed") << QList<int> {0, 0, 1, 5, 5} << QStringLiteral("0+2 3+1 8+2");
    }
    void insertionRanges_countWhatWentInBefore()
    {
        QFETCH(QList<int>, before);
        QTEST(text(insertionRanges({before.constData(), static_cast<std::size_t>(before.size())})), "ranges");
    }

    /// Replays announced edits on a list and compares with doing it the plain way.
    void edits_rebuildWhatTheyDescribe()
    {
        QRandomGenerator random(3);
        for (int round = 0; round < 2000; ++round) {
            QList<int> list;
            for (int i = random.bounded(20); i > 0; --i)
                list += 1000 + i;

            std::vector<int> doomed;
            QList<int> expected;
            for (int row = 0; row < list.size(); ++row) {
                if (random.bounded(3) == 0)
                    doomed.push_back(row);
                else
                    expected += list[row];
            }
            const auto removals = rangesOf(doomed);
            for (auto range = removals.rbegin(); range != removals.rend(); ++range)
                list.remove(range->first, range->count);
            QCOMPARE(list, expected);

            std::vector<int> before;
            for (int i = random.bounded(20); i > 0; --i)
                before.push_back(random.bounded(static_cast<int>(list.size()) + 1));
            std::sort(before.begin(), before.end());
            for (int i = static_cast<int>(before.size()) - 1; i >= 0; --i)
                expected.insert(before[static_cast<std::size_t>(i)], i);
            int next = 0;
            for (const RowRange &range : insertionRanges(before)) {
                for (int row = range.first; row <= range.last(); ++row)
                    list.insert(row, next++);
            }
            QCOMPARE(list, expected);
        }
    }
};

LATCHKEY_TEST(TestRowEdits)

} // namespace tst_rowedits

#include "tst_rowedits.moc"
