#include "core/redis/resp/flushcount.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_flushcount {

using namespace latchkey::resp;

class TestFlushCount final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyFlush_counts()
    {
        QCOMPARE(flushCount(Reply::bulk("# Commandstats\r\n"
                                        "cmdstat_flushall:calls=12,usec=9,usec_per_call=0.75\r\n"
                                        "cmdstat_get:calls=500,usec=700,usec_per_call=1.40\r\n"
                                        "cmdstat_flushdb:calls=3,usec=4,usec_per_call=1.33\r\n"
                                        "cmdstat_swapdb:calls=1,usec=4,usec_per_call=4.00\r\n")),
                 15 + 1);
        QCOMPARE(flushCount(Reply::bulk("# Commandstats\r\n")), 0);
    }

    /// A FLUSHALL with a wrong option is called, and removes nothing.
    void failedCommand_doesNotCount()
    {
        const Reply info =
            Reply::bulk("# Commandstats\r\n"
                        "cmdstat_flushall:calls=3,usec=9,usec_per_call=3.00,rejected_calls=4,failed_calls=1\r\n"
                        "cmdstat_flushdb:calls=3,usec=4,usec_per_call=1.33,rejected_calls=0,failed_calls=0\r\n"
                        "cmdstat_swapdb:calls=2,usec=4,usec_per_call=4.00,rejected_calls=0,failed_calls=2\r\n");
        QCOMPARE(flushCounts(info), (FlushCounts {2, 3, 0}));
        QCOMPARE(flushCount(info), 5);
    }

    void everyRename_counts()
    {
        QCOMPARE(renameCount(Reply::bulk("# Commandstats\r\n"
                                         "cmdstat_rename:calls=12,usec=9,usec_per_call=0.75\r\n"
                                         "cmdstat_flushall:calls=1,usec=4,usec_per_call=4.00\r\n"
                                         "cmdstat_renamenx:calls=3,usec=4,usec_per_call=1.33\r\n")),
                 12 + 3);
        QCOMPARE(renameCount(Reply::error("NOPERM no INFO")), std::nullopt);
    }

    void replyWithoutStatistics_isNoCount()
    {
        QCOMPARE(flushCount(Reply::error("NOPERM no INFO")), std::nullopt);
        QCOMPARE(flushCount(Reply::bulk("")), std::nullopt);
        QCOMPARE(flushCount(Reply::bulk("# Commandstats\r\ncmdstat_flushall:calls=")), 0);
    }
};

LATCHKEY_TEST(TestFlushCount)

} // namespace tst_flushcount

#include "tst_flushcount.moc"
