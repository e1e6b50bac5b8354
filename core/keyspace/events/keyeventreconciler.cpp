// Finds the order of the looks and notices of a key; keyeventreconcilerendings.cpp derives the changes.

#include "core/keyspace/events/keyeventreconciler.h"

#include <algorithm>

namespace latchkey::events {

using base::Deadline;
using base::MonotonicTime;
using Depth = EventCoverage::Depth;

namespace {

/// Limit of waiting notices. Older notices are applied without looks, because no look can be placed beside them.
constexpr std::size_t maxNotices = 1000;

/// Returns the ending that an event reports; absent for an event after which the key exists.
std::optional<Ending> endingAfter(const QByteArray &event)
{
    if (event == "expired")
        return Ending::Expired;
    if (event == "evicted")
        return Ending::Evicted;
    if (event == "del" || event == "rename_from" || event == "move_from")
        return Ending::Deleted;
    return std::nullopt;
}

/// Returns whether the event precedes the change that it names, or names a key that does not exist.
bool saysNothing(const QByteArray &event)
{
    return event == "new" || event == "overwritten" || event == "type_changed" || event == "keymiss";
}

/// Returns whether the event reports a new value, whatever the key held before.
bool isWrite(const QByteArray &event)
{
    return event == "set" || event == "restore" || event == "rename_to" || event == "move_to" || event == "copy_to"
        || event.endsWith("store");
}

} // namespace

void KeyEventReconciler::begin(MonotonicTime absentAt)
{
    if (m_presence != Presence::Unknown)
        return;
    m_presence = Presence::NotThere;
    m_lastLook = absentAt;
}

std::optional<Deadline> KeyEventReconciler::dueAt() const
{
    return m_presence == Presence::There && m_deadline && !m_deadline->isNever() ? m_deadline : std::nullopt;
}

void KeyEventReconciler::addNotice(const QByteArray &event, MonotonicTime received, MonotonicTime notBefore)
{
    if (saysNothing(event))
        return;
    Notice notice {Notice::Kind::Touch, Ending::None, received, notBefore};
    if (event.isEmpty()) {
        notice.kind = Notice::Kind::Any;
    } else if (const auto ending = endingAfter(event)) {
        notice.kind = Notice::Kind::End;
        notice.ending = *ending;
    } else if (isWrite(event)) {
        notice.kind = Notice::Kind::Write;
    }
    if (isEcho(notice))
        return;
    if (notice.kind <= Notice::Kind::Touch)
        m_lastReceived[static_cast<std::size_t>(notice.kind)] = received;
    m_notices.push_back(notice);
}

/// Returns whether the notice belongs to an own act, which has been reported already. Drops the waiting notices in that
/// case: they were received between the act's reply and this notice, so they are older than the act. The act found the
/// key as it was shown.
bool KeyEventReconciler::isEcho(const Notice &notice)
{
    std::erase_if(m_echoes, [&](const Echo &echo) { return echo.answered < notice.notBefore; });
    const auto echo = std::ranges::find(m_echoes, notice.kind, &Echo::kind);
    if (echo == m_echoes.end())
        return false;
    m_echoes.erase(m_echoes.begin(), echo + 1);
    m_notices.clear();
    return true;
}

void KeyEventReconciler::addFlush(MonotonicTime received, MonotonicTime notBefore)
{
    m_notices.push_back({Notice::Kind::Flush, Ending::None, received, notBefore});
}

void KeyEventReconciler::see(Look look, const EventCoverage &eventCoverage, KeyEvents &out)
{
    // An act and a look use two connections: a look requested before the act's reply may be older than the act.
    if (look.source == Source::Act)
        m_actedUntil = look.answered;
    else if ((m_actedUntil && look.asked < *m_actedUntil) || isOfKnownEnd(look) || isOvertaken(look))
        return;
    if (look.source == Source::Act) {
        seeAct(look, eventCoverage, out);
    } else if (eventCoverage.depth == Depth::None) {
        replay(std::exchange(m_looks, {}), m_notices.size(), eventCoverage, out);
        apply(look, eventCoverage, out);
    } else if (confirmsState(look)) {
        refresh(look);
    } else if (eventCoverage.depth == Depth::Keys && look.isThere && m_presence == Presence::Unknown) {
        // The known state begins with this look, so an older look contains nothing about it. A kept notice of an older
        // change only makes a verdict less certain.
        std::erase_if(m_looks, [&](const Look &waiting) { return waiting.asked < look.asked; });
        std::erase_if(m_notices, [&](const Notice &notice) { return notice.received < look.asked; });
        apply(look, eventCoverage, out);
    } else {
        m_looks.push_back(std::move(look));
    }
}

/// Applies an own act at once, because it is certain. The value that the act has compared is certain too: a look at a
/// single moment. With unnamed events, no notice received meanwhile could be ordered before or after that look.
void KeyEventReconciler::seeAct(const Look &act, const EventCoverage &eventCoverage, KeyEvents &out)
{
    std::optional<Look> compared;
    if (!m_looks.empty() && isCompared(m_looks.back()) && m_looks.back().asked == act.asked) {
        compared = std::move(m_looks.back());
        m_looks.pop_back();
    }
    // A look that overlaps the act may be older or newer than the act.
    std::erase_if(m_looks, [&](const Look &look) { return look.answered > act.asked; });
    if (compared && eventCoverage.depth == Depth::Events)
        m_looks.push_back(*std::exchange(compared, std::nullopt));
    replay(std::exchange(m_looks, {}), noticesUpTo(act), eventCoverage, out);
    if (compared && !isOfKnownEnd(*compared))
        apply(*compared, eventCoverage, out);
    const Notice::Kind kind = echoKind(act);
    const MonotonicTime received = m_lastReceived[static_cast<std::size_t>(kind)];
    const bool isReceived = received > act.asked;
    if (isReceived && !act.isThere && m_fresh && m_fresh->received > received)
        return; // Another client has taken the key since.
    if (!isReceived && eventCoverage.depth == Depth::Events && m_presence != Presence::Unknown)
        m_echoes.push_back({kind, act.answered});
    apply(act, eventCoverage, out);
}

/// Returns the kind of the notice that the server sends for an own act.
KeyEventReconciler::Notice::Kind KeyEventReconciler::echoKind(const Look &act) const
{
    if (!act.isThere)
        return Notice::Kind::End;
    return m_presence == Presence::There && !m_fresh ? Notice::Kind::Touch : Notice::Kind::Write;
}

/// Returns the number of notices that are older than the act. Notices after that of its deletion are newer.
std::size_t KeyEventReconciler::noticesUpTo(const Look &act) const
{
    if (act.isThere)
        return replayableNotices();
    const auto end = std::ranges::find_if(
        m_notices, [&](const Notice &n) { return n.kind == Notice::Kind::End && n.received > act.asked; });
    const auto count = static_cast<std::size_t>(end - m_notices.begin()) + (end == m_notices.end() ? 0 : 1);
    return std::min(replayableNotices(), count);
}

/// Returns whether the look shows what an act has compared, and the end by that act is known already from a look or a
/// notice.
bool KeyEventReconciler::isOfKnownEnd(const Look &look) const
{
    return isCompared(look) && m_presence == Presence::NotThere && look.asked < m_goneUntil;
}

/// Returns whether a notice that was received after the look's request is applied already. The look may be older than
/// the change, and its place among the notices cannot be found any more. The watcher asks again after each notice.
bool KeyEventReconciler::isOvertaken(const Look &look) const
{
    return look.asked < m_appliedUntil && !isCompared(look);
}

/// Returns whether the look confirms the known state and no notice contradicts it.
bool KeyEventReconciler::confirmsState(const Look &look) const
{
    if (isPending() || !m_isCovered || look.isThere != (m_presence == Presence::There))
        return false;
    if (!look.isThere)
        return m_presence == Presence::NotThere;
    return !m_fresh && !m_isOverwritten && !m_isTouched && m_touches == 0 && !m_flush
        && (!look.value || look.value == m_value)
        && (!look.deadline || (m_deadline && look.deadline->agreesWith(*m_deadline)));
}

void KeyEventReconciler::refresh(const Look &look)
{
    // A key that is still absent may have existed before the request. The notices of that existence may arrive later,
    // and must not be placed after this look.
    if (!look.isThere)
        return;
    // If the value was not read, another holder may have taken the key, with the same expiry.
    if (look.value || !m_value) {
        m_lastLook = look.asked;
        m_lastAlive = look.asked;
    }
    if (look.deadline && look.deadline->uncertainty() < m_deadline->uncertainty())
        m_deadline = look.deadline;
}

void KeyEventReconciler::settle(MonotonicTime upTo, const EventCoverage &eventCoverage, KeyEvents &out)
{
    std::erase_if(m_echoes, [&](const Echo &echo) { return echo.answered <= upTo; });
    std::vector<Look> settled;
    auto unsettledFrom = MonotonicTime::max();
    std::vector<Look> waiting;
    for (Look &look : m_looks) {
        if (look.answered <= upTo && look.asked < unsettledFrom) {
            settled.push_back(std::move(look));
        } else {
            unsettledFrom = std::min(unsettledFrom, look.asked);
            waiting.push_back(std::move(look));
        }
    }
    const auto held =
        std::ranges::find_if(m_notices, [&](const Notice &notice) { return notice.received >= unsettledFrom; });
    const auto count = static_cast<std::size_t>(held - m_notices.begin());
    replay(std::move(settled), std::min(count, replayableNotices()), eventCoverage, out);
    m_looks = std::move(waiting);
    if (m_notices.size() > maxNotices)
        replay({}, m_notices.size() - maxNotices, eventCoverage, out);
}

void KeyEventReconciler::loseEvents(const EventCoverage &until, KeyEvents &out)
{
    replay(std::exchange(m_looks, {}), replayableNotices(), until, out);
    m_notices.clear();
    m_echoes.clear();
    m_isCovered = false;
    m_reportedSince = MonotonicTime::max();
}

void KeyEventReconciler::setReportedSince(const EventCoverage &eventCoverage)
{
    m_reportedSince = eventCoverage.depth == Depth::None ? MonotonicTime::max() : eventCoverage.since;
}

/// Returns whether the key existed, at the last look and after each notice; absent: unknown.
std::vector<std::optional<bool>> KeyEventReconciler::presences() const
{
    std::vector<std::optional<bool>> all;
    all.reserve(m_notices.size() + 1);
    std::optional<bool> isThere;
    if (m_presence != Presence::Unknown)
        isThere = m_presence == Presence::There;
    all.push_back(isThere);
    for (const Notice &notice : m_notices) {
        switch (notice.kind) {
        case Notice::Kind::End:
            isThere = false;
            break;
        case Notice::Kind::Write:
        case Notice::Kind::Touch:
            isThere = true;
            break;
        case Notice::Kind::Flush:
            if (isThere == true)
                isThere.reset();
            break;
        case Notice::Kind::Any:
            isThere.reset();
            break;
        }
        all.push_back(isThere);
    }
    return all;
}

/// Returns the number of notices that precede the look; absent if several numbers are possible.
std::optional<std::size_t> KeyEventReconciler::placeOf(const Look &look, Depth depth) const
{
    const auto first = std::ranges::find_if(m_notices, [&](const Notice &n) { return n.received >= look.asked; });
    const auto least = static_cast<std::size_t>(first - m_notices.begin());
    if (least == m_notices.size())
        return least;
    // Only the flush can have ended the key. Perhaps no other look follows, because the store has dropped the key.
    if (!look.isThere && first->kind == Notice::Kind::Flush && m_presence == Presence::There && least == 0)
        return 1;
    if (depth != Depth::Events)
        return std::nullopt;
    const auto isThere = presences();
    std::optional<std::size_t> place;
    for (std::size_t i = least; i < isThere.size(); ++i) {
        if (isThere[i].value_or(look.isThere) != look.isThere || isBeforeItsValue(look, i))
            continue;
        if (place && !(look.isThere && areOfExpiry(*place, i)))
            return std::nullopt;
        if (!place)
            place = i;
    }
    return place;
}

/// Returns whether the look must be later than the first `notices` notices. It shows another value than the one that
/// has expired since, and no command can have written that value before these notices. So the key had been taken again.
bool KeyEventReconciler::isBeforeItsValue(const Look &look, std::size_t notices) const
{
    const bool isKnown = m_presence == Presence::There && m_isCovered && m_value && !m_isValueStale && !m_isOverwritten;
    if (!isKnown || m_fresh || !look.value || *look.value == *m_value
        || std::ranges::find(m_notices, Ending::Expired, &Notice::ending) == m_notices.end())
        return false;
    return std::all_of(m_notices.begin(), m_notices.begin() + static_cast<std::ptrdiff_t>(notices),
                       [](const Notice &notice) { return notice.kind == Notice::Kind::Touch; });
}

/// Returns whether the notices between these two places report only a new expiry after a write: `SET … PX` sends one
/// notice of each. A look shows the same value at all these places, and is put at the first.
bool KeyEventReconciler::areOfExpiry(std::size_t first, std::size_t last) const
{
    return first > 0 && m_notices[first - 1].kind == Notice::Kind::Write
        && std::all_of(m_notices.begin() + static_cast<std::ptrdiff_t>(first),
                       m_notices.begin() + static_cast<std::ptrdiff_t>(last),
                       [](const Notice &notice) { return notice.kind == Notice::Kind::Touch; });
}

void KeyEventReconciler::replay(std::vector<Look> looks, std::size_t noticeCount, const EventCoverage &eventCoverage,
                                KeyEvents &out)
{
    setReportedSince(eventCoverage);
    std::vector<std::pair<std::size_t, Look>> placed;
    for (Look &look : looks) {
        if (!look.isThere)
            m_foundGone = std::min(m_foundGone.value_or(look.asked), look.asked);
        if (const auto place = placeOf(look, eventCoverage.depth))
            placed.emplace_back(*place, std::move(look));
        else if (!look.isThere && eventCoverage.depth == Depth::Keys && m_presence == Presence::There)
            m_unplaced = std::move(look);
    }
    std::ranges::stable_sort(placed, {}, &std::pair<std::size_t, Look>::first);
    const std::vector<Notice> notices(m_notices.begin(), m_notices.begin() + static_cast<std::ptrdiff_t>(noticeCount));
    m_notices.erase(m_notices.begin(), m_notices.begin() + static_cast<std::ptrdiff_t>(noticeCount));
    auto next = placed.cbegin();
    for (std::size_t i = 0; i <= notices.size(); ++i) {
        for (; next != placed.cend() && next->first <= i; ++next)
            apply(next->second, eventCoverage, out);
        if (i < notices.size())
            apply(notices[i], out);
    }
}

void KeyEventReconciler::failOver()
{
    if (m_presence != Presence::There)
        return;
    m_wasKnownAtFailover = isDeadlineKnown() && !m_isOverwritten && !m_isTouched && !m_flush && m_touches == 0
                        && m_notices.empty() && m_looks.empty();
    m_isFailedOver = true;
    doubt();
}

/// Marks the events of the first looks at the new primary: the key is absent, or differs from that of the former
/// primary.
void KeyEventReconciler::judgeFailover(const Look &look, std::size_t first, KeyEvents &out)
{
    for (std::size_t i = first; i < out.size(); ++i) {
        KeyEvent &event = out[i];
        const bool isLost = event.what == KeyEvent::What::Ended && event.ending == Ending::Unknown
                         && m_wasKnownAtFailover && !event.deadline->hasPassed(look.answered);
        if (isLost)
            event.ending = Ending::Lost;
        if (isLost)
            event.mayBeOurRead = false;
        event.isAtFailover = event.what == KeyEvent::What::Ended || event.what == KeyEvent::What::HandedOver
                          || event.what == KeyEvent::What::Replaced || event.what == KeyEvent::What::Changed;
    }
    m_wasKnownAtFailover = false; // The new primary has the key, or its loss was reported.
    m_isFailedOver = look.isThere && !look.value;
}

void KeyEventReconciler::apply(const Look &look, const EventCoverage &eventCoverage, KeyEvents &out)
{
    setReportedSince(eventCoverage);
    const std::size_t first = out.size();
    if (look.isThere)
        applyThere(look, eventCoverage, out);
    else
        applyGone(look, eventCoverage, out);
    if (m_isFailedOver)
        judgeFailover(look, first, out);
    m_isCovered = eventCoverage.depth != Depth::None && look.asked >= eventCoverage.since;
}

} // namespace latchkey::events
