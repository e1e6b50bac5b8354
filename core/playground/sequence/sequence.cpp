#include "core/playground/sequence/sequence.h"

#include "core/playground/sequence/wiretext.h"

#include <algorithm>

namespace latchkey::sequence {

using base::MonotonicTime;

namespace {

/// Number of lines that are searched for a repetition. A waiting client sends a few commands per attempt, and other
/// clients send commands meanwhile.
constexpr std::size_t foldWindow = 60;

/// Maximum error of a measured deadline.
constexpr std::chrono::milliseconds maxTimeDifference {20};

template<typename Span>
Span *openSpan(std::deque<Span> &spans, const auto &isIt)
{
    const auto found =
        std::find_if(spans.rbegin(), spans.rend(), [&](const Span &span) { return !span.until && isIt(span); });
    return found == spans.rend() ? nullptr : &*found;
}

template<typename Span>
void dropBefore(std::deque<Span> &spans, MonotonicTime time)
{
    std::erase_if(spans, [time](const Span &span) { return span.until && *span.until < time; });
}

} // namespace

MonotonicTime timeOf(const Row &row)
{
    const auto *message = std::get_if<Message>(&row);
    return message != nullptr ? message->sent : std::get<Mark>(row).at;
}

LaneIndex Sequence::addServer(const QString &name)
{
    ++m_revision;
    m_lanes.push_back({Lane::Kind::Server, name, false});
    m_attempts.push_back(0);
    return m_lanes.size() - 1;
}

void Sequence::rename(LaneIndex lane, const QString &name)
{
    ++m_revision;
    m_lanes[lane].name = name;
}

LaneIndex Sequence::addClient(const QString &name)
{
    ++m_revision;
    const auto vacant = std::ranges::find_if(m_lanes, &Lane::isVacant);
    if (vacant == m_lanes.end()) {
        m_lanes.push_back({Lane::Kind::Client, name, false});
        m_attempts.push_back(0);
        return m_lanes.size() - 1;
    }
    vacant->name = name;
    vacant->isVacant = false;
    const auto lane = static_cast<LaneIndex>(vacant - m_lanes.begin());
    closeAttempt(lane);
    for (Presence &presence : m_presences) {
        if (!presence.until && presence.holder == lane)
            presence.holder.reset(); // The key was left behind by the previous occupant of the lane.
    }
    return lane;
}

void Sequence::removeClient(LaneIndex lane, MonotonicTime at)
{
    ++m_revision;
    stopBelieving(lane, at);
    setAbsent(lane, Absence::Kind::Dead, at);
    m_lanes[lane].isVacant = true;
}

Message *Sequence::repeated(const Message &message)
{
    const std::size_t last = m_rows.size();
    for (std::size_t i = last; i-- > last - std::min(foldWindow, last);) {
        if (m_dropped + i < m_attempts[message.client])
            return nullptr;
        auto *earlier = std::get_if<Message>(&m_rows[i]);
        if (earlier != nullptr && earlier->client == message.client && earlier->server == message.server
            && earlier->isReplyLost == message.isReplyLost && earlier->shape == message.shape)
            return earlier;
    }
    return nullptr;
}

void Sequence::add(Message message)
{
    ++m_revision;
    message.who = m_lanes[message.client].name;
    message.shape = shapeOf(message.command) + u'\n' + shapeOf(message.reply.toString());
    if (Message *earlier = repeated(message)) {
        earlier->count += 1;
        earlier->received = message.received;
        earlier->command = message.command;
        earlier->reply = message.reply;
        return;
    }
    insert(std::move(message));
}

void Sequence::closeAttempt(LaneIndex client)
{
    m_attempts[client] = m_dropped + m_rows.size();
}

void Sequence::add(Mark mark)
{
    ++m_revision;
    mark.who = m_lanes[mark.lane].name;
    insert(std::move(mark));
}

void Sequence::insert(Row row)
{
    const MonotonicTime time = timeOf(row);
    auto position = m_rows.end();
    while (position != m_rows.begin() && timeOf(*std::prev(position)) > time)
        --position;
    m_rows.insert(position, std::move(row));
    if (m_dropped == 0)
        m_beginning = timeOf(m_rows.front());
    trim();
}

void Sequence::trim()
{
    if (m_rows.size() <= maxRows)
        return;
    while (m_rows.size() > maxRows) {
        m_rows.pop_front();
        ++m_dropped;
    }
    const MonotonicTime first = timeOf(m_rows.front());
    dropBefore(m_beliefs, first);
    dropBefore(m_presences, first);
    dropBefore(m_absences, first);
    dropBefore(m_overlaps, first);
}

void Sequence::believe(LaneIndex client, const base::Key &key, MonotonicTime from, MonotonicTime validUntil)
{
    ++m_revision;
    Belief *known = openSpan(m_beliefs, [&](const Belief &belief) { return belief.lane == client; });
    if (known != nullptr && known->key == key) {
        if (known->validUntil != validUntil)
            known->lapsed = MonotonicTime::max(); // The client has acquired the lock again.
        known->validUntil = validUntil;
        return;
    }
    if (known != nullptr)
        stopBelieving(client, from);
    m_beliefs.push_back({client, m_lanes[client].name, key, from, validUntil});
    noteOverlap(key, from);
}

void Sequence::stopBelieving(LaneIndex client, MonotonicTime at)
{
    Belief *known = openSpan(m_beliefs, [&](const Belief &belief) { return belief.lane == client; });
    if (known == nullptr)
        return;
    ++m_revision;
    known->until = std::max(at, known->from);
    noteOverlap(known->key, at);
}

/// Ends the current overlap, and starts a new one if several clients believe that they hold the lock. To be called
/// after a change of that set of clients.
void Sequence::noteOverlap(const base::Key &key, MonotonicTime at)
{
    QStringList who;
    for (const Belief &belief : m_beliefs) {
        if (!belief.until && belief.key == key)
            who += belief.who;
    }
    if (Overlap *known = openSpan(m_overlaps, [&](const Overlap &overlap) { return overlap.key == key; }))
        known->until = at;
    if (who.size() > 1)
        m_overlaps.push_back({key, who, at, {}});
}

void Sequence::recordKey(LaneIndex server, const base::Key &key, bool exists, std::optional<LaneIndex> holder,
                         MonotonicTime at, std::optional<MonotonicTime> ends)
{
    Presence *known = openSpan(
        m_presences, [&](const Presence &presence) { return presence.server == server && presence.key == key; });
    if (known == nullptr && !exists)
        return;
    const bool isOfOtherHolder = known != nullptr && exists && known->holder && holder && known->holder != holder;
    if (known != nullptr && exists && !isOfOtherHolder) {
        if (!known->holder
            && holder) { // The value has been read meanwhile. A reader without a holder adds no information.
            known->holder = holder;
            ++m_revision;
        }
        if (ends)
            known->ends = ends; // The revision stays the same, because an expiry has an effect only when it happens.
        return;
    }
    ++m_revision;
    if (known != nullptr)
        endPresence(*known, at);
    if (exists)
        m_presences.push_back({server, key, holder, at, {}, freeSlot(server), ends});
}

/// Ends a presence. The cause is unknown: an end at the expiry or later counts as a lapse, any other as a removal.
void Sequence::endPresence(Presence &presence, MonotonicTime at)
{
    const bool hasLapsed = presence.ends && *presence.ends <= at + maxTimeDifference;
    presence.until = std::max(hasLapsed ? std::min(*presence.ends, at) : at, presence.from);
    if (hasLapsed)
        lapse(presence.server, presence.key, *presence.until);
}

void Sequence::lapse(LaneIndex server, const base::Key &key, MonotonicTime at)
{
    add(Mark {server, Mark::Kind::LeaseEnded, {}, at, base::Text(base::printable(key.bytes()))});
    const bool isElsewhere = std::ranges::any_of(
        m_presences, [&](const Presence &presence) { return !presence.until && presence.key == key; });
    for (Belief &belief : m_beliefs) {
        if (!isElsewhere && !belief.until && belief.key == key && belief.from <= at)
            belief.lapsed = std::min(belief.lapsed, at);
    }
}

int Sequence::freeSlot(LaneIndex server) const
{
    const auto isTaken = [&](int slot) {
        return std::ranges::any_of(m_presences, [&](const Presence &presence) {
            return !presence.until && presence.server == server && presence.slot == slot;
        });
    };
    int slot = 0;
    while (isTaken(slot))
        ++slot;
    return slot;
}

void Sequence::setAbsent(LaneIndex lane, std::optional<Absence::Kind> kind, MonotonicTime at)
{
    Absence *known = openSpan(m_absences, [&](const Absence &absence) { return absence.lane == lane; });
    if (known != nullptr && kind == known->kind)
        return;
    ++m_revision;
    if (known != nullptr)
        known->until = at;
    if (kind)
        m_absences.push_back({lane, *kind, at, {}});
}

void Sequence::addServerEvent(LaneIndex server, ServerEvent event, MonotonicTime at)
{
    const auto note = [&](Mark::Kind kind, std::optional<Absence::Kind> absence) {
        add(Mark {server, kind, {}, at, {}});
        setAbsent(server, absence, at);
    };
    switch (event) {
    case ServerEvent::Killed:
        note(Mark::Kind::Killed, Absence::Kind::Dead);
        endPresences(server, at);
        return;
    case ServerEvent::StartedEmpty:
        note(Mark::Kind::StartedEmpty, {});
        endPresences(server, at);
        return;
    case ServerEvent::Restarted:
        note(Mark::Kind::Restarted, {});
        endPresences(server, at);
        return;
    case ServerEvent::FailedOver:
        note(Mark::Kind::FailedOver, {});
        endPresences(server, at);
        return;
    case ServerEvent::ClockJumped:
        note(Mark::Kind::ClockJumped, {});
        return;
    case ServerEvent::Suspended:
        note(Mark::Kind::Suspended, Absence::Kind::Asleep);
        return;
    case ServerEvent::Continued:
        note(Mark::Kind::Continued, {});
        return;
    }
    Q_UNREACHABLE();
}

void Sequence::endPresences(LaneIndex server, MonotonicTime at)
{
    for (Presence &presence : m_presences) {
        if (!presence.until && presence.server == server)
            presence.until = std::max(at, presence.from);
    }
}

const Overlap *Sequence::conflict() const
{
    const auto found = std::find_if(m_overlaps.rbegin(), m_overlaps.rend(),
                                    [](const Overlap &overlap) { return !overlap.until.has_value(); });
    return found == m_overlaps.rend() ? nullptr : &*found;
}

bool Sequence::isActive() const
{
    if (m_endedAt)
        return false;
    const auto continues = [](const auto &span) { return !span.until; };
    return std::ranges::any_of(m_beliefs, continues) || std::ranges::any_of(m_presences, continues);
}

void Sequence::end(MonotonicTime at)
{
    ++m_revision;
    m_endedAt = at;
}

void Sequence::clear()
{
    ++m_revision;
    m_rows.clear();
    m_dropped = 0;
    m_attempts.assign(m_lanes.size(), 0);
    const auto isOver = [](const auto &span) { return span.until.has_value(); };
    std::erase_if(m_beliefs, isOver);
    std::erase_if(m_presences, isOver);
    std::erase_if(m_absences, isOver);
    std::erase_if(m_overlaps, isOver);
}

void Sequence::reset()
{
    const quint64 next = m_revision + 1;
    *this = Sequence();
    m_revision = next;
}

} // namespace latchkey::sequence
