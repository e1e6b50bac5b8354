#include "core/keyspace/keys/endedkeycounter.h"

#include <algorithm>

namespace latchkey::keys {

using base::MonotonicTime;
using namespace std::chrono_literals;

namespace {

constexpr auto partLength = 250ms;

MonotonicTime partOf(MonotonicTime time)
{
    return time - time.time_since_epoch() % std::chrono::nanoseconds(partLength);
}

} // namespace

void EndedKeyCounter::add(MonotonicTime when, qint64 keys)
{
    const MonotonicTime from = partOf(when);
    // Times mostly arrive in order, so the search starts at the end.
    auto position = m_parts.end();
    while (position != m_parts.begin() && std::prev(position)->from > from)
        --position;
    if (position != m_parts.begin() && std::prev(position)->from == from)
        std::prev(position)->keys += keys;
    else
        m_parts.insert(position, {from, keys});
    while (m_parts.back().from - m_parts.front().from > retention)
        m_parts.pop_front();
}

qint64 EndedKeyCounter::since(MonotonicTime time) const
{
    const MonotonicTime from = partOf(time);
    qint64 keys = 0;
    for (auto part = m_parts.rbegin(); part != m_parts.rend() && part->from >= from; ++part)
        keys += part->keys;
    return keys;
}

} // namespace latchkey::keys
