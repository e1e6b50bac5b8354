#include "core/explore/schedules/serverfaults.h"

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

Result<void> successOf(const Result<Reply> &reply)
{
    if (!reply)
        return failure(reply.error());
    if (reply->isError())
        return failure(resp::serverError(*reply));
    return {};
}

ServerFaults::ServerFaults(const RecordedSchedule &schedule, Ask ask)
    : m_ask(std::move(ask))
    , m_hasTime(std::ranges::any_of(schedule.steps, [](const ScheduleStep &step) { return step.passed.count() > 0; }))
{
    for (const ScheduleStep &step : schedule.steps) {
        if (!step.lostSteps.empty())
            m_firstLost.emplace(step.server, step.lostSteps.front());
    }
}

Result<void> ServerFaults::keepState(int server, std::size_t position)
{
    if (!m_firstLost.contains({server, position}))
        return {};
    const auto keys = m_ask(server, {"KEYS", "*"});
    if (!keys)
        return failure(keys.error());
    auto &kept = m_kept[{server, position}];
    for (const Reply &key : keys->elements()) {
        const auto left = m_ask(server, {"PTTL", key.bytes()});
        if (!left)
            return failure(left.error());
        const auto dump = m_ask(server, {"DUMP", key.bytes()});
        if (!dump)
            return failure(dump.error());
        if (left->isError() || dump->isError())
            return failure(resp::serverError(left->isError() ? *left : *dump));
        kept.push_back({key.bytes(), dump->bytes(), left->toInteger()});
    }
    return {};
}

Result<void> ServerFaults::fail(const ScheduleStep &step)
{
    if (step.lostSteps.empty() && !step.losesAll)
        return {};
    if (auto emptied = successOf(m_ask(step.server, {"FLUSHDB"})); !emptied)
        return emptied;
    if (step.losesAll)
        return {};
    for (const KeptKey &key : m_kept[{step.server, step.lostSteps.front()}]) {
        const QByteArray left = QByteArray::number(std::max<qint64>(key.left, 0)); // 0: no lifetime.
        if (auto restored = successOf(m_ask(step.server, {"RESTORE", key.key, left, key.dump})); !restored)
            return restored;
    }
    return {};
}

Result<void> ServerFaults::jumpClock(int server)
{
    const auto keys = m_ask(server, {"KEYS", "*"});
    if (!keys)
        return failure(keys.error());
    for (const Reply &key : keys->elements()) {
        const auto left = m_ask(server, {"PTTL", key.bytes()});
        if (!left)
            return failure(left.error());
        if (!left->isInteger() || left->toInteger() < 0)
            continue;
        forgetEndedKey(server, key.bytes(), left->toInteger());
        if (auto ended = successOf(m_ask(server, {"DEL", key.bytes()})); !ended)
            return ended;
    }
    return {};
}

void ServerFaults::advance(std::chrono::milliseconds time)
{
    for (auto &[place, kept] : m_kept) {
        std::erase_if(kept, [time](const KeptKey &key) { return key.left >= 0 && key.left <= time.count(); });
        for (KeptKey &key : kept)
            key.left -= key.left >= 0 ? time.count() : 0;
    }
}

void ServerFaults::forgetEndedKey(int server, const QByteArray &key, qint64 left)
{
    if (m_hasTime)
        return;
    for (auto &[place, kept] : m_kept) {
        if (place.first != server)
            continue;
        std::erase_if(kept, [&](const KeptKey &other) {
            return other.key == key && other.left >= 0 && other.left <= left + readingDifference;
        });
    }
}

} // namespace latchkey::schedules
