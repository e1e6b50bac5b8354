#include "core/inspect/recognition/text.h"

#include "core/foundation/base/bytes.h"

#include <QByteArray>
#include <QDateTime>

#include <algorithm>
#include <cmath>

namespace latchkey::recognition {

using base::WallTime;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

constexpr WallTime earliest = std::chrono::sys_days(std::chrono::year(2010) / 1 / 1);
constexpr WallTime latest = std::chrono::sys_days(std::chrono::year(2100) / 1 / 1);

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

template<typename Predicate>
bool areAll(QByteArrayView bytes, Predicate is)
{
    return !bytes.isEmpty() && std::ranges::all_of(bytes, is);
}

} // namespace

bool isDigits(QByteArrayView bytes)
{
    return areAll(bytes, isDigit);
}

bool isLowerHex(QByteArrayView bytes)
{
    return areAll(bytes, [](char c) { return isDigit(c) || (c >= 'a' && c <= 'f'); });
}

bool isAlphanumeric(QByteArrayView bytes)
{
    return areAll(bytes, [](char c) { return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

bool isPrintableText(QByteArrayView bytes)
{
    return std::ranges::none_of(bytes, [](char c) { return (c >= 0 && c < 0x20) || c == 0x7F; })
        && base::utf8Text(bytes).has_value();
}

bool isUuid(QByteArrayView bytes, int version)
{
    if (bytes.size() != 36)
        return false;
    for (qsizetype i = 0; i < bytes.size(); ++i) {
        const bool wantsDash = i == 8 || i == 13 || i == 18 || i == 23;
        if (wantsDash ? bytes[i] != '-' : !isLowerHex(bytes.sliced(i, 1)))
            return false;
    }
    constexpr QByteArrayView variants("89ab");
    return version == 0 || (bytes[14] == '0' + version && variants.contains(bytes[19]));
}

std::optional<qint64> wholeNumber(QByteArrayView bytes)
{
    const bool isNegative = bytes.startsWith('-');
    if (!isDigits(isNegative ? bytes.sliced(1) : bytes) || bytes.size() > 20)
        return std::nullopt;
    bool fits = false;
    const qint64 number = bytes.toByteArray().toLongLong(&fits);
    return fits ? std::optional(number) : std::nullopt;
}

std::optional<quint64> hexNumber(QByteArrayView bytes)
{
    if (bytes.isEmpty() || bytes.size() > 16)
        return std::nullopt;
    bool fits = false;
    const quint64 number = bytes.toByteArray().toULongLong(&fits, 16);
    return fits ? std::optional(number) : std::nullopt;
}

bool isPlausible(WallTime time)
{
    return time >= earliest && time < latest;
}

std::optional<WallTime> unixTime(QByteArrayView number)
{
    const qsizetype point = number.indexOf('.');
    const QByteArrayView whole = point < 0 ? number : number.first(point);
    if (!isDigits(whole) || whole.size() > 13
        || (point >= 0 && (!isDigits(number.sliced(point + 1)) || number.size() > 24)))
        return std::nullopt;
    const double value = number.toByteArray().toDouble();
    const bool isMilliseconds = whole.size() >= 12;
    const WallTime time {milliseconds(std::llround(isMilliseconds ? value : value * 1000))};
    return isPlausible(time) ? std::optional(time) : std::nullopt;
}

std::optional<WallTime> isoTime(QByteArrayView text)
{
    if (text.size() > 40)
        return std::nullopt;
    // Qt reads up to milliseconds; the JVM writes up to nanoseconds.
    QByteArray shortened = text.toByteArray();
    if (const qsizetype point = shortened.indexOf('.'); point >= 0) {
        qsizetype end = point + 1;
        while (end < shortened.size() && isDigit(shortened[end]))
            ++end;
        if (end - point > 4)
            shortened.remove(point + 4, end - point - 4);
    }
    const QDateTime time = QDateTime::fromString(QString::fromLatin1(shortened), Qt::ISODateWithMs);
    if (!time.isValid() || time.timeSpec() != Qt::UTC)
        return std::nullopt;
    const WallTime found {milliseconds(time.toMSecsSinceEpoch())};
    return isPlausible(found) ? std::optional(found) : std::nullopt;
}

} // namespace latchkey::recognition
