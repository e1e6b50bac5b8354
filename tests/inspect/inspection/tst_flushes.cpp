#include "core/inspect/inspection/serverregistry.h"
#include "core/keyspace/rows/rowlist.h"
#include "tests/support/await.h"
#include "tests/support/load.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QFile>
#include <QTest>

#include <malloc.h>
#include <unistd.h>

namespace tst_flushes {

using namespace latchkey;
using namespace latchkey::detection;
using namespace latchkey::inspection;
using base::SystemClock;
using watching::Watcher;

namespace {

/// Returns the resident memory of this process, after the allocator has returned what it can.
qint64 residentBytes()
{
    malloc_trim(0);
    QFile file(QStringLiteral("/proc/self/statm"));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("cannot read /proc/self/statm");
    return file.readAll().split(' ').value(1).toLongLong() * sysconf(_SC_PAGESIZE);
}

} // namespace

/// A server that is emptied and filled repeatedly.
class TestFlushes final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void memory_doesNotGrow()
    {
        // With fewer keys every value would be read.
        const int keys = test::hasFullLoad() ? 60'000 : static_cast<int>(LockFinder::fewKeys) + 5000;
        constexpr int rounds = 10;
        constexpr int settled = 3; // After these rounds all memory that is kept between rounds is allocated.
        test::TestServer server;
        test::ScriptedRandom random {0.0};
        ServerRegistry registry(SystemClock::instance(), random);
        const auto inspected = registry.open(server.endpoint(), false);
        rows::RowList rows(inspected->store());
        inspected->start();
        bool isIdle = false;
        // The server is idle only for a moment, because all keys are read continuously.
        QObject::connect(inspected.get(), &InspectedServer::committed, inspected.get(),
                         [&] { isIdle = isIdle || (rows.rowCount() == keys && inspected->locks().isIdle()); });
        LATCHKEY_AWAIT(inspected->watcher().phase() == Watcher::Phase::Watching);

        std::size_t tableBefore = 0;
        qint64 residentBefore = 0;
        for (int round = 1; round <= rounds; ++round) {
            // Other names in each round, of the same length; some of them are locks.
            QVERIFY(
                server({"EVAL",
                        "for i = 1, ARGV[1] do redis.call('SET', (i % 2000 == 0 and 'lock:' or 'item:') .. ARGV[2] .. "
                        "':' .. i, '0123456789abcdef', 'PX', 900000) end return 1",
                        "0", QByteArray::number(keys), QByteArray::number(round + 100)})
                    .isInteger(1));
            isIdle = false;
            if (!test::waitFor([&] { return isIdle; }))
                QFAIL(qPrintable(QStringLiteral("round %1: %2 rows, %3 wishes, %4")
                                     .arg(round)
                                     .arg(rows.rowCount())
                                     .arg(inspected->watcher().requests())
                                     .arg(int(inspected->watcher().phase()))));
            if (round == settled)
                tableBefore = inspected->store().bytesAllocated();
            QVERIFY(server({"FLUSHALL"}).isOk());
            LATCHKEY_AWAIT(rows.rowCount() == 0 && inspected->store().liveCount() == 0);
            QCOMPARE(inspected->locks().lockCount(), 0);
            QVERIFY(inspected->store().known().values.isEmpty());
            QVERIFY(inspected->store().known().analysis.isEmpty());
            if (round == settled)
                residentBefore = residentBytes();
        }
        QVERIFY2(inspected->store().bytesAllocated() <= tableBefore, "the table keeps what has been forgotten");
#ifdef __SANITIZE_ADDRESS__
        Q_UNUSED(residentBefore)
        qInfo("the memory of the process is not compared: the sanitizer keeps what is freed");
#else
        constexpr qint64 slack = 6 * 1024 * 1024; // Seven rounds of 60,000 kept keys would take 30 MB.
        const qint64 grown = residentBytes() - residentBefore;
        QVERIFY2(grown < slack, qPrintable(QStringLiteral("%1 bytes more").arg(grown)));
#endif
    }
};

LATCHKEY_TEST(TestFlushes)

} // namespace tst_flushes

#include "tst_flushes.moc"
