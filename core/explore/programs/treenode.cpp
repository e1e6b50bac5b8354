#include "core/explore/programs/treenode.h"

#include "core/explore/races/attempt.h"
#include "core/explore/schedules/waiting.h"
#include "core/redis/resp/codec.h"

#include <algorithm>

namespace latchkey::programs {

using races::Offer;

namespace {

/// Number of digits of a time of day in seconds since the epoch. Smaller units have more digits, with the same first.
constexpr int digitsOfSeconds = 10;

/// Longest time between the start of an exploration and a time of day that a reply contains.
constexpr auto longestOffset = std::chrono::seconds(std::chrono::years(10));

qint64 secondsAtStart()
{
    return std::chrono::duration_cast<std::chrono::seconds>(races::Attempt::startOfTime().time_since_epoch()).count();
}

} // namespace

bool isOfTime(const Event &event)
{
    return event.kind == Event::Kind::Pass || event.kind == Event::Kind::Begin;
}

QByteArray keyOf(const Event &event)
{
    QByteArray key = QByteArray::number(static_cast<int>(event.kind)) + ' ' + QByteArray::number(event.conversation)
                   + ' ' + QByteArray::number(static_cast<qint64>(event.time.count())) + ' ';
    if (event.kind == Event::Kind::Reply || event.kind == Event::Kind::Message)
        resp::encode(event.reply, key);
    return key;
}

bool tellsTimeOfDay(const resp::Reply &reply)
{
    if (std::ranges::any_of(reply.elements(), tellsTimeOfDay))
        return true;
    const QByteArray text =
        reply.kind() == resp::Reply::Kind::Integer ? QByteArray::number(reply.toInteger()) : reply.bytes();
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    for (auto begin = text.begin(); begin != text.end();) {
        begin = std::find_if(begin, text.end(), isDigit);
        const auto end = std::find_if_not(begin, text.end(), isDigit);
        if (end - begin >= digitsOfSeconds) {
            const qint64 seconds = QByteArray(begin, digitsOfSeconds).toLongLong() - secondsAtStart();
            if (seconds >= -longestOffset.count() && seconds <= longestOffset.count())
                return true;
        }
        begin = end;
    }
    return false;
}

Waited waitedAfter(const TreeNode &from, const Event &event, const std::vector<Offer> &offers)
{
    Waited waited;
    for (const Offer &offer : offers) {
        std::chrono::milliseconds &time = waited.emplace_back();
        const auto before = std::ranges::find(from.offers, offer.conversation, &Offer::conversation);
        const bool stays = before != from.offers.end() && (isOfTime(event) || event.conversation != offer.conversation);
        if (const auto waiting = schedules::waitingOf(offer.commands); stays && waiting && waiting->timeout)
            time = from.waited[static_cast<std::size_t>(before - from.offers.begin())] + event.time;
    }
    return waited;
}

} // namespace latchkey::programs
