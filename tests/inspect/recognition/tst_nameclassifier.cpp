#include "core/inspect/recognition/recogniser.h"
#include "tests/support/testprogram.h"

#include <QTest>

#include <ctime>
#include <vector>

namespace tst_nameclassifier {

using namespace latchkey;
using namespace latchkey::recognition;

class TestNameScreen final : public QObject
{
    Q_OBJECT

    const Recogniser recogniser;

private Q_SLOTS:
    void lockWord_wantsAWordOfItsOwn_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("word");
        const std::vector<std::pair<const char *, const char *>> rows {
            {"lock", "lock"},
            {"lock:orders", "lock"},
            {"orders.lck", "lck"},
            {"orderLock", "Lock"},
            {"order_mutex_7", "mutex"},
            {"LOCK:X", "LOCK"},
            {"a/lease", "lease"},
            {"locks:1", "locks"},
            {"lock:\xff", "lock"},
            {"resque:workerslock:a", "lock"},
            {"spinlock", "lock"},
            {"lock:session:7", "lock"},
            {"lock7", "lock"},
            {"job-lock:prod:a", "lock"},
            {"RedLock:x", "RedLock"},
            {"block:7", ""},
            {"clock", ""},
            {"unlocked", ""},
            {"lockers", ""},
            {"lockz:1", ""},
            {"locka:1", ""},
            {"session:1", ""},
            {"", ""},
            {"released", ""},
            {"prerelease", ""},
            {"account:locked", ""},
            {"blocked-ips", ""},
            {"timeclock:3", ""},
            {"autounlock", ""},
            {"deadlock:7", ""},
            {"lock_count", ""},
            {"lock-screen:7", ""},
            {"locks:stats", ""},
            {"lockCount", ""},
            {"locksmith", ""},
        };
        for (const auto &[key, word] : rows)
            QTest::addRow("%s", key) << QByteArray(key) << QByteArray(word);
    }
    void lockWord_wantsAWordOfItsOwn()
    {
        QFETCH(QByteArray, key);
        QTEST(recogniser.dialects().nameClassifier().classify(key).lockWord.toByteArray(), "word");
    }

    void interest_goesByTheName_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<int>("likelihood");
        const auto add = [](const char *key, LockLikelihood likelihood) {
            QTest::addRow("%s", key) << QByteArray(key) << static_cast<int>(likelihood);
        };
        for (const char *key :
             {"lock:7", "unacked_mutex", "qo_zoo.sum", "SINGLETONLOCK_0", "b_api_job_expirations", "bq:render:active",
              "uniquejobs:8f2ac88d6abb211f9af42d9fb3fb89ae:LOCKED", "SEMAPHORE:a:GRABBED", "asynq:{q}:lease",
              "_lockuser:8", "laravel_database_laravel_cache:orders:42", "prefix:dear-leader"})
            add(key, LockLikelihood::High);
        for (const char *key :
             {"order:5", "invoice:77", "my-key", "vm:17459:0c85a2a83ce3", "\xff\xfe", "", ":1:orders"})
            add(key, LockLikelihood::Some);
        for (const char *key : {"session:7", "user:42:token", "rateLimit:10.0.0.1", "PAGE_VIEWS", "cache:/index"})
            add(key, LockLikelihood::None);
    }
    void interest_goesByTheName()
    {
        QFETCH(QByteArray, key);
        QTEST(static_cast<int>(recogniser.lockLikelihood(key)), "likelihood");
    }

    /// Every library with its own lock names is found by the name alone, also off screen.
    void everyHint_isFoundWhereverItStands()
    {
        QByteArrayList hints;
        for (int i = 0; i < 200; ++i)
            hints += "part" + QByteArray::number(i) + ':';
        const NameClassifier nameClassifier({{"lock"}, {}, {}, {"part"}}, hints);
        for (int i = 0; i < 200; ++i) {
            for (const QByteArray &name : {hints[i], "x:" + hints[i] + "y", hints[i].toUpper()}) {
                const auto found = nameClassifier.classify(name);
                QVERIFY2(found.hints.test(static_cast<std::size_t>(i)) && found.hints.count() == 1, name.constData());
            }
        }
        QVERIFY(nameClassifier.classify("part:").isEveryday);
        QVERIFY(NameClassifier({{"lock"}, {}, {}, {}}, {"lock"}).classify("lock").hints.test(0));
        QVERIFY(!NameClassifier().classify("lock").hints.any());
    }

    void manyNames_areClassified()
    {
        std::vector<QByteArray> names;
        for (int i = 0; i < 1000; ++i)
            names.push_back("app:customer:" + QByteArray::number(i) + (i % 10 == 0 ? ":lock" : ":profile:picture"));
        int interesting = 0;
        const std::clock_t start = std::clock(); // CPU time of this process, because other processes may be busy too.
        for (int round = 0; round < 1000; ++round) {
            for (const QByteArray &name : names)
                interesting += recogniser.lockLikelihood(name) == LockLikelihood::High ? 1 : 0;
        }
        qInfo("%.0f ns a name", static_cast<double>(std::clock() - start) * 1000 / CLOCKS_PER_SEC);
        QCOMPARE(interesting, 100'000);
    }
};

LATCHKEY_TEST(TestNameScreen)

} // namespace tst_nameclassifier

#include "tst_nameclassifier.moc"
