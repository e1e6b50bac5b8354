#include "core/inspect/recognition/recogniser.h"
#include "core/inspect/recognition/recognitiontexts.h"
#include "tests/support/testprogram.h"

#include <QRandomGenerator>
#include <QTest>

namespace tst_shapes {

using namespace latchkey;
using namespace latchkey::recognition;
using keys::KeyType;
using keys::RawValue;
using std::chrono::milliseconds;

namespace {

constexpr base::WallTime now {milliseconds(1'795'320'000'000)};
const QByteArray uuid = "b801a03b-dd72-4e75-bef2-e05bf3630559";

RawValue text(const QByteArray &bytes)
{
    return {KeyType::String, bytes.size(), {bytes}};
}

RawValue pairs(KeyType type, const QByteArrayList &parts)
{
    return {type, parts.size() / 2, parts};
}

KeySample sampleOf(const QByteArray &key, const RawValue &value)
{
    KeySample sample;
    sample.key = key;
    sample.type = value.type;
    sample.value = value;
    sample.now = now;
    return sample;
}

std::optional<LockContent> read(const char *shape, const RawValue &value, const QByteArray &key = "k")
{
    const KeySample sample = sampleOf(key, value);
    return shapeNamed(shape)->read({sample, unwrap(value.bytes())});
}

/// Returns MessagePack data as suo writes it.
QByteArray suo(int count, const QByteArray &time = QByteArray::fromHex("41dac0e6bd600000"))
{
    QByteArray bytes(1, static_cast<char>(0x90 | count));
    for (int i = 0; i < count; ++i)
        bytes += "\x92\xcb" + time + '\xb8' + QByteArray(24, 'a');
    return bytes;
}

} // namespace

/// Tests of each decoder with valid values and with invalid ones: truncated, too long, or with wrong digits.
class TestShapes final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void strings_haveTheirShapes_data()
    {
        QTest::addColumn<QByteArray>("shape");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<bool>("fits");
        const auto yes = [](const char *shape, const QByteArray &value) {
            QTest::addRow("%s: %s", shape, value.toPercentEncoding().left(60).constData())
                << QByteArray(shape) << value << true;
        };
        const auto no = [](const char *shape, const QByteArray &value) {
            QTest::addRow("no %s: %s", shape, value.toPercentEncoding().left(60).constData())
                << QByteArray(shape) << value << false;
        };
        yes("uuid1-hex", "3b6871dae62711f18d9802fc00000001");
        for (const char *bad : {"3b6871dae62711f18d9802fc0000000", "3b6871dae62711f18d9802fc000000011",
                                "3b6871dae62741f18d9802fc00000001", "3b6871dae62711f1cd9802fc00000001",
                                "3B6871DAE62711F18D9802FC00000001", "ffffffffffff1fff8d9802fc00000001",
                                "00000000000010008d9802fc00000001", "3b6871dge62711f18d9802fc00000001", ""})
            no("uuid1-hex", bad);
        yes("uuid1", "2b4e7b40-e628-11f1-b7dc-4326a1549d9a");
        no("uuid1", "2b4e7b40-e628-41f1-b7dc-4326a1549d9a");
        no("uuid1", "2b4e7b40e628-11f1-b7dc-4326a1549d9a-");
        yes("uuid4", uuid);
        no("uuid4", uuid.toUpper());
        no("uuid4", uuid.chopped(1));
        yes("uuid", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
        no("uuid", "f81d4fae-7dec-11d0-a765_00a0c91e6bf6");
        yes("hex-32", "0833314599ff6ab5e6378d994aabfc76");
        no("hex-32", "0833314599FF6AB5E6378D994AABFC76");
        yes("hex-64", QByteArray(64, 'a'));
        no("hex-64", '0' + QByteArray(63, 'a'));
        yes("base64-16", "8UtIfIvl18UCg/sXCFUvlw==");
        no("base64-16", "8UtIfIvl18UCg/sXCFUvlx==");
        no("base64-16", "8UtIfIvl18UCg/sXCFUvlw=");
        no("base64-16", "KiA/AOYpEfGtL1MZNDxmGQ=="); // A version 1 UUID.
        yes("uuid1-base64", "KiA/AOYpEfGtL1MZNDxmGQ==");
        no("uuid1-base64", "8UtIfIvl18UCg/sXCFUvlw==");
        yes("base64-18", "hU5NP/Gks9a7R2Q3MgFpiKeD");
        no("base64-18", "hU5NP/Gks9a7R2Q3MgFpiKe=");
        yes("base64url-16", "_nxmFS9wcBshTVk-vGV5DQ");
        yes("base64url-16", "IPWR3BRi0cJVz-KmBaFXGgworker-3@hostA");
        no("base64url-16", "_nxmFS9wcBshTVk-vGV5DR");
        no("base64url-16", "_nxmFS9wcBshTVk-vGV5DQ\n\x01");
        yes("alnum-16", "3hJaCfUIivHhD34r");
        no("alnum-16", "productionserver");
        yes("letters-16", "AbCdEfGhIjKlMnOp");
        no("letters-16", "productionserver");
        yes("alnum-20", "Q3mSZ3OJpUxixc0v8Jdy");
        no("alnum-20", "01234567890123456789");
        yes("alnum-22", "ifhXMZGyxyn2RU6efND8X4");
        no("alnum-22", "ifhXMZGyxyn2RU6efND8XA");
        yes("raw-20", QByteArray(20, '\xfe'));
        no("raw-20", "twenty letters, none");
        no("raw-20", QByteArray(21, '\xfe'));
        yes("uniqid", "6b02683abcf9c");
        no("uniqid", "6b02683afffff"); // One million microseconds are a second, so the microseconds are out of range.
        no("uniqid", "0000000000000");
        no("uniqid", "fb02683abcf9c"); // The time is in the next century.
        no("uniqid", "6b02683abcf9");
        no("uniqid", "6b02683abcf9c0");
        no("uniqid", "internal-lock");
        yes("constant", "LOCKED");
        yes("constant", "");
        no("constant", "locked by ann");
        yes("unix-seconds", "1795319913");
        no("unix-seconds", "0795319913");
        no("unix-seconds", "17953199130");
        yes("unix-ms", "1795319643074");
        no("unix-ms", "1795319643O74");
        yes("unix-float", "1795319865.7582886");
        no("unix-float", "1795319865.");
        no("unix-float", "1795319865.7e9");
        yes("unix-float", "1795319865.7582886123456");
        no("unix-float", "1795319865.75828861234567"); // More digits than a double has.
        yes("free-permits", "-2");
        no("free-permits", "99999999999999999999");
        no("free-permits", "+1");
        yes("token", "0123456789abcdef0123456789abcdef");
        no("token", "worker-production-server-12");
        yes("token", "abcdeFGHIJ1234kL");
        no("token", "abcdeFGHIJ12345k"); // Three changes in 16 characters.
        no("token", "a whole sentence, and a long one at that");
        yes("owner", "worker-7@hostA");
        yes("owner", "vm:17002");
        yes("owner", "node-1.example.org/4711/12");
        yes("owner", uuid + ":12");
        no("owner", "12:30");
        no("owner", "ann works on it");
        no("owner", "host:99999999999");
        no("owner", QByteArray("host\0:7", 7));
        no("owner", QByteArray(300, 'a') + ":7");
        no("owner", "worker(1):4711"); // No host has parentheses.
        yes("owner-name", "worker-7");
        no("owner-name", "closed");
        no("owner-name", "9th-street");
        yes("owner-name", "z9");
        no("owner-name", "99999999999");
        yes("owner-json", R"({"lockedBy":"ann","hostname":"hostA","pid":4711,"expiresAt":1795320000})");
        yes("owner-json", R"({"hostname":"hostA"})");
        yes("owner-json", R"({"pid":4711})");
        no("owner-json", R"({"name":"Ann"})");
        no("owner-json", R"({"owner":"ann")");
        yes("owner-json", R"({"owner":"ann"})" + QByteArray(4096 - 15, ' ')); // The longest that is read.
        no("owner-json", R"({"owner":"ann"})" + QByteArray(4096 - 14, ' '));
        yes("medallion", "hostA_4711_" + QByteArray(32, 'a'));
        yes("medallion", "my_host_4711_" + QByteArray(32, 'a') + "_WRITERWAITING");
        no("medallion", "hostA_" + QByteArray(32, 'a'));
        no("medallion", "hostA_x_" + QByteArray(32, 'a'));
        no("medallion", "_4711_" + QByteArray(32, 'a'));
        yes("bullmq-token", "921beb1c-5b11-439a-ae2e-0793e645dde6:0");
        no("bullmq-token", "921beb1c-5b11-439a-ae2e-0793e645dde6");
        no("bullmq-token", "921beb1c-5b11-439a-ae2e-0793e645dde6:");
        no("bullmq-token", "921beb1c-5b11-439a-ae2e-0793e645dde6:x");
        yes("redisson-json", R"({"o":"f076f6bd-37d1-421e-aa64-ab7df05c78f9-1","c":2})");
        no("redisson-json", R"({"o":"f076f6bd-37d1-421e-aa64-ab7df05c78f9-1","c":0})");
        no("redisson-json", R"({"o":"f076f6bd-37d1-421e-aa64-ab7df05c78f9","c":2})");
        no("redisson-json", R"({"o":"f076f6bd-37d1-421e-aa64-ab7df05c78f9-1","c":)");
        yes("suo", suo(2));
        no("suo", suo(0));
        no("suo", suo(2).chopped(1));
        no("suo", suo(2) + 'x');
        no("suo", suo(1, QByteArray::fromHex("7ff8000000000000"))); // Not a number.
        no("suo", "\x9f");
        no("suo", '\x81' + suo(1).sliced(1)); // A map instead of an array.
    }
    void strings_haveTheirShapes()
    {
        QFETCH(QByteArray, shape);
        QFETCH(QByteArray, value);
        QTEST(read(shape.constData(), text(value)).has_value(), "fits");
    }

    void uuidsOfVersion1_tellTimeAndMachine()
    {
        const Holder holder = read("uuid1-hex", text("3b6871dae62711f18d9802fc00000001"))->holders.front();
        QCOMPARE(holder.mac.toHex(), QByteArray("02fc00000001"));
        QVERIFY(holder.since > now - std::chrono::hours(24) && *holder.since < now);
        // A random number in place of a MAC address has the multicast bit.
        QVERIFY(read("uuid1", text("2b4e7b40-e628-11f1-b7dc-4326a1549d9a"))->holders.front().mac.isEmpty());
    }

    void uniqid_tellsItsTime()
    {
        const auto since = read("uniqid", text("6b02683abcf9c"))->holders.front().since;
        QCOMPARE(since->time_since_epoch().count(), 0x6b02683aLL * 1000 + 0xbcf9c / 1000);
    }

    void owners_areTakenApart()
    {
        const Holder jvm = read("owner", text("4711@hostA"))->holders.front();
        QCOMPARE(jvm.host, QByteArray("hostA"));
        QCOMPARE(jvm.pid, std::optional<qint64>(4711));
        const Holder process = read("owner", text("hostA:4711:12"))->holders.front();
        QCOMPARE(process.pid, std::optional<qint64>(4711));
        QCOMPARE(process.thread, QByteArray("12"));
        const LockContent json = *read(
            "owner-json",
            text(
                R"({"locked_by":"ann","HOST":"hostA","pid":"7","acquired_at":"2026-11-22T04:24:34.074123Z","fencing_token":9})"));
        QCOMPARE(json.holders.front().bytes, QByteArray("ann"));
        QCOMPARE(json.holders.front().since, std::optional(base::WallTime(milliseconds(1'795'321'474'074))));
        QCOMPARE(json.fencing, std::optional<qint64>(9));
        // A time without a time zone is not known.
        const Holder local =
            read("owner-json", text(R"({"owner":"ann","acquired_at":"2026-11-22T04:24:34"})"))->holders.front();
        QVERIFY(!local.since);
        // Without a name, the process on its host is the holder.
        const Holder unnamed =
            read("owner-json", text(R"({"hostname":"hostA","pid":4711,"count":3})"))->holders.front();
        QCOMPARE(unnamed.bytes, QByteArray("hostA:4711"));
        QCOMPARE(unnamed.count, 3);
        const Holder once = read("owner-json", text(R"({"hostname":"hostA"})"))->holders.front();
        QCOMPARE(once.bytes, QByteArray("hostA"));
        QCOMPARE(read("owner-json", text(R"({"hostname":"hostA","count":0})"))->holders.front(), once);
    }

    /// The jobs in the lists beside the lock wait, except those that hold it.
    void sidekiqsWaiters_areTheJobsThatHoldNothing()
    {
        const QByteArray holding(24, 'a');
        const QByteArray waiting(24, 'b');
        KeySample sample = sampleOf("uniquejobs:1:LOCKED", pairs(KeyType::Hash, {holding, QByteArray("1795319898.8")}));
        sample.companions["uniquejobs:1:QUEUED"].value = {KeyType::List, 3, {holding, waiting, "1"}};
        const auto decoded = shapeNamed("sidekiq-locked")->read({sample, {}});
        QVERIFY(decoded);
        QCOMPARE(decoded->holders.size(), std::size_t(1));
        QCOMPARE(decoded->waiters.size(), std::size_t(1));
        QCOMPARE(decoded->waiters.front().bytes, waiting);
    }

    /// The number in the token is the worker's counter, not a thread.
    void numberInBullmqsToken_isNoThread()
    {
        const Holder worker = read("bullmq-token", text(uuid + ":12"))->holders.front();
        QCOMPARE(worker.bytes, uuid + ":12");
        QCOMPARE(worker.client, uuid);
        QCOMPARE(worker.thread, QByteArray());
    }

    void redissonHashes_tellHoldersCountsAndWaiters()
    {
        KeySample sample = sampleOf("order:5", pairs(KeyType::Hash, {uuid + ":12", "3"}));
        sample.companions["redisson_lock_queue:{order:5}"] = {true, {KeyType::List, 2, {uuid + ":7", uuid + ":8"}}, {}};
        sample.companions["redisson_lock_timeout:{order:5}"] = {
            true, pairs(KeyType::SortedSet, {uuid + ":8", "1795320100000", uuid + ":7", "1795320000000"}), {}};
        sample.companions["redisson_lock_token:{order:5}"] = {true, text("41"), {}};
        const LockContent decoded = *shapeNamed("redisson-hold")->read({sample, {}});
        QCOMPARE(decoded.holdCount(), 3);
        QCOMPARE(decoded.holders.front().thread, QByteArray("12"));
        QCOMPARE(decoded.fencing, std::optional<qint64>(41));
        QCOMPARE(decoded.waiters.size(), std::size_t(2));
        QCOMPARE(decoded.waiters.front().bytes, uuid + ":7");
        QCOMPARE(decoded.waiters.front().until, std::optional(now));
        QVERIFY(!decoded.isOverfull);
        const auto two = read("redisson-hold", pairs(KeyType::Hash, {uuid + ":12", "3", uuid + ":13", "1"}));
        QVERIFY(two && two->isOverfull);
        QCOMPARE(two->holdCount(), 4);
        QCOMPARE(two->holders.back().thread, QByteArray("13"));

        const auto readWrite = read("redisson-read-write",
                                    pairs(KeyType::Hash, {"mode", "write", uuid + ":1:write", "1", uuid + ":1", "2"}));
        QCOMPARE(readWrite->holders[0].access, Holder::Access::Write);
        QCOMPARE(readWrite->holders[1].access, Holder::Access::Read);
        const auto multi =
            read("redisson-multi", pairs(KeyType::Hash, {"bmFtZQ==", uuid + ":1", "bmFtZQ==:" + uuid + ":1:expire_time",
                                                         "1795320100000", "bmFtZQ==:" + uuid + ":1:lock_count", "2"}));
        QCOMPARE(multi->holdCount(), 2);
        const auto permits = read(
            "redisson-permits", pairs(KeyType::SortedSet, {QByteArray(16, '\0'), "922337203685477"}), "{pool}:timeout");
        QVERIFY(permits && !permits->holders.front().until);
    }

    void collections_thatOnlyLookAlike_areUnchanged_data()
    {
        QTest::addColumn<QByteArray>("shape");
        QTest::addColumn<RawValue>("value");
        const auto add = [](const char *shape, const char *why, const RawValue &value) {
            QTest::addRow("%s: %s", shape, why) << QByteArray(shape) << value;
        };
        add("redisson-hold", "two fields", pairs(KeyType::Hash, {uuid + ":1", "1", "name", "x"}));
        add("redisson-hold", "no number", pairs(KeyType::Hash, {uuid + ":1", "one"}));
        add("redisson-hold", "zero", pairs(KeyType::Hash, {uuid + ":1", "0"}));
        add("redisson-hold", "huge", pairs(KeyType::Hash, {uuid + ":1", QByteArray(400, '9')}));
        add("redisson-hold", "no thread", pairs(KeyType::Hash, {uuid + ":", "1"}));
        add("redisson-hold", "field read, value not", {KeyType::Hash, 1, {uuid + ":1"}});
        add("redisson-hold", "unread", {KeyType::Hash, 1, {}});
        add("redisson-read-write", "another mode", pairs(KeyType::Hash, {"mode", "dark", uuid + ":1", "1"}));
        add("redisson-read-write", "nobody", pairs(KeyType::Hash, {"mode", "read"}));
        add("redisson-read-write", "mode as a value", pairs(KeyType::Hash, {"x", "mode", uuid + ":1", "1"}));
        add("redisson-multi", "nothing beside", pairs(KeyType::Hash, {"a", uuid + ":1"}));
        add("redisson-permits", "another name", pairs(KeyType::SortedSet, {QByteArray(16, 'x'), "1"}));
        add("symfony-members", "a short one",
            pairs(KeyType::SortedSet, {"gY/3heL82UvCvyifoSl6Dqtba3sdmJzGCQFIMUGnA6=", "1795320000000"}));
        add("symfony-members", "only the mark", pairs(KeyType::SortedSet, {"__write__", "1795320000000"}));
        add("symfony-members", "an empty one", pairs(KeyType::SortedSet, {"", "1"}));
        add("medallion-permits", "a stranger", pairs(KeyType::SortedSet, {"ann", "1795320000000"}));
        add("medallion-readers", "a stranger", {KeyType::Set, 1, {"ann"}});
        add("timed-members", "scores", pairs(KeyType::SortedSet, {"ann", "1200"}));
        add("timed-members", "years ago", pairs(KeyType::SortedSet, {"ann", "1500000000"}));
        add("timed-members", "no number", pairs(KeyType::SortedSet, {"ann", "inf"}));
        add("sidekiq-locked", "no job", pairs(KeyType::Hash, {"ann", "1795319898.8"}));
        add("sidekiq-locked", "no time", pairs(KeyType::Hash, {"10f2cb5ad8772ab6356fb3ea", "x"}));
        add("sidekiq-process", "no JSON", pairs(KeyType::Hash, {"info", "{\"hostname\":"}));
        add("sidekiq-process", "no pid", pairs(KeyType::Hash, {"info", "{\"hostname\":\"vm\"}"}));
        add("owner-fields", "a person", pairs(KeyType::Hash, {"name", "Ann", "email", "a@example.org"}));
        add("owner-fields", "half read", {KeyType::Hash, 40, {"owner", "ann"}});
    }
    void collections_thatOnlyLookAlike_areUnchanged()
    {
        QFETCH(QByteArray, shape);
        QFETCH(RawValue, value);
        QVERIFY(!read(shape.constData(), value));
    }

    void moreThanWasRead_isReported()
    {
        const auto decoded =
            read("symfony-members",
                 {KeyType::SortedSet, 500, {"ZwEePKKC41G9O+ee5ATGaEcLUnswlnUNDuomJJLG/84=", "1795319834231"}});
        QVERIFY(decoded->isPartial);
        QCOMPARE(decoded->holdCount(), 500);
        QVERIFY(!read("symfony-members",
                      pairs(KeyType::SortedSet, {"ZwEePKKC41G9O+ee5ATGaEcLUnswlnUNDuomJJLG/84=", "1795319834231"}))
                     ->isPartial);
        const Recognition found = Recogniser().recognise(sampleOf(
            "catalogue", {KeyType::SortedSet, 500, {"ZwEePKKC41G9O+ee5ATGaEcLUnswlnUNDuomJJLG/84=", "1795319834231"}}));
        QVERIFY(std::ranges::find(found.requests, ReadRequest {ReadRequest::Kind::Value, {}}) != found.requests.end());
    }

    /// Arbitrary bytes from a server, under any name: no crash and no read beyond the end.
    void anyBytes_doNoHarm()
    {
        QRandomGenerator random(7);
        const Recogniser recogniser;
        const QByteArrayList seeds {suo(3),
                                    uuid + ":1",
                                    "3b6871dae62711f18d9802fc00000001",
                                    R"({"o":"x","c":1})",
                                    "ADDED:2026-11-22T04:24:34.074Z@vm:" + uuid,
                                    QByteArray::fromBase64("gASVBQAAAAAAAACMATGULg=="),
                                    QByteArray("\xAC\xED\x00\x05t\x00\x03"
                                               "abc",
                                               10),
                                    "s:3:\"abc\";",
                                    "\x04\x08I\"\x08"
                                    "abc\x06:\x06"
                                    "ET"};
        const QByteArrayList names {"lock:a",
                                    ":lock",
                                    "a:b:lock",
                                    ":LOCKED",
                                    ":timeout",
                                    "{}:timeout",
                                    ".writer",
                                    ".readers",
                                    "",
                                    "{",
                                    "uniquejobs:" + QByteArray(32, 'a') + ":LOCKED"};
        for (int i = 0; i < 20'000; ++i) {
            QByteArray bytes = seeds[random.bounded(seeds.size())];
            for (quint32 change = random.bounded(4U); change > 0 && !bytes.isEmpty(); --change)
                bytes[random.bounded(bytes.size())] = static_cast<char>(random.bounded(256));
            bytes = bytes.left(random.bounded(bytes.size() + 1));
            const RawValue values[] {text(bytes),
                                     pairs(KeyType::Hash, {bytes, "1"}),
                                     pairs(KeyType::SortedSet, {bytes, "1795320000000"}),
                                     {KeyType::Set, 1, {bytes}},
                                     {KeyType::List, 1, {bytes}},
                                     {KeyType::Hash, 9, {bytes}}};
            const Recognition found =
                recogniser.recognise(sampleOf(names[random.bounded(names.size())], values[random.bounded(6)]));
            for (const Candidate &candidate : found.candidates) {
                for (const Evidence &evidence : candidate.evidence)
                    QVERIFY(!RecognitionTexts::evidence(evidence, QStringLiteral("x")).isEmpty());
            }
        }
    }

    void everyShape_hasWords()
    {
        for (const Shape &shape : allShapes())
            QVERIFY2(RecognitionTexts::shape(shape.id) != QLatin1String(shape.id), shape.id);
    }

    /// A cut value has a length that does not fit, or no length at all.
    void cutValues_areLeftAsTheyAre()
    {
        for (const QByteArray &whole : {QByteArray("\xAC\xED\x00\x05t\x00\x03"
                                                   "abc",
                                                   10),
                                        QByteArray("\x00\x00\x00\x02\x12\x00\x03"
                                                   "abc",
                                                   10),
                                        QByteArray("\x80\x02U\x03"
                                                   "abc.",
                                                   8),
                                        QByteArray("\x04\x08I\"\x08"
                                                   "abc\x06:\x06"
                                                   "ET")}) {
            QVERIFY(!unwrap(whole).wrapper.isEmpty());
            for (qsizetype size = 0; size < whole.size(); ++size)
                QCOMPARE(unwrap(whole.first(size)), (UnwrappedValue {whole.first(size), {}}));
            // Without its head, it is no such value.
            QCOMPARE(unwrap('x' + whole.sliced(1)), (UnwrappedValue {'x' + whole.sliced(1), {}}));
        }
        QCOMPARE(unwrap(QByteArray("\x80\x02U\x00.", 5)), (UnwrappedValue {{}, QByteArray("pickle")}));
    }

    void wrappers_areTakenOff_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("wrapper");
        const auto add = [](const char *name, const QByteArray &bytes, const QByteArray &inner,
                            const QByteArray &wrapper) { QTest::addRow("%s", name) << bytes << inner << wrapper; };
        add("Java",
            QByteArray("\xAC\xED\x00\x05t\x00\x03"
                       "abc",
                       10),
            "abc", "java");
        add("JSON", "\"a\\\"b\"", "a\"b", "json");
        add("PHP", "s:16:\"3hJaCfUIivHhD34r\";", "3hJaCfUIivHhD34r", "php");
        add("a number of PHP's", "i:42;", "42", "php");
        add("igbinary",
            QByteArray("\x00\x00\x00\x02\x11\x03"
                       "abc",
                       9),
            "abc", "igbinary");
        add("pickle 4", QByteArray::fromBase64("gASVBQAAAAAAAACMATGULg=="), "1", "pickle");
        add("pickle 2",
            QByteArray("\x80\x02X\x03\x00\x00\x00"
                       "abcq\x00.",
                       13),
            "abc", "pickle");
        add("a true pickle", QByteArray("\x80\x04\x88."), "true", "pickle");
        add("a true pickle with a memo", QByteArray("\x80\x02\x88q\x00.", 6), "true", "pickle");
        add("Marshal",
            QByteArray("\x04\x08I\"\x08"
                       "abc\x06:\x06"
                       "ET"),
            "abc", "marshal");
        for (const QByteArray &bad :
             {QByteArray("\xAC\xED\x00\x05t\x00\x09"
                         "abc",
                         10),
              QByteArray("\xAC\xED\x00\x05t", 5), QByteArray("\"abc"), QByteArray("\""), QByteArray("s:99:\"abc\";"),
              QByteArray("s:-1:\"abc\";"), QByteArray("s:3:\"abcd\";"), QByteArray("s:99999999999999999999:\"a\";"),
              QByteArray("i:;"),
              QByteArray("\x00\x00\x00\x02\x11\x09"
                         "abc",
                         9),
              QByteArray("\x80\x04."),
              QByteArray("\x80\x04X\xff\xff\xff\xff"
                         "a."),
              QByteArray("\x04\x08I\"\x7f"
                         "abc\x06:\x06"
                         "ET"),
              QByteArray("\x04\x08"), QByteArray(), QByteArray("plain"), '"' + QByteArray(5000, 'a') + '"'})
            add(("damaged: " + bad.left(20).toPercentEncoding()).constData(), bad, bad, {});
    }
    void wrappers_areTakenOff()
    {
        QFETCH(QByteArray, bytes);
        const UnwrappedValue unwrapped = unwrap(bytes);
        QTEST(unwrapped.bytes, "text");
        QTEST(unwrapped.wrapper, "wrapper");
    }
};

LATCHKEY_TEST(TestShapes)

} // namespace tst_shapes

#include "tst_shapes.moc"
