#include "core/inspect/recognition/recogniser.h"
#include "core/recipes/locks/catalogue.h"
#include "core/recipes/locks/fenced.h"
#include "core/redis/exchange/blockingdriver.h"
#include "tests/support/await.h"
#include "tests/support/foreignlibraries.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QProcess>
#include <QTest>

#include <algorithm>

namespace tst_recogniser {

using namespace latchkey;
using namespace latchkey::recognition;
using keys::KeyType;
using keys::RawValue;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

const QByteArray uuid4 = "934dadff-cdff-4e00-91cc-53cd4ede1684";
const QByteArray hex32 = "0833314599ff6ab5e6378d994aabfc76";
constexpr base::WallTime now {1'795'320'000'000ms};

KeySample stringAt(const QByteArray &key, const QByteArray &value, std::optional<milliseconds> left = 30s)
{
    KeySample sample;
    sample.key = key;
    sample.type = KeyType::String;
    sample.value = RawValue {KeyType::String, value.size(), {value}};
    sample.isExpiryKnown = true;
    sample.left = left;
    sample.now = now;
    return sample;
}

QStringList idsOf(const Recognition &recognition)
{
    QStringList ids;
    for (const Candidate &candidate : recognition.candidates)
        ids += candidate.dialect;
    return ids;
}

TtlHistory renewedEvery(milliseconds period, milliseconds lease)
{
    TtlHistory ttlHistory;
    for (int i = 0; i < 5; ++i) {
        ttlHistory.addSample(base::MonotonicTime(i * period), lease);
        ttlHistory.addSample(base::MonotonicTime((i + 1) * period - 1ms), lease - period + 1ms);
    }
    return ttlHistory;
}

ServerContext knowing(const char *dialect)
{
    ServerContext serverContext;
    serverContext.scripts = QSet<QByteArray> {Dialects::builtIn().find(QString::fromLatin1(dialect))->scripts.front()};
    return serverContext;
}

bool asks(const Recognition &recognition, ReadRequest::Kind kind, const QByteArray &subject = {})
{
    return std::ranges::find(recognition.requests, ReadRequest {kind, subject}) != recognition.requests.end();
}

} // namespace

} // namespace tst_recogniser

Q_DECLARE_METATYPE(tst_recogniser::KeySample)
Q_DECLARE_METATYPE(tst_recogniser::ServerContext)

namespace tst_recogniser {

class TestRecogniser final : public QObject
{
    Q_OBJECT

    const Recogniser recogniser;

private Q_SLOTS:
    /// The word `job` in a name does not speak against a lock, because most keys of jobs are locks.
    void nameOfAJob_isNoReasonAgainstALock()
    {
        for (const char *key : {"job:import-1:lock", "lock:job:1", "jobs:mail:lock"})
            QVERIFY2(recogniser.recognise(stringAt(key, uuid4)).isLock(), key);
        for (const char *key : {"job:import-1", "session:7"})
            QVERIFY2(!recogniser.recognise(stringAt(key, uuid4)).isLock(), key);
    }

    /// A key that is released and acquired again is a lock under any name. Exceptions are everyday names, values that
    /// any program could write, and long leases.
    void releasedToken_isALock_data()
    {
        QTest::addColumn<KeySample>("sample");
        QTest::addColumn<bool>("isLock");
        QTest::addRow("UUID") << stringAt("invoice:77", uuid4) << true;
        QTest::addRow("digits") << stringAt("stock:9", hex32) << true;
        QTest::addRow("redlock-py's") << stringAt("booking:42", "ifhXMZGyxyn2RU6efND8X4") << true;
        QTest::addRow("session") << stringAt("session:77", uuid4) << false;
        QTest::addRow("number") << stringAt("invoice:77", "12") << false;
        QTest::addRow("long lease") << stringAt("invoice:77", uuid4, 10min) << false;
    }
    void releasedToken_isALock()
    {
        QFETCH(KeySample, sample);
        QFETCH(bool, isLock);
        QVERIFY(!recogniser.recognise(sample).isLock());
        sample.releases = 1;
        QCOMPARE(idsOf(recogniser.recognise(sample)),
                 isLock ? QStringList {QStringLiteral("lock.token")} : QStringList());
    }

    /// Libraries with equal formats are distinguished by the key's name or by the content of the value.
    void library_isNotTakenForAnother_data()
    {
        QTest::addColumn<KeySample>("sample");
        QTest::addColumn<QString>("knows");
        QTest::addColumn<QString>("best");
        QTest::addColumn<QString>("wrong");
        const auto add = [](const char *best, const KeySample &sample, const char *knows, const char *wrong) {
            QTest::addRow("%s", best) << sample << QString::fromLatin1(knows) << QString::fromLatin1(best)
                                      << QString::fromLatin1(wrong);
        };
        add("warlock", stringAt("mine:lock", "KiA/AOYpEfGtL1MZNDxmGQ=="), "warlock", "redsync");
        add("redsync", stringAt("mine:lock", "8UtIfIvl18UCg/sXCFUvlw=="), "redsync", "warlock");
        add("simple-redis-mutex", stringAt("@simple-redis-mutex:lock-zz", "0.24534668877334487"), "simple-redis-mutex",
            "redlock-universal");
        add("redlock-universal", stringAt("uni:1", hex32), "redlock-universal", "simple-redis-mutex");
        add("sesamecare.redlock", stringAt("x:1", hex32), "sesamecare.redlock", "node-redlock.v5");
        add("tooz", stringAt("_tooz_cluster_lock", "3b6871dae62711f18d9802fc00000001"), "tooz", "");
        add("npm.redis-semaphore.mutex", stringAt("mutex:a", uuid4), "npm.redis-semaphore.mutex", "");
    }
    void library_isNotTakenForAnother()
    {
        QFETCH(KeySample, sample);
        QFETCH(QString, knows);
        QFETCH(QString, best);
        QFETCH(QString, wrong);
        for (const bool isScriptKnown : {true, false}) {
            const ServerContext serverContext = isScriptKnown ? knowing(knows.toLatin1().constData()) : ServerContext();
            const QStringList ids = idsOf(recogniser.recognise(sample, serverContext));
            if (!isScriptKnown && ids.isEmpty())
                continue; // Only the script identifies the library.
            QCOMPARE(ids.value(0), best);
            QVERIFY2(wrong.isEmpty() || !ids.contains(wrong), qPrintable(ids.join(u' ')));
        }
    }

    /// Counters of a mutex library, with names that resemble locks.
    void counterOfSimpleRedisMutex_isNoLock()
    {
        QVERIFY(!recogniser.recognise(stringAt("@simple-redis-mutex:fencing-tokens", "1", {})).isLock());
        QVERIFY(!recogniser.recognise(stringAt("@simple-redis-mutex:lock-a:next-id", "1", {})).isLock());
    }

    void habits_needNameAndValue_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QString>("id");
        const auto add = [](const char *name, const char *key, const QByteArray &value, const char *id) {
            QTest::addRow("%s", name) << QByteArray(key) << value << QString::fromLatin1(id);
        };
        add("constant", "lock:a", "locking", "textbook.constant");
        add("one", "lock:a", "1", "textbook.constant");
        add("time", "lock:a", "1795320030", "classic.setnx-timestamp");
        add("our token", "lock:a", hex32, "lock.token");
        add("machine and process", "deploy-lock", "hostA:4711", "lock.owner");
        add("JSON", "mutex/deploy", R"({"owner":"ann","host":"hostA"})", "lock.owner");
        add("a session's token", "session:a", hex32, "");
        add("our counter", "{lock:a}:fence", "1", "");
        add("a lock's notes", "lock:a", "ann works on it", "");
        add("a flag", "flag:lock", "1", "");
        add("a locked account", "account:locked", "1", "");
        add("upper case digits", "lock:a", hex32.toUpper(), "lock.token");
        add("a stalled check", "bull:lock:stalled-check", "1795320000000", "");
    }
    void habits_needNameAndValue()
    {
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, value);
        const Recognition found = recogniser.recognise(stringAt(key, value));
        QTEST(found.isLock() ? found.best().dialect : QString(), "id");
        QVERIFY(!found.isLock() || found.best().evidence.size() >= 2);
    }

    void cutValues_areNoLocks()
    {
        KeySample sample = stringAt("lock", "1");
        sample.value->size = 5000;
        QVERIFY(!recogniser.recognise(sample).isLock());
    }

    /// Requests an unread value if the name makes a lock possible.
    void unreadValues_areRequested_forLockNames()
    {
        KeySample sample;
        sample.key = "order:5";
        QVERIFY(asks(recogniser.recognise(sample), ReadRequest::Kind::Value));
        sample.key = "session:5";
        QVERIFY(recogniser.recognise(sample).requests.empty());
    }

    void sixShapes_stayAmbiguous_untilMoreIsKnown_data()
    {
        QTest::addColumn<KeySample>("sample");
        QTest::addColumn<ServerContext>("serverContext");
        QTest::addColumn<QStringList>("among");
        QTest::addColumn<QString>("first");
        const auto add = [](const char *name, const KeySample &sample, const ServerContext &serverContext,
                            const QString &among, const char *first = "") {
            QTest::addRow("%s", name) << sample << serverContext << among.split(u' ') << QString::fromLatin1(first);
        };
        const KeySample redlock = stringAt("redlock:a", uuid4, 10s);
        add("redlock:", redlock, {}, QStringLiteral("pottery.Redlock RedLock.net"));
        KeySample renewed = redlock;
        renewed.ttlHistory = renewedEvery(5s, 10s);
        add("redlock:, renewed", renewed, {}, QStringLiteral("RedLock.net"), "RedLock.net");
        add("redlock:, pottery's script", redlock, knowing("pottery.Redlock"), QStringLiteral("pottery.Redlock"),
            "pottery.Redlock");

        add("hexadecimal", stringAt("lock:a", hex32), {},
            QStringLiteral("node-redlock.v4 node-redlock.v5 redlock-universal"));
        add("hexadecimal, version 5", stringAt("a", hex32), knowing("node-redlock.v5"),
            QStringLiteral("node-redlock.v5"), "node-redlock.v5");
        add("UUID", stringAt("a:lock", uuid4, 2s), {},
            QStringLiteral("aioredlock redlock-rb async-redis-lock spring.RedisLockRegistry StackExchange.LockTake"));
        add("UUID, Ruby's script", stringAt("a", uuid4), knowing("redlock-rb"), QStringLiteral("redlock-rb"),
            "redlock-rb");
        KeySample registry = stringAt("reg:a", uuid4, 60s);
        registry.sameValue = QByteArrayList {"reg:b"};
        add("UUID in two keys", registry, {}, QStringLiteral("spring.RedisLockRegistry"), "spring.RedisLockRegistry");

        add("lock:, UUID", stringAt("lock:a", uuid4), {}, QStringLiteral("redis-in-action"), "redis-in-action");
        add("lock:, 24 of base64", stringAt("lock:a", "hU5NP/Gks9a7R2Q3MgFpiKeD"), {},
            QStringLiteral("python-redis-lock"), "python-redis-lock");
        add("lock:, 32 bytes", stringAt("lock:a", QByteArray(32, '\xfe')), {}, QStringLiteral("walrus.Lock"),
            "walrus.Lock");
        add("lock:, UUID and thread", stringAt("lock:a", hex32 + "-17"), {}, QStringLiteral("heima.SimpleRedisLock"),
            "heima.SimpleRedisLock");
        add(":lock, UUID", stringAt("bull:video:1:lock", uuid4), {}, QStringLiteral("bull.job-lock"), "bull.job-lock");
        add(":lock, UUID and number", stringAt("bull:mail:1:lock", uuid4 + ":0"), {}, QStringLiteral("bullmq.job-lock"),
            "bullmq.job-lock");

        KeySample hash = stringAt("order:5", {});
        hash.type = KeyType::Hash;
        hash.value = RawValue {KeyType::Hash, 1, {uuid4 + ":1", "2"}};
        add("Redisson", hash, {}, QStringLiteral("redisson.RLock redisson.RFairLock redisson.RSpinLock"),
            "redisson.RLock");
        KeySample fenced = hash;
        fenced.companions["redisson_lock_token:{order:5}"] = {true, {KeyType::String, 2, {"41"}}, {}};
        add("Redisson with a number", fenced, {}, QStringLiteral("redisson.RFencedLock"), "redisson.RFencedLock");
        KeySample fair = hash;
        fair.companions["redisson_lock_queue:{order:5}"] = {true, {KeyType::List, 1, {uuid4 + ":7"}}, {}};
        add("Redisson with a queue", fair, {}, QStringLiteral("redisson.RFairLock"), "redisson.RFairLock");

        add("16, lock word", stringAt("lock:a", "3hJaCfUIivHhD34r"), {}, QStringLiteral("laravel.cache-lock"));
        add("16 letters, lock word", stringAt("lock:a", "AbCdEfGhIjKlMnOp"), {}, QStringLiteral("go-zero"), "go-zero");
        add("20, lock word", stringAt("lock:a", "Q3mSZ3OJpUxixc0v8Jdy"), {}, QStringLiteral("redis-plus-plus"));
        add("22, lock word", stringAt("lock:a", "ifhXMZGyxyn2RU6efND8X4"), {}, QStringLiteral("redlock-py"));
        add("22 of base64, lock word", stringAt("lock:a", "_nxmFS9wcBshTVk-vGV5DQ"), {},
            QStringLiteral("bsm.redislock"));
    }
    void sixShapes_stayAmbiguous_untilMoreIsKnown()
    {
        QFETCH(KeySample, sample);
        QFETCH(ServerContext, serverContext);
        QFETCH(QStringList, among);
        QFETCH(QString, first);
        const QStringList found = idsOf(recogniser.recognise(sample, serverContext));
        for (const QString &id : among)
            QVERIFY2(found.contains(id), qPrintable(id + QStringLiteral(" is not among ") + found.join(u' ')));
        if (!first.isEmpty())
            QCOMPARE(found.first(), first);
    }

    /// A registry writes its UUID into all its locks. A UUID that no other key has says nothing.
    void valueOfNoOtherKey_isNoEvidence()
    {
        KeySample sample = stringAt("reg:a", uuid4, 60s);
        const auto isEvidence = [&] {
            const Recognition found = recogniser.recognise(sample);
            return std::ranges::any_of(found.candidates, [](const Candidate &candidate) {
                return std::ranges::any_of(
                    candidate.evidence, [](const Evidence &piece) { return piece.kind == Evidence::Kind::SameValue; });
            });
        };
        sample.sameValue = QByteArrayList {"reg:b"};
        QVERIFY(isEvidence());
        sample.sameValue = QByteArrayList {"reg:a", "other:b"};
        QVERIFY(!isEvidence());
    }

    /// Questions are asked only for dialects that match the name, and only for the data these dialects need.
    void requests_areLimitedToMatchingDialects()
    {
        const Recognition job = recogniser.recognise(stringAt("bull:mail:1:lock", uuid4 + ":0"));
        QVERIFY(asks(job, ReadRequest::Kind::Companion, "bull:mail:1"));
        QVERIFY(asks(job, ReadRequest::Kind::Companion, "bull:mail:active"));

        const Recognition certain = recogniser.recognise(stringAt("SINGLETONLOCK_" + hex32, uuid4));
        QCOMPARE(certain.requests.size(), std::size_t(1)); // The state of its job, nothing of other dialects.

        QVERIFY(asks(recogniser.recognise(stringAt("a", uuid4)), ReadRequest::Kind::Scripts));
        QVERIFY(recogniser.recognise(stringAt("session:a", uuid4)).requests.empty());
        QVERIFY(recogniser.recognise(stringAt("permits", "3"))
                    .requests.empty()); // It could be a semaphore, but so could any number.
        QVERIFY(recogniser.recognise(stringAt("lock:a", "1")).requests.empty());
        ServerContext nothing;
        nothing.scripts.emplace();
        nothing.areChannelsComplete = true;
        QVERIFY(recogniser.recognise(stringAt("a", uuid4), nothing).requests.empty());
    }

    void aSubscriber_makesANumberASemaphore()
    {
        ServerContext serverContext;
        serverContext.subscribers["redisson_sc:{permits}"] = 2;
        const Recognition found = recogniser.recognise(stringAt("permits", "3", {}), serverContext);
        QVERIFY(found.isLock());
        QCOMPARE(found.best().dialect, QStringLiteral("redisson.RSemaphore"));
        QCOMPARE(found.decoded.free, std::optional<qint64>(3));
        QCOMPARE(found.decoded.waitingClients, std::optional<qint64>(2));
        QVERIFY(!found.decoded.isHolderRecorded);
    }

    void keysOfAnyBytes_areRecognised()
    {
        const QByteArray key("lock:\xff\x00\xfe{", 9);
        const Recognition found = recogniser.recognise(stringAt(key, QByteArray(32, '\xfe')));
        QVERIFY(found.isLock());
        QCOMPARE(found.decoded.holders.front().bytes, QByteArray(32, '\xfe'));
        QVERIFY(asks(found, ReadRequest::Kind::Companion, QByteArray("lock.event:\xff\x00\xfe{", 15)));
    }

    /// Keys that Latchkey's own recipes leave on a real server are recognised as far as their shapes allow.
    void ownRecipes_areRecognised()
    {
        test::TestServer server;
        exchange::BlockingDriver driver({server.endpoint()});
        int tried = 0;
        for (const locks::Recipe &recipe : locks::recipes()) {
            if (recipe.hasManyServers || recipe.needsReplica)
                continue;
            locks::LockOptions options;
            options.key = base::Key("lock:" + QByteArray::number(tried));
            if (recipe.hasLease)
                options.lease = base::Lease::of(30s).value();
            const auto lock = locks::makeLock(recipe, options);
            LATCHKEY_VERIFY_RESULT(lock);
            const auto acquired = driver.run((*lock)->acquire());
            LATCHKEY_VERIFY_RESULT(acquired);
            const QByteArray value = server(resp::Command {"GET", options.key.bytes()}).bytes();
            const qint64 left = server(resp::Command {"PTTL", options.key.bytes()}).toInteger();
            KeySample sample =
                stringAt(options.key.bytes(), value, left < 0 ? std::nullopt : std::optional(milliseconds(left)));
            sample.now = base::SystemClock::instance().wallNow();
            const QByteArray counter = "{" + options.key.bytes() + "}:fence";
            sample.companions[counter] = {server(resp::Command {"EXISTS", counter}).isInteger(1), {}, {}};
            const Recognition found = recogniser.recognise(sample);
            QVERIFY2(found.isLock(), qPrintable(recipe.id));
            const QString expected = recipe.id == u"fenced" ? QStringLiteral("latchkey.fenced")
                                   : value == "locking"     ? QStringLiteral("textbook.constant")
                                   : value.size() == 32     ? QStringLiteral("lock.token")
                                                            : QStringLiteral("classic.setnx-timestamp");
            QCOMPARE(found.best().dialect, expected);
            ++tried;
        }
        QVERIFY(tried >= 12);
    }

    /// One rule determines the counter's name, even if the lock's name has a brace that is no hash tag.
    void fencedLock_hasItsCounterWhateverItsName_data()
    {
        QTest::addColumn<QByteArray>("key");
        for (const char *key : {"lock:a", "lock:{a}", "lock:a{b", "lock:{}a", "lock:}a{", "\"lock:a\""})
            QTest::addRow("%s", key) << QByteArray(key);
    }
    void fencedLock_hasItsCounterWhateverItsName()
    {
        QFETCH(QByteArray, key);
        KeySample sample = stringAt(key, "f442172cd0841b68177e827d1a6528b1", 30s);
        sample.companions[locks::FencedLock::counterKey(base::Key(key)).bytes()] = {
            true, RawValue {KeyType::String, 1, {"7"}}, {}};
        const Recognition found = recogniser.recognise(sample);
        QCOMPARE(found.best().dialect, QStringLiteral("latchkey.fenced"));
        QCOMPARE(found.decoded.fencing, 7);
    }

    /// Runs the Lock of redis-py. Its token contains the time of acquire() and the machine.
    void redisPy_isRecognisedAlive()
    {
        const test::ForeignLibraries python = test::redisPy();
        if (!python.absence.isEmpty())
            QSKIP(qPrintable(python.absence));
        test::TestServer server;
        QProcess process;
        process.start(python.program, {QStringLiteral(LATCHKEY_SOURCE_DIR "/tests/integration/peers/redispylock.py"),
                                       QStringLiteral("acquire"), QStringLiteral("report:daily"),
                                       QStringLiteral("30000"), server.endpoint().path});
        QVERIFY(process.waitForFinished());
        const QByteArray token = process.readAllStandardOutput().trimmed();
        QCOMPARE(token.size(), 32);

        KeySample sample = stringAt("report:daily", server(resp::Command {"GET", "report:daily"}).bytes(),
                                    milliseconds(server(resp::Command {"PTTL", "report:daily"}).toInteger()));
        sample.now = base::SystemClock::instance().wallNow();
        const Recognition found = recogniser.recognise(sample);
        QVERIFY(found.isLock());
        QCOMPARE(found.best().dialect, QStringLiteral("redis-py.Lock"));
        QVERIFY(found.best().confidence >= Confidence::High);
        const Holder &holder = found.decoded.holders.front();
        QCOMPARE(holder.bytes, token);
        QVERIFY(sample.now - *holder.since < 1min);

        // The release loads a script into the server, and the server then confirms the library.
        process.start(python.program, {QStringLiteral(LATCHKEY_SOURCE_DIR "/tests/integration/peers/redispylock.py"),
                                       QStringLiteral("release"), QStringLiteral("report:daily"),
                                       QString::fromLatin1(token), server.endpoint().path});
        QVERIFY(process.waitForFinished());
        resp::Command exists {"SCRIPT", "EXISTS"};
        const QByteArrayList scripts = Dialects::builtIn().find(QStringLiteral("redis-py.Lock"))->scripts;
        for (const QByteArray &script : scripts)
            exists << script;
        const resp::Reply known = server(exists);
        QVERIFY(std::ranges::any_of(known.elements(), [](const resp::Reply &reply) { return reply.isInteger(1); }));
    }

    /// A lease that falls as time passes is untouched, up to what a round trip may add.
    void leaseThatStaysLongerThanTimeAllows_isRenewed_data()
    {
        QTest::addColumn<int>("left");
        QTest::addColumn<int>("renewals");
        QTest::addRow("untouched") << 6000 << 0;
        QTest::addRow("measured late") << 6100 << 0;
        QTest::addRow("renewed") << 6101 << 1;
        QTest::addRow("renewed to the same lease") << 10'000 << 1;
    }
    void leaseThatStaysLongerThanTimeAllows_isRenewed()
    {
        QFETCH(int, left);
        TtlHistory ttlHistory;
        ttlHistory.addSample(base::MonotonicTime(1h), 10s);
        ttlHistory.addSample(base::MonotonicTime(1h + 4s), milliseconds(left));
        QTEST(ttlHistory.renewals(), "renewals");
    }

    /// Looks see a renewal late, and some libraries skip one.
    void renewalsOfALibrary_fitItsPeriod_data()
    {
        QTest::addColumn<int>("period");
        QTest::addColumn<bool>("fits");
        QTest::addRow("too soon") << 3499 << false;
        QTest::addRow("soon") << 3500 << true;
        QTest::addRow("late") << 11'000 << true;
        QTest::addRow("too late") << 11'001 << false;
    }
    void renewalsOfALibrary_fitItsPeriod()
    {
        QFETCH(int, period);
        Renewal renewal;
        renewal.every = 5s;
        QTEST(renewal.fits(renewedEvery(milliseconds(period), 20s)), "fits");
    }

    void rhythm_tellsATimerFromVisits()
    {
        QVERIFY(renewedEvery(10s, 30s).isSteady());
        QCOMPARE(renewedEvery(10s, 30s).renewals(), 4);
        QVERIFY(!renewedEvery(10s, 30s).isErratic());
        QVERIFY(Dialects::builtIn().find(QStringLiteral("redisson.RLock"))->renewal.fits(renewedEvery(10s, 30s)));
        QVERIFY(!Dialects::builtIn().find(QStringLiteral("redisson.RLock"))->renewal.fits(renewedEvery(2s, 30s)));
        QVERIFY(!Dialects::builtIn().find(QStringLiteral("redisson.RLock"))->renewal.fits(renewedEvery(10s, 60s)));

        TtlHistory falling;
        for (int i = 0; i < 10; ++i)
            falling.addSample(base::MonotonicTime(i * 1s), 30s - i * 1s);
        QCOMPARE(falling.renewals(), 0);
        QCOMPARE(falling.longestTtl(), milliseconds(30s));

        TtlHistory visits; // After 1 s, 11 s, 12 s and 40 s.
        milliseconds last = 0ms;
        for (const milliseconds at : {0ms, 1000ms, 11'000ms, 12'000ms, 40'000ms}) {
            visits.addSample(base::MonotonicTime(at), 60s - (at - last));
            visits.addSample(base::MonotonicTime(at + 1ms), 60s);
            last = at;
        }
        QVERIFY(visits.isErratic());
        QVERIFY(!visits.isSteady());

        TtlHistory late;
        late.addSample({}, {});
        late.addSample(base::MonotonicTime(40ms), 10s);
        QCOMPARE(late.hadNoneFor(), std::optional<milliseconds>(40ms));
        late.addSample(base::MonotonicTime(80ms), {});
        QVERIFY(late.hasLostItsExpiry());
    }
};

LATCHKEY_TEST(TestRecogniser)

} // namespace tst_recogniser

#include "tst_recogniser.moc"
