#include "core/inspect/recognition/recogniser.h"
#include "tests/support/testprogram.h"

#include <QRandomGenerator>
#include <QTest>

#include <array>
#include <functional>

namespace tst_decoys {

using namespace latchkey;
using namespace latchkey::recognition;
using keys::KeyType;
using keys::RawValue;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

constexpr base::WallTime now {1'795'320'000'000ms};

/// A generator for the keys of an ordinary application. The keys are the same in every run.
class DecoyMaker final
{
public:
    struct Decoy
    {
        QByteArray key;
        RawValue value;
        std::optional<milliseconds> left;
    };

    Decoy next() { return m_random.bounded(4) == 0 ? plain() : everyday(); }

private:
    /// Returns a key with a name without meaning or with `lock` inside a word. The value is data or a token without a
    /// time.
    Decoy plain()
    {
        const QByteArray what = pick<QByteArray>(
            {"product",   "order:ref", "user",     "customer",    "invoice:pdf", "banner",   "weather",   "news",
             "block",     "clock",     "unlocked", "blocked-ips", "blockchain",  "flock",    "bookshelf", "lockers",
             "locksmith", "released",  "padlock",  "stopclock",   "unblock",     "deadlock", "k"});
        const auto make = pick<std::function<RawValue()>>({
            [&] { return text(hex(32)); },
            [&] { return text(uuid('4')); },
            [&] { return text(alnum(16)); },
            [&] { return text(alnum(20)); },
            [&] { return text(alnum(22)); },
            [&] { return text(raw(16).toBase64()); },
            [&] { return text(raw(20)); },
            [&] { return text(number(1'795'319'000, 1'795'321'000)); },
            [&] { return text(number(0, 500)); },
            [&] { return text(pick<QByteArray>({"1", "0", "true", "", "open"})); },
            [&] { return RawValue {KeyType::Hash, 2, {"name", "Ann", "owner", "bob"}}; },
            [&] { return RawValue {KeyType::SortedSet, 1, {uuid('4'), number(1'795'319'000, 1'795'321'000)}}; },
            [&] { return RawValue {KeyType::List, 1, {hex(32)}}; },
        });
        const auto life = pick<std::optional<milliseconds>>({std::nullopt, 5min, 15min, 1h, 24h, 24h * 30});
        return {what + ':' + number(1, 99999), make(), life};
    }

    Decoy everyday()
    {
        const auto make = pick<std::function<RawValue()>>({
            [&] { return text(hex(32)); },
            [&] { return text(uuid('4')); },
            [&] { return text(uuid('1')); },
            [&] { return text(timedHex()); },
            [&] { return text(alnum(16)); },
            [&] { return text(alnum(20)); },
            [&] { return text(alnum(22)); },
            [&] { return text(raw(16).toBase64()); },
            [&] { return text(raw(18).toBase64()); },
            [&] { return text(raw(16).toBase64(QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals)); },
            [&] { return text(hex(64)); },
            [&] { return text(raw(20)); },
            [&] { return text(raw(32)); },
            [&] { return text(uniqid()); },
            [&] { return text(number(1'795'319'000, 1'795'321'000)); },
            [&] { return text(number(1'795'319'000'000, 1'795'321'000'000)); },
            [&] { return text(number(0, 500)); },
            [&] { return text(pick<QByteArray>({"1", "0", "true", "on", "ok", "", "yes"})); },
            [&] { return text("\"" + uuid('4') + "\""); },
            [&] { return text("s:16:\"" + alnum(16) + "\";"); },
            [&] { return text("web-" + number(1, 9) + ":" + number(1000, 30000)); },
            [&] { return text("{\"id\":" + number(1, 9999) + ",\"name\":\"Ann\"}"); },
            [&] { return RawValue {KeyType::Hash, 2, {"name", "Ann", "email", "ann@example.org"}}; },
            [&] { return RawValue {KeyType::Hash, 1, {uuid('4'), "1"}}; },
            [&] { return RawValue {KeyType::SortedSet, 2, {"ann", "1200", "bob", "900"}}; },
            [&] { return RawValue {KeyType::SortedSet, 1, {uuid('4'), number(1'795'319'000'000, 1'795'321'000'000)}}; },
            [&] { return RawValue {KeyType::Set, 2, {uuid('4'), uuid('4')}}; },
            [&] { return RawValue {KeyType::List, 1, {hex(32)}}; },
        });
        const auto life =
            pick<std::optional<milliseconds>>({std::nullopt, 5s, 30s, 60s, 5min, 15min, 1h, 24h, 24h * 30});
        return {name(), make(), life};
    }

    QByteArray name()
    {
        const QByteArray what = pick<QByteArray>({"session",
                                                  "sess",
                                                  "csrf",
                                                  "api_token",
                                                  "apikey",
                                                  "oauth:access",
                                                  "refreshToken",
                                                  "user:token",
                                                  "password_reset",
                                                  "otp",
                                                  "nonce",
                                                  "cache:page",
                                                  "cache.fragment",
                                                  "laravel_cache",
                                                  "etag",
                                                  "counter:visits",
                                                  "stats:hits",
                                                  "pageViews",
                                                  "ratelimit",
                                                  "rate:login",
                                                  "throttle:ip",
                                                  "quota:upload",
                                                  "idempotency",
                                                  "idempotency-key",
                                                  "request",
                                                  "job",
                                                  "jobs:result",
                                                  "job_id",
                                                  "feature",
                                                  "flag:lock-screen",
                                                  "flags:beta",
                                                  "toggle",
                                                  "config:theme",
                                                  "settings",
                                                  "last_seen",
                                                  "lastLogin",
                                                  "updated",
                                                  "created_at",
                                                  "checkpoint",
                                                  "cursor:feed",
                                                  "online",
                                                  "presence",
                                                  "leaderboard",
                                                  "device:id",
                                                  "tracking",
                                                  "trace",
                                                  "correlation_id",
                                                  "event",
                                                  "message:id",
                                                  "block:session",
                                                  "clock:offset",
                                                  "clock:last",
                                                  "unlocked:count",
                                                  "account:locked",
                                                  "accounts:locked:flags",
                                                  "blocked-ips:hits",
                                                  "blocklist:version",
                                                  "blockchain:sequence",
                                                  "deadlock:count",
                                                  "flock:stats",
                                                  "user_locked",
                                                  "padlock:price",
                                                  "stopclock:score",
                                                  "bookshelf:cache",
                                                  "unblock:requests",
                                                  "clockwork:metrics",
                                                  "lockers:total",
                                                  "locksmith:profile",
                                                  "lock_count",
                                                  "locks:stats",
                                                  "released:version",
                                                  "release:flags"});
        const QByteArray id = pick<QByteArray>({number(1, 99999), uuid('4'), hex(12), "10.0." + number(0, 255) + ".7",
                                                "ann@example.org", "2026-11-22", "/products/" + number(1, 99)});
        const QByteArray prefix = pick<QByteArray>({"", "", "app:", "shop.", "prod/", "tenant-7:"});
        return prefix + what + pick<QByteArray>({":", ":", ".", "_"}) + id;
    }

    template<typename T>
    T pick(std::initializer_list<T> options)
    {
        return *(options.begin() + m_random.bounded(static_cast<qint64>(options.size())));
    }
    QByteArray number(qint64 least, qint64 most) { return QByteArray::number(least + m_random.bounded(most - least)); }
    QByteArray raw(qsizetype size)
    {
        QByteArray bytes(size, '\0');
        for (char &byte : bytes)
            byte = static_cast<char>(m_random.bounded(256));
        return bytes;
    }
    QByteArray hex(qsizetype digits) { return raw(digits / 2).toHex(); }
    QByteArray alnum(qsizetype size)
    {
        constexpr QByteArrayView letters("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
        QByteArray text;
        while (text.size() < size)
            text += letters[m_random.bounded(letters.size())];
        return text;
    }
    /// Returns a version 1 UUID, without dashes, of a time within the last hour.
    QByteArray timedHex()
    {
        const qint64 ticks =
            (now.time_since_epoch().count() - m_random.bounded(3'600'000)) * 10'000 + 0x01B21DD213814000;
        const QByteArray digits = QByteArray::number(ticks, 16).rightJustified(15, '0');
        return digits.right(8) + digits.mid(3, 4) + '1' + digits.left(3) + "9a3b02fc" + hex(8);
    }
    QByteArray uuid(char version)
    {
        QByteArray digits = version == '1' ? timedHex() : hex(32);
        digits[12] = version;
        digits[16] = 'a';
        for (const qsizetype dash : {8, 13, 18, 23})
            digits.insert(dash, '-');
        return digits;
    }
    QByteArray uniqid()
    {
        return QByteArray::number(1'795'319'000 + m_random.bounded(900), 16)
             + QByteArray::number(m_random.bounded(1'000'000), 16).rightJustified(5, '0');
    }
    static RawValue text(const QByteArray &bytes) { return {KeyType::String, bytes.size(), {bytes}}; }

    QRandomGenerator m_random {20'261'122};
};

KeySample sampleOf(const DecoyMaker::Decoy &decoy)
{
    KeySample sample;
    sample.key = decoy.key;
    sample.type = decoy.value.type;
    sample.value = decoy.value;
    sample.isExpiryKnown = true;
    sample.left = decoy.left;
    sample.ttlHistory.addSample({}, decoy.left);
    sample.now = now;
    return sample;
}

QByteArray described(const DecoyMaker::Decoy &decoy, const Recognition &recognition)
{
    QByteArray text = decoy.key + " = " + decoy.value.parts.join(' ').left(60);
    for (const Candidate &candidate : recognition.candidates)
        text += " | " + candidate.dialect.toUtf8() + ' ' + confidenceId(candidate.confidence).toUtf8();
    return text;
}

constexpr int decoyCount = 3000;

} // namespace

/// Tests with values that look like tokens but are ordinary application data.
class TestDecoys final : public QObject
{
    Q_OBJECT

    const Recogniser recogniser;

    void expectNone(const ServerContext &serverContext, const std::function<void(KeySample &)> &change = {})
    {
        DecoyMaker maker;
        QByteArrayList found;
        for (int i = 0; i < decoyCount; ++i) {
            const DecoyMaker::Decoy decoy = maker.next();
            KeySample sample = sampleOf(decoy);
            if (change)
                change(sample);
            if (const Recognition recognition = recogniser.recognise(sample, serverContext); recognition.isLock())
                found += described(decoy, recognition);
        }
        QVERIFY2(found.isEmpty(), (QByteArray::number(found.size()) + ":\n" + found.mid(0, 30).join('\n')).constData());
    }

private Q_SLOTS:
    void noDecoy_isALock() { expectNone({}); }

    void noDecoy_isALock_afterUseByEveryLibrary()
    {
        ServerContext serverContext;
        const QByteArrayList scripts = recogniser.dialects().scripts();
        serverContext.scripts = QSet<QByteArray>(scripts.begin(), scripts.end());
        serverContext.areChannelsComplete = true;
        expectNone(serverContext);
    }

    /// Each visit extends a session; a timer refreshes a cache.
    void noDecoy_isALock_whenItsTimeIsExtended()
    {
        expectNone({}, [](KeySample &sample) {
            if (!sample.left)
                return;
            for (int i = 1; i < 6; ++i) {
                const base::MonotonicTime at {i * *sample.left / 2};
                sample.ttlHistory.addSample(at, *sample.left / 2);
                sample.ttlHistory.addSample(at + 1ms, sample.left);
            }
        });
    }

    /// A session ends or a cached page is removed, and the next one has the same everyday name.
    void noDecoy_isALock_whenItIsDeletedBeforeItsExpiry()
    {
        expectNone({}, [this](KeySample &sample) {
            if (recogniser.lockLikelihood(sample.key) == LockLikelihood::None)
                sample.releases = 3;
        });
    }

    /// The same values under a lock's name are recognised as locks, so the recogniser does look at them.
    void tokens_underALocksName_areLocks()
    {
        DecoyMaker maker;
        int locks = 0;
        int tokens = 0;
        for (int i = 0; i < decoyCount; ++i) {
            KeySample sample = sampleOf(maker.next());
            sample.key = "lock:order:7";
            const QByteArray bytes = sample.value->bytes();
            if (sample.type != KeyType::String || bytes.size() < 32 || bytes.contains('{') || bytes.contains('"'))
                continue;
            ++tokens;
            locks += recogniser.recognise(sample).isLock() ? 1 : 0;
        }
        QVERIFY(tokens > 500);
        QCOMPARE(locks, tokens);
    }
};

LATCHKEY_TEST(TestDecoys)

} // namespace tst_decoys

#include "tst_decoys.moc"
