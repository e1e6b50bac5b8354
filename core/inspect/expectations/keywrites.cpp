#include "core/inspect/expectations/keywrites.h"

#include <algorithm>
#include <array>

namespace latchkey::expectations {

using base::MonotonicTime;
using events::KeyEvent;

namespace {

constexpr std::size_t maxNotices = 1000;

bool isEnd(const QByteArray &event)
{
    constexpr std::array ends {"del", "expired", "evicted", "rename_from", "move_from"};
    return std::ranges::any_of(ends, [&](const char *end) { return event == end; });
}

/// Returns whether the event changes no value: it reports an expiry, or precedes the change that it names.
bool changesNoValue(const QByteArray &event)
{
    constexpr std::array others {"expire", "persist", "hexpire",      "hpersist",   "hexpired",
                                 "new",    "keymiss", "type_changed", "overwritten"};
    return std::ranges::any_of(others, [&](const char *other) { return event == other; });
}

} // namespace

void KeyWrites::add(const events::ChangeNotice &notice, const TimeInterval &at)
{
    if (changesNoValue(notice.event))
        return;
    const auto kind = notice.event.isEmpty() ? Notice::Kind::Change
                    : isEnd(notice.event)    ? Notice::Kind::End
                                             : Notice::Kind::Write;
    m_notices.push_back({kind, at});
    if (m_notices.size() > maxNotices) {
        m_droppedUntil = m_notices.front().at.latest;
        m_notices.pop_front();
    }
}

void KeyWrites::dropUntil(MonotonicTime time)
{
    std::erase_if(m_notices, [time](const Notice &notice) { return notice.at.latest <= time; });
}

LastWrite KeyWrites::lastOf(const LastWrite &known, MonotonicTime lastThere) const
{
    LastWrite last = known;
    if (m_droppedUntil)
        last.changedUntil = std::max(*m_droppedUntil, last.changedUntil.value_or(*m_droppedUntil));
    for (const Notice &notice : m_notices) {
        if (notice.at.latest <= known.at.latest)
            continue; // The notice of the write that is known.
        if (notice.kind == Notice::Kind::End)
            break; // The ledger is about to report the end.
        if (notice.kind == Notice::Kind::Write) {
            last.at = notice.at;
            last.isSeen = true;
        } else if (notice.at.latest <= lastThere) {
            // A later read found the key, so the change was not its end.
            last.changedUntil = std::max(notice.at.latest, last.changedUntil.value_or(notice.at.latest));
        }
    }
    return last;
}

LastWrite KeyWrites::lastBefore(const KeyEvent &end, const LastWrite &known, MonotonicTime lastThere) const
{
    // Only the notice of an end has a certain place among the notices of the writes.
    const bool isReported = end.source == events::Source::Notice;
    KeyWrites before;
    before.m_droppedUntil = m_droppedUntil;
    for (const Notice &notice : m_notices) {
        if (notice.at.latest > end.notAfter || (notice.kind == Notice::Kind::End && notice.at.latest == end.notAfter))
            break;
        if (notice.kind == Notice::Kind::End)
            continue;
        const bool isCertain = isReported || notice.at.latest <= end.notBefore;
        before.m_notices.push_back({isCertain ? notice.kind : Notice::Kind::Change, notice.at});
        if (!isCertain && notice.kind == Notice::Kind::Write)
            lastThere = std::max(lastThere, notice.at.latest);
    }
    return before.lastOf(known, lastThere);
}

} // namespace latchkey::expectations
