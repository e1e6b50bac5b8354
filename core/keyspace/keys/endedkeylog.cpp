#include "core/keyspace/keys/endedkeylog.h"

#include <algorithm>

namespace latchkey::keys {

std::optional<std::chrono::nanoseconds> EndedKey::late() const
{
    if (state == KeyState::Removed || deadline.isNever())
        return std::nullopt;
    return std::max(goneAt - deadline.at(), std::chrono::nanoseconds(0));
}

EndedKey::Ending EndedKey::ending() const
{
    if (state == KeyState::Expired)
        return Ending::Expired;
    if (source == EndSource::Unseen)
        return Ending::Unknown;
    if (source == EndSource::Flushed || count > 1)
        return Ending::Flushed;
    return state == KeyState::Removed ? Ending::Removed : Ending::ExpiredOrRemoved;
}

void EndedKeyLog::add(EndedKey ended)
{
    const base::MonotonicTime now = ended.goneAt;
    m_ended.push_back(std::move(ended));
    ++m_total;
    while (now - m_ended.front().goneAt > retention)
        m_ended.pop_front();
    if (m_ended.size() > maxKeys) {
        m_droppedUntil = m_ended.front().goneAt;
        m_ended.pop_front();
    }
}

void EndedKeyLog::markFlushed(base::MonotonicTime from, base::MonotonicTime to)
{
    for (auto ended = m_ended.rbegin(); ended != m_ended.rend() && ended->goneAt >= from; ++ended) {
        if (ended->state == KeyState::Removed && ended->source != EndSource::OwnCommand && ended->goneAt <= to)
            ended->source = EndSource::Flushed;
    }
    ++m_changes;
}

std::optional<base::MonotonicTime> EndedKeyLog::droppedUntil(base::MonotonicTime now) const
{
    const bool isRecent = m_droppedUntil && now - *m_droppedUntil <= retention;
    return isRecent ? m_droppedUntil : std::nullopt;
}

} // namespace latchkey::keys
