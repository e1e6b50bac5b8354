#include "core/foundation/base/uniquequeue.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_uniquequeue {

using latchkey::base::UniqueQueue;

class TestUniqueQueue final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void queue_returnsEachElementOnceInOrder()
    {
        UniqueQueue<int> queue;
        QVERIFY(queue.push(3));
        QVERIFY(queue.push(1));
        QVERIFY(!queue.push(3));
        QCOMPARE(queue.size(), 2);
        QCOMPARE(queue.take(), 3);
        QVERIFY(queue.push(3)); // It does not wait any more.
        QCOMPARE(queue.take(), 1);
        QCOMPARE(queue.take(), 3);
        QVERIFY(queue.isEmpty());
    }

    void removedElement_isNotReturned()
    {
        UniqueQueue<int> queue;
        for (int i = 0; i < 5; ++i)
            queue.push(i);
        queue.remove(0);
        queue.remove(3);
        queue.remove(7);
        QCOMPARE(queue.size(), 3);
        QVERIFY(queue.push(0));
        QVERIFY(!queue.push(0));
        QList<int> taken;
        while (!queue.isEmpty())
            taken.append(queue.take());
        QCOMPARE(taken.size(), 4);
        QCOMPARE(QSet<int>(taken.cbegin(), taken.cend()), QSet<int>({0, 1, 2, 4}));
        queue.push(9);
        queue.remove(9);
        QVERIFY(queue.isEmpty());
        queue.push(8);
        QCOMPARE(queue.take(), 8);
    }

    void clearing_leavesNothing()
    {
        UniqueQueue<int> queue;
        queue.push(1);
        queue.clear();
        QVERIFY(queue.isEmpty());
        QVERIFY(queue.push(1));
        QCOMPARE(queue.take(), 1);
    }
};

LATCHKEY_TEST(TestUniqueQueue)

} // namespace tst_uniquequeue

#include "tst_uniquequeue.moc"
