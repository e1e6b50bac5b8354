#include "core/explore/programs/timesofday.h"

#include "core/explore/races/attempt.h"

#include <QDateTime>

#include <algorithm>

namespace latchkey::programs {

namespace {

/// Number of digits of a time of day in seconds since the epoch. Smaller units have more digits, with the same first.
constexpr int digitsOfSeconds = 10;

/// Longest time between the start of an exploration and a time of day that a reply contains.
constexpr auto maxOffset = std::chrono::seconds(std::chrono::years(10));
/// The same for a word of a command. The time is shorter, because random words also contain digits.
constexpr auto maxOffsetOfWord = std::chrono::seconds(std::chrono::days(40));

qint64 secondsAtStart()
{
    return std::chrono::duration_cast<std::chrono::seconds>(races::Attempt::startOfTime().time_since_epoch()).count();
}

/// Returns whether the text contains a number with first digits that are a time within `longest` of the start.
bool containsSeconds(const QByteArray &text, std::chrono::seconds longest)
{
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    for (auto begin = text.begin(); begin != text.end();) {
        begin = std::find_if(begin, text.end(), isDigit);
        const auto end = std::find_if_not(begin, text.end(), isDigit);
        if (end - begin >= digitsOfSeconds) {
            const qint64 offset = QByteArray(begin, digitsOfSeconds).toLongLong() - secondsAtStart();
            if (offset >= -longest.count() && offset <= longest.count())
                return true;
        }
        begin = end;
    }
    return false;
}

/// Returns whether the text contains a date such as 2026-01-01 within two days of the start, in any time zone.
bool containsDate(const QByteArray &text)
{
    const QDate first = QDateTime::fromSecsSinceEpoch(secondsAtStart()).toUTC().date();
    for (const int day : {-1, 0, 1, 2}) {
        if (text.contains(first.addDays(day).toString(Qt::ISODate).toLatin1()))
            return true;
    }
    return false;
}

} // namespace

bool containsTimeOfDay(const resp::Reply &reply)
{
    if (std::ranges::any_of(reply.elements(), [](const resp::Reply &element) { return containsTimeOfDay(element); }))
        return true;
    return containsSeconds(
        reply.kind() == resp::Reply::Kind::Integer ? QByteArray::number(reply.toInteger()) : reply.bytes(), maxOffset);
}

bool containsTimeOfDay(const QByteArray &word)
{
    return containsSeconds(word, maxOffsetOfWord) || containsDate(word);
}

} // namespace latchkey::programs
