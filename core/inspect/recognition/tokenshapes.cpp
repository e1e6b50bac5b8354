#include "core/inspect/recognition/shapes.h"
#include "core/inspect/recognition/text.h"

#include <algorithm>
#include <array>
#include <bit>

namespace latchkey::recognition {

using base::WallTime;
using keys::KeyType;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

constexpr std::array constants {"",       "0",       "1",   "true",  "yes", "ok",    "on",  "lock", "b:1;",
                                "locked", "locking", "lck", "mutex", "x",   "dummy", "111", "busy"};

/// Maximum time by which the clock of a token's creator may be ahead.
constexpr milliseconds skew = 10min;

LockContent heldBy(QByteArray bytes)
{
    LockContent decoded;
    decoded.holders.emplace_back().bytes = std::move(bytes);
    decoded.holderCount = 1;
    return decoded;
}

LockContent heldByUnknownClient()
{
    LockContent decoded;
    decoded.isHolderRecorded = false;
    decoded.holderCount = 1;
    return decoded;
}

template<bool (*is)(QByteArrayView)>
std::optional<LockContent> token(const ShapeInput &reading)
{
    return is(reading.text.bytes) ? std::optional(heldBy(reading.text.bytes)) : std::nullopt;
}

// -- Forms of tokens --

constexpr QByteArrayView endsOf16("AQgw"); // The last of 22 base64 digits has two bits.

bool hasBoth(QByteArrayView text)
{
    const auto isOneDigit = [](char c) { return c >= '0' && c <= '9'; };
    return std::ranges::any_of(text, isOneDigit) && !std::ranges::all_of(text, isOneDigit);
}

bool isBase64(QByteArrayView text)
{
    return std::ranges::all_of(text, [](char c) { return c == '+' || c == '/' || isAlphanumeric({&c, 1}); });
}

bool isBase64Url(QByteArrayView text)
{
    return std::ranges::all_of(text, [](char c) { return c == '-' || c == '_' || isAlphanumeric({&c, 1}); });
}

bool isHexToken(QByteArrayView text)
{
    return text.size() == 32 && isLowerHex(text);
}
bool isHex64(QByteArrayView text)
{
    return text.size() == 64 && isLowerHex(text) && text[0] != '0';
}
bool isAnyUuid(QByteArrayView text)
{
    return isUuid(text);
}
bool isUuid4(QByteArrayView text)
{
    return isUuid(text, 4);
}
bool isBase64Of16(QByteArrayView text)
{
    return text.size() == 24 && text.endsWith("==") && isBase64(text.first(22)) && endsOf16.contains(text[21]);
}
bool isBase64Of18(QByteArrayView text)
{
    return text.size() == 24 && isBase64(text);
}
/// Returns whether this is 16 bytes in base64url, followed by any user text; see metadata().
bool isBase64UrlOf16(QByteArrayView text)
{
    return text.size() >= 22 && text.size() <= 512 && isBase64Url(text.first(22)) && endsOf16.contains(text[21])
        && hasBoth(text.first(22)) && isPrintableText(text);
}
bool isAlnum16(QByteArrayView text)
{
    return text.size() == 16 && isAlphanumeric(text) && hasBoth(text);
}
/// Returns whether the letters look random: a random text has a few letters of either case, a word has fewer.
bool isLetters16(QByteArrayView text)
{
    const auto capitals = std::ranges::count_if(text, [](char c) { return c >= 'A' && c <= 'Z'; });
    return text.size() == 16 && isAlphanumeric(text) && std::ranges::none_of(text, [](char c) { return c <= '9'; })
        && capitals >= 3 && capitals <= 13;
}
bool isAlnum20(QByteArrayView text)
{
    return text.size() == 20 && isAlphanumeric(text) && hasBoth(text) && !isLowerHex(text);
}
bool isAlnum22(QByteArrayView text)
{
    return text.size() == 22 && isAlphanumeric(text) && hasBoth(text) && !endsOf16.contains(text[21]);
}
template<qsizetype size>
bool isRaw(QByteArrayView bytes)
{
    return bytes.size() == size && !isPrintableText(bytes);
}

/// Returns whether a text of 16 bytes or more looks random. Such a text alternates between letters and digits, or
/// between cases, more often than a name does.
bool looksRandom(QByteArrayView text)
{
    if (text.size() < 16 || text.size() > 128)
        return false;
    const QByteArrayView body = text.endsWith("==") ? text.chopped(2) : text.endsWith('=') ? text.chopped(1) : text;
    const auto kindOf = [](char c) { return c >= 'a' ? 'a' : c >= 'A' ? 'A' : '0'; };
    qsizetype changes = 0;
    for (qsizetype i = 1; i < body.size(); ++i)
        changes += kindOf(body[i]) != kindOf(body[i - 1]) ? 1 : 0;
    return (isBase64(body) || isBase64Url(body)) && hasBoth(body) && changes * 4 >= body.size();
}

bool isToken(QByteArrayView text)
{
    return isHexToken(text) || isAnyUuid(text) || isRaw<16>(text) || isRaw<20>(text) || isRaw<32>(text)
        || looksRandom(text);
}

bool isAny(QByteArrayView /*text*/)
{
    return true;
}
bool isText(QByteArrayView text)
{
    return !text.isEmpty() && text.size() <= 512 && isPrintableText(text);
}

// -- Tokens with their creation time --

/// Reads the time. `digits`: the 32 digits of a UUID of version 1, without its dashes.
std::optional<LockContent> timed(QByteArrayView digits, const QByteArray &whole, WallTime now)
{
    constexpr QByteArrayView variants("89ab");
    if (!isHexToken(digits) || digits[12] != '1' || !variants.contains(digits[16]))
        return std::nullopt;
    const quint64 low = *hexNumber(digits.first(8));
    const quint64 middle = *hexNumber(digits.sliced(8, 4));
    const quint64 high = *hexNumber(digits.sliced(13, 3));
    constexpr qint64 unixEpoch = 0x01B21DD213814000; // In units of 100 ns since 1582-10-15.
    const auto ticks = static_cast<qint64>(high << 48 | middle << 32 | low) - unixEpoch;
    const WallTime made {milliseconds(ticks / 10'000)};
    if (!isPlausible(made) || made > now + skew)
        return std::nullopt;
    LockContent decoded = heldBy(whole);
    decoded.holders.front().since = made;
    const QByteArray node = QByteArray::fromHex(digits.sliced(20).toByteArray());
    if ((node[0] & 1) == 0) // This bit marks a random number instead of a MAC address.
        decoded.holders.front().mac = node;
    return decoded;
}

std::optional<LockContent> uuid1Hex(const ShapeInput &reading)
{
    return timed(reading.text.bytes, reading.text.bytes, reading.sample.now);
}

std::optional<LockContent> uuid1(const ShapeInput &reading)
{
    if (!isUuid(reading.text.bytes, 1))
        return std::nullopt;
    return timed(QByteArray(reading.text.bytes).replace('-', ""), reading.text.bytes, reading.sample.now);
}

std::optional<LockContent> uuid1Base64(const ShapeInput &reading)
{
    const QByteArray &text = reading.text.bytes;
    if (!isBase64Of16(text))
        return std::nullopt;
    return timed(QByteArray::fromBase64(text).toHex(), text, reading.sample.now);
}

/// Reads 16 random bytes. A UUID that contains a recent time is not random.
std::optional<LockContent> base64Of16(const ShapeInput &reading)
{
    if (!isBase64Of16(reading.text.bytes) || uuid1Base64(reading))
        return std::nullopt;
    return heldBy(reading.text.bytes);
}

/// Reads PHP's uniqid(): seconds in eight hexadecimal digits, microseconds in five.
std::optional<LockContent> uniqid(const ShapeInput &reading)
{
    const QByteArray &text = reading.text.bytes;
    if (text.size() != 13 || !isLowerHex(text))
        return std::nullopt;
    const auto seconds = static_cast<qint64>(*hexNumber(text.first(8)));
    const auto micros = static_cast<qint64>(*hexNumber(text.sliced(8)));
    const WallTime made {milliseconds(seconds * 1000 + micros / 1000)};
    if (micros >= 1'000'000 || !isPlausible(made) || made > reading.sample.now + skew)
        return std::nullopt;
    LockContent decoded = heldBy(text);
    decoded.holders.front().since = made;
    return decoded;
}

/// Reads a token of 16 bytes, which identifies the holder, and the text after it, often a host name.
std::optional<LockContent> tokenWithMetadata(const ShapeInput &reading)
{
    if (!isBase64UrlOf16(reading.text.bytes))
        return std::nullopt;
    LockContent decoded = heldBy(reading.text.bytes);
    const QByteArray metadata = reading.text.bytes.sliced(22);
    const qsizetype at = metadata.lastIndexOf('@');
    decoded.holders.front().host = metadata.sliced(at + 1);
    if (at >= 0)
        decoded.holders.front().client = metadata.first(at);
    return decoded;
}

// -- Values without an owner --

std::optional<LockContent> constant(const ShapeInput &reading)
{
    const auto isIt = [&](const char *text) { return reading.text.bytes.compare(text, Qt::CaseInsensitive) == 0; };
    if (std::ranges::none_of(constants, isIt))
        return std::nullopt;
    LockContent decoded = heldByUnknownClient();
    decoded.isConstant = true;
    return decoded;
}

std::optional<LockContent> empty(const ShapeInput &reading)
{
    return reading.text.bytes.isEmpty() ? constant(reading) : std::nullopt;
}

template<qsizetype digits, bool hasFraction>
std::optional<LockContent> deadline(const ShapeInput &reading)
{
    const QByteArray &text = reading.text.bytes;
    const qsizetype point = text.indexOf('.');
    if ((point < 0 ? text.size() : point) != digits || (point >= 0) != hasFraction)
        return std::nullopt;
    const auto time = unixTime(text);
    if (!time)
        return std::nullopt;
    LockContent decoded = heldByUnknownClient();
    decoded.deadline = time;
    return decoded;
}

template<bool isFree>
std::optional<LockContent> permits(const ShapeInput &reading)
{
    const auto number = wholeNumber(reading.text.bytes);
    if (!number)
        return std::nullopt;
    LockContent decoded;
    decoded.isHolderRecorded = false;
    if (isFree)
        decoded.free = number;
    else
        decoded.holderCount = *number;
    return decoded;
}

/// Reads MessagePack: an array of [time as a double, token of 24 characters].
std::optional<LockContent> suo(const ShapeInput &reading)
{
    const QByteArray &bytes = reading.text.bytes;
    if (bytes.isEmpty() || (static_cast<uchar>(bytes[0]) & 0xF0) != 0x90)
        return std::nullopt;
    const int count = bytes[0] & 0x0F;
    constexpr qsizetype each = 1 + 9 + 1 + 24;
    if (count == 0 || bytes.size() != 1 + count * each)
        return std::nullopt;
    LockContent decoded;
    decoded.holderCount = count;
    for (qsizetype at = 1; at < bytes.size(); at += each) {
        const QByteArrayView hold = QByteArrayView(bytes).sliced(at, each);
        if (hold[0] != '\x92' || hold[1] != '\xCB' || hold[10] != '\xB8')
            return std::nullopt;
        const auto bits = hexNumber(hold.sliced(2, 8).toByteArray().toHex());
        const WallTime since {
            milliseconds(static_cast<qint64>(std::clamp(std::bit_cast<double>(*bits), 0.0, 1e12) * 1000))};
        if (!isPlausible(since))
            return std::nullopt;
        Holder &holder = decoded.holders.emplace_back();
        holder.bytes = hold.sliced(11).toByteArray();
        holder.since = since;
    }
    return decoded;
}

} // namespace

bool isRandomToken(QByteArrayView text)
{
    return isToken(text);
}

std::vector<Shape> tokenShapes()
{
    constexpr auto string = KeyType::String;
    return {
        {"uuid1-hex", string, &uuid1Hex},
        {"uuid1", string, &uuid1},
        {"uuid4", string, &token<&isUuid4>},
        {"uuid", string, &token<&isAnyUuid>},
        {"hex-32", string, &token<&isHexToken>},
        {"hex-64", string, &token<&isHex64>},
        {"uuid1-base64", string, &uuid1Base64},
        {"base64-16", string, &base64Of16},
        {"base64-18", string, &token<&isBase64Of18>},
        {"base64url-16", string, &tokenWithMetadata},
        {"alnum-16", string, &token<&isAlnum16>},
        {"letters-16", string, &token<&isLetters16>},
        {"alnum-20", string, &token<&isAlnum20>},
        {"alnum-22", string, &token<&isAlnum22>},
        {"raw-16", string, &token<&isRaw<16>>},
        {"raw-20", string, &token<&isRaw<20>>},
        {"raw-32", string, &token<&isRaw<32>>},
        {"uniqid", string, &uniqid},
        {"token", string, &token<&isToken>},
        {"text", string, &token<&isText>},
        {"any", string, &token<&isAny>},
        {"constant", string, &constant},
        {"empty", string, &empty},
        {"unix-seconds", string, &deadline<10, false>},
        {"unix-ms", string, &deadline<13, false>},
        {"unix-float", string, &deadline<10, true>},
        {"free-permits", string, &permits<true>},
        {"countdown", string, &permits<true>},
        {"taken-permits", string, &permits<false>},
        {"suo", string, &suo},
    };
}

} // namespace latchkey::recognition
