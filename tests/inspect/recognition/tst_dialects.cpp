#include "core/inspect/recognition/recogniser.h"
#include "tests/support/testprogram.h"

#include <QTest>

#include <algorithm>

namespace tst_dialects {

using namespace latchkey;
using namespace latchkey::recognition;
using keys::KeyType;
using keys::RawValue;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

const QByteArray uuid = "934dadff-cdff-4e00-91cc-53cd4ede1684";
const QByteArray hex = "0833314599ff6ab5e6378d994aabfc76";
const QByteArray timedHex = "3b6871dae62711f18d9802fc00000001"; // A redis-py token, created some minutes before `now`.
const QByteArray medallionId = "HOST1_4711_" + hex;
constexpr base::WallTime now {1'795'320'000'000ms};
constexpr auto soon = "1795320030000";

RawValue text(const QByteArray &bytes)
{
    return {KeyType::String, bytes.size(), {bytes}};
}

RawValue pairs(KeyType type, const QByteArrayList &parts)
{
    return {type, parts.size() / 2, parts};
}

struct Example
{
    const char *dialect;
    QByteArray key;
    RawValue value;
    std::optional<milliseconds> left = 30s;
    QByteArrayList companions = {};
    bool knowsScripts = false;
    bool isRenewed = false;
    QByteArray listenedTo = {};
    QByteArray sameValue = {};
};

std::vector<Example> pythonExamples()
{
    return {
        {"kombu.unacked_mutex", "celery:unacked_mutex", text(timedHex)},
        {"redbeat", "redbeat::lock", text(timedHex), 30s, {"redbeat::schedule"}},
        {"celery-once", "qo_zoo.sum_report_month-2026-11", text(timedHex)},
        {"celery-singleton", "SINGLETONLOCK_" + hex, text(uuid), {}},
        {"django-cache-add", ":1:feed-lock-" + hex, text(QByteArray("\x80\x04\x88."))},
        {"dogpile.cache.redis", "_lockuser:8", text(timedHex)},
        {"django-redis.lock", ":1:orders", text(timedHex)},
        {"tooz", "_tooz_cluster-1_lock", text(timedHex)},
        {"redis-py.Lock", "report", text(timedHex), {}},
        {"python-redis-lock", "lock:pages", text("hU5NP/Gks9a7R2Q3MgFpiKeD"), {}},
        {"walrus.Lock", "lock:a", text(QByteArray(32, '\xfe')), {}, {"lock.event:a"}},
        {"pottery.Redlock", "redlock:printer", text(uuid), 10s, {}, true},
        {"aioredlock", "resource", text(uuid), 10s, {}, true},
        {"redlock-py", "booking:42", text("ifhXMZGyxyn2RU6efND8X4"), 30s, {}, true},
        {"redis-in-action", "lock:market", text(uuid), 10s},
    };
}

std::vector<Example> javaExamples()
{
    return {
        {"redisson.RReadWriteLock", "catalogue", pairs(KeyType::Hash, {"mode", "read", uuid + ":1", "1"})},
        {"redisson.RFencedLock",
         "order:5",
         pairs(KeyType::Hash, {uuid + ":1", "1"}),
         30s,
         {"redisson_lock_token:{order:5}"}},
        {"redisson.RFairLock",
         "order:5",
         pairs(KeyType::Hash, {uuid + ":1", "1"}),
         30s,
         {"redisson_lock_queue:{order:5}"}},
        {"redisson.RLock",
         "order:5",
         pairs(KeyType::Hash, {uuid + ":1", "1"}),
         30s,
         {},
         false,
         false,
         "redisson_lock__channel:{order:5}"},
        {"redisson.RSpinLock", "order:5", pairs(KeyType::Hash, {uuid + ":1", "1"})},
        {"redisson.MultiLock", "faster",
         pairs(KeyType::Hash, {"bmFtZQ==", uuid + ":1", "bmFtZQ==:" + uuid + ":1:expire_time", soon})},
        {"redisson.RPermitExpirableSemaphore",
         "{pool}:timeout",
         pairs(KeyType::SortedSet, {QByteArray(16, 'x'), soon}),
         {},
         {"pool"}},
        {"redisson.RSemaphore", "permits", text("2"), {}, {}, false, false, "redisson_sc:{permits}"},
        {"redisson.RCountDownLatch",
         "latch",
         text("2"),
         {},
         {},
         false,
         false,
         "redisson_countdownlatch__channel__{latch}"},
        {"spring.RedisLockRegistry", "registry:a", text(uuid), 60s, {}, false, false, {}, "registry:b"},
        {"shedlock", "job-lock:prod:cleanup", text("ADDED:2026-11-22T04:24:34.074Z@vm:" + uuid)},
        {"lock4j", "lock4j:order#5", text(hex)},
        {"heima.SimpleRedisLock", "lock:order:1", text(hex + "-17")},
    };
}

std::vector<Example> nodeAndGoExamples()
{
    return {
        {"bullmq.job-lock", "bull:mail:1:lock", text(uuid + ":0"), 30s, {"bull:mail:1"}},
        {"bull.job-lock", "bull:video:1:lock", text(uuid), 30s, {"bull:video:1"}},
        {"bee-queue", "bq:render:active", RawValue {KeyType::List, 1, {"1"}}, {}},
        {"bottleneck", "b_api_job_expirations", pairs(KeyType::SortedSet, {"2uhyx2pg494", soon}), {}},
        {"npm.redis-lock", "lock.myLock", text(soon)},
        {"node-redlock.v5", "invoice:77", text(hex), 5s, {}, true},
        {"node-redlock.v4", "locks:account:1", text(hex), 30s, {}, true},
        {"sesamecare.redlock", "x:1", text(hex), 9s, {}, true},
        {"warlock", "mine:lock", text("KiA/AOYpEfGtL1MZNDxmGQ==")},
        {"simple-redis-mutex", "@simple-redis-mutex:lock-zz", text("0.24534668877334487")},
        {"npm.redis-semaphore.mutex", "mutex:a", text(uuid), 9s, {}, true},
        {"npm.redis-semaphore", "semaphore:b", pairs(KeyType::SortedSet, {uuid, soon}), 9s},
        {"redlock-universal", "uni:1", text("node-1:1795320000000:0833314599ff6ab5")},
        {"ioredis-lock", "stock:9", text("2b4e7b40-e628-11f1-b7dc-4326a1549d9a")},
        {"dapr.lock", "lock||shop||order", text("ann's worker")},
        {"asynq.unique", "asynq:{default}:unique:email:" + hex, text(uuid)},
        {"asynq.lease", "asynq:{default}:lease", pairs(KeyType::SortedSet, {uuid, "1795320030"}), {}},
        {"gocraft.work", "app:unique:send:{\"id\":1}", text("1")},
        {"gocraft.work.concurrency", "app:jobs:send:locked", text("3"), {}, {"app:jobs:send:max_concurrency"}},
        {"redsync", "my-global-mutex", text("8UtIfIvl18UCg/sXCFUvlw=="), 8s},
        {"bsm.redislock", "my-key", text("_nxmFS9wcBshTVk-vGV5DQ"), 30s, {}, true},
        {"go-zero", "order_lock", text("AbCdEfGhIjKlMnOp"), 5500ms},
    };
}

std::vector<Example> dotnetAndPhpExamples()
{
    return {
        {"medallion.Lock", "report", text(medallionId)},
        {"medallion.Lock", "report.readers", RawValue {KeyType::Set, 1, {medallionId}}},
        {"medallion.Lock", "report.writer", text(medallionId + "_WRITERWAITING")},
        {"medallion.Lock", "pool", pairs(KeyType::SortedSet, {medallionId, soon})},
        {"hangfire.redis", "{hangfire}:locks:schedulepoller", text(uuid)},
        {"freeredis.lock", "CSRedisClientLock:a", text(uuid)},
        {"RedLock.net", "redlock:a", text(uuid), 30s, {}, false, true},
        {"StackExchange.LockTake", "order-lock", text(uuid)},
        {"laravel.unique-job",
         "laravel_database_laravel_cache:laravel_unique_job:App\\Jobs\\A:7",
         text("3hJaCfUIivHhD34r"),
         {}},
        {"laravel.cache-lock", "laravel_database_laravel_cache:orders:42", text("3hJaCfUIivHhD34r")},
        {"laravel.funnel", "laravel_database_import3", text("Q3mSZ3OJpUxixc0v8Jdy"), 60s},
        {"symfony.lock", "invoice", pairs(KeyType::SortedSet, {"gY/3heL82UvCvyifoSl6Dqtba3sdmJzGCQFIMUGnA6o=", soon})},
        {"php-lock", "php-malkusch-lock:a", text(QByteArray(64, 'a'))},
        {"redlock-php", "seat:7", text("6b02683abcf9c")},
    };
}

std::vector<Example> rubyAndOtherExamples()
{
    return {
        {"ruby.redis-semaphore", "SEMAPHORE:pool:GRABBED", pairs(KeyType::Hash, {"0", "1795319819.354303"}), {}},
        {"suo",
         "suo:a",
         text("\x91\x92\xcb" + QByteArray::fromHex("41dac0e6bd600000") + '\xb8' + QByteArray(24, 'a')),
         {}},
        {"redis-mutex.rb", "RedisMutex:export", text("1795319865.7582886"), {}},
        {"sidekiq-unique-jobs.v7v8",
         "uniquejobs:" + hex + ":LOCKED",
         pairs(KeyType::Hash, {"10f2cb5ad8772ab6356fb3ea", "1795319898.83"}),
         {}},
        {"sidekiq-unique-jobs.v9",
         "uniquejobs:" + hex + ":LOCKED",
         pairs(KeyType::Hash, {"10f2cb5ad8772ab6356fb3ea", "{}"}),
         {}},
        {"sidekiq.leader", "dear-leader", text("vm:17459:0c85a2a83ce3")},
        {"sidekiq.process", "vm:17459:0c85a2a83ce3", pairs(KeyType::Hash, {"info", R"({"hostname":"vm","pid":17459})"}),
         60s},
        {"resque-scheduler.master", "resque:resque_scheduler_master_lock", text("vm:17002"), 180s},
        {"resque-lock", "resque:lock:Plain-[3]", text("1795323484"), {}},
        {"resque-lock-timeout", "resque:lock:UpdateNet:7", text("1795319913"), {}},
        {"node-resque", "resque:workerslock:slow:mail:[7]", text("1795325053"), 1h},
        {"redis-objects.Lock", "serialize_stuff", text(""), 15s},
        {"gitlab.exclusive_lease", "gitlab:exclusive_lease:a", text(uuid), 1h},
        {"redlock-rb", "resource_key", text(uuid), 30s, {}, true},
        {"latchkey.fenced", "lock:a", text(hex), 30s, {"{lock:a}:fence"}},
        {"latchkey.token", "a", text(hex), 30s, {}, true},
        {"redis-plus-plus", "rm:resource", text("Q3mSZ3OJpUxixc0v8Jdy"), 3s, {}, true},
        {"rslock", "mutex", text(QByteArray(20, '\xfe'))},
        {"async-redis-lock", "a:lock", text(uuid), 2s},
        {"lock.token", "lock:a", text(hex)},
        {"lock.owner", "lock:a", text("hostA:4711")},
        {"lock.holders", "mutex:pool", pairs(KeyType::SortedSet, {"ann", soon}), {}},
        {"textbook.constant", "lock:a", text("locking"), {}},
        {"classic.setnx-timestamp", "lock:a", text("1795320030"), {}},
    };
}

std::vector<Example> allExamples()
{
    std::vector<Example> all;
    for (const auto &group :
         {pythonExamples(), javaExamples(), nodeAndGoExamples(), dotnetAndPhpExamples(), rubyAndOtherExamples()})
        all.insert(all.end(), group.begin(), group.end());
    return all;
}

Recognition recognise(const Example &example)
{
    static const Recogniser recogniser;
    KeySample sample;
    sample.key = example.key;
    sample.type = example.value.type;
    sample.value = example.value;
    sample.isExpiryKnown = true;
    sample.left = example.left;
    sample.now = now;
    for (const QByteArray &companion : example.companions)
        sample.companions[companion] = {true, {}, {}};
    if (!example.sameValue.isEmpty())
        sample.sameValue = QByteArrayList {example.sameValue};
    for (int i = 0; example.isRenewed && i < 8; ++i)
        sample.ttlHistory.addSample(base::MonotonicTime(i * *example.left / 4),
                                    i % 2 == 0 ? *example.left : *example.left * 3 / 4);
    ServerContext serverContext;
    if (example.knowsScripts) {
        const QByteArrayList scripts = Dialects::builtIn().find(QString::fromLatin1(example.dialect))->scripts;
        serverContext.scripts = QSet<QByteArray>(scripts.begin(), scripts.end());
    }
    if (!example.listenedTo.isEmpty())
        serverContext.subscribers[example.listenedTo] = 1;
    return recogniser.recognise(sample, serverContext);
}

} // namespace

} // namespace tst_dialects

Q_DECLARE_METATYPE(const tst_dialects::Example *)

namespace tst_dialects {

/// Tests with one example key of every dialect.
class TestDialects final : public QObject
{
    Q_OBJECT

    const std::vector<Example> examples = allExamples();

private Q_SLOTS:
    void everyDialect_isAmongTheCandidatesForItsKey_data()
    {
        QTest::addColumn<const Example *>("example");
        for (const Example &example : examples)
            QTest::addRow("%s: %s", example.dialect, example.key.constData()) << &example;
    }
    void everyDialect_isAmongTheCandidatesForItsKey()
    {
        QFETCH(const Example *, example);
        const Recognition found = recognise(*example);
        QStringList ids;
        for (const Candidate &candidate : found.candidates)
            ids += candidate.dialect;
        QVERIFY2(ids.contains(QLatin1String(example->dialect)), qPrintable(ids.join(u' ')));
        // A dialect of high confidence has the same confidence as the best candidate. No candidate stands above a
        // format that only one library writes.
        const auto own =
            std::ranges::find(found.candidates, QString::fromLatin1(example->dialect), &Candidate::dialect);
        if (own->confidence >= Confidence::High)
            QCOMPARE(own->confidence, found.best().confidence);
    }

    void everyDialect_hasAnExample()
    {
        for (const Dialect &dialect : Dialects::builtIn().all()) {
            const auto isOfIt = [&](const Example &example) { return dialect.id == QLatin1String(example.dialect); };
            QVERIFY2(std::ranges::any_of(examples, isOfIt), qPrintable(dialect.id));
        }
    }

    /// Off screen only names are known. A library with its own lock names is recognised by them.
    void namesThatAreALibrarysOwn_areOfHighInterest()
    {
        for (const Example &example : examples) {
            const Dialect &dialect = *Dialects::builtIn().find(QString::fromLatin1(example.dialect));
            const auto hasHints = [](const Form &form) { return !form.hints.empty(); };
            if (std::ranges::all_of(dialect.forms, hasHints))
                QVERIFY2(Recogniser().lockLikelihood(example.key) == LockLikelihood::High, example.key.constData());
            else
                QVERIFY2(Recogniser().lockLikelihood(example.key) != LockLikelihood::None, example.key.constData());
        }
    }

    /// Under an everyday name the same values are no locks, unless only one library writes such values.
    void withoutItsName_noGenericValueIsALock()
    {
        for (Example example : examples) {
            example.key = "session:" + QByteArray::number(example.key.size());
            example.companions.clear();
            example.listenedTo.clear();
            const Recognition found = recognise(example);
            QVERIFY2(!found.isLock() || found.best().confidence >= Confidence::High, example.dialect);
        }
    }
};

LATCHKEY_TEST(TestDialects)

} // namespace tst_dialects

#include "tst_dialects.moc"
