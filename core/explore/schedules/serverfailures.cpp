// The part of SchedulePlayer that plays the server faults.

#include "core/explore/schedules/scheduleplayer.h"
#include "core/redis/resp/servererror.h"

#include <algorithm>

namespace latchkey::schedules {

using base::failure;
using base::Result;
using resp::Reply;

namespace {

/// Time by which two readings of one lifetime may differ; much shorter than a lease in a story.
constexpr qint64 readingDifference = 30'000;

} // namespace

/// Keeps the keys of the server, if a later fault loses the writes of the current step.
Result<void> SchedulePlayer::keepState(int server)
{
    if (!m_firstLost.contains({server, m_played}))
        return {};
    const auto keys = ask(server, {}, {"KEYS", "*"});
    if (!keys)
        return failure(keys.error());
    auto &kept = m_kept[{server, m_played}];
    for (const Reply &key : keys->elements()) {
        const auto left = ask(server, {}, {"PTTL", key.bytes()});
        if (!left)
            return failure(left.error());
        const auto dump = ask(server, {}, {"DUMP", key.bytes()});
        if (!dump)
            return failure(dump.error());
        if (left->isError() || dump->isError())
            return failure(resp::serverError(left->isError() ? *left : *dump));
        kept.push_back({key.bytes(), dump->bytes(), left->toInteger()});
    }
    return {};
}

/// Ends the connections to the server and gives it the keys that it has after the fault.
Result<void> SchedulePlayer::failServer(const ScheduleStep &step)
{
    disconnect(step.server);
    if (step.lostSteps.empty() && !step.losesAll)
        return {};
    if (auto emptied = askOrFail(step.server, {"FLUSHDB"}); !emptied)
        return emptied;
    if (step.losesAll)
        return {};
    for (const KeptKey &key : m_kept[{step.server, step.lostSteps.front()}]) {
        const QByteArray left = QByteArray::number(std::max<qint64>(key.left, 0)); // 0: no lifetime.
        if (auto restored = askOrFail(step.server, {"RESTORE", key.key, left, key.dump}); !restored)
            return restored;
    }
    return {};
}

/// Deletes all keys with a lifetime.
Result<void> SchedulePlayer::jumpClock(int server)
{
    const auto keys = ask(server, {}, {"KEYS", "*"});
    if (!keys)
        return failure(keys.error());
    for (const Reply &key : keys->elements()) {
        const auto left = ask(server, {}, {"PTTL", key.bytes()});
        if (!left)
            return failure(left.error());
        if (!left->isInteger() || left->toInteger() < 0)
            continue;
        forgetEndedKey(server, key.bytes(), left->toInteger());
        if (auto ended = askOrFail(server, {"DEL", key.bytes()}); !ended)
            return ended;
    }
    return {};
}

/// Removes an expired key from the kept states, unless the key expires later there.
void SchedulePlayer::forgetEndedKey(int server, const QByteArray &key, qint64 left)
{
    for (auto &[place, kept] : m_kept) {
        if (place.first != server)
            continue;
        std::erase_if(kept, [&](const KeptKey &other) {
            return other.key == key && other.left >= 0 && other.left <= left + readingDifference;
        });
    }
}

void SchedulePlayer::disconnect(int server)
{
    const auto isOfServer = [server](const auto &entry) { return entry.first.first == server; };
    std::erase_if(m_connections, isOfServer);
    std::erase_if(m_subscribers, isOfServer);
    std::erase_if(m_queueing, [server](const auto &entry) { return entry.first == server; });
}

} // namespace latchkey::schedules
