#include "app/cli/clusterlocks.h"

#include "core/redis/net/slotroutes.h"
#include "core/redis/resp/clusterslots.h"
#include "core/redis/resp/keyslot.h"

#include <QTimer>

#include <algorithm>

namespace latchkey::cli {

using events::Ending;
using events::KeyEvent;
using inspection::InspectedServer;
using Type = KeyEvent::Type;
using namespace std::chrono_literals;

namespace {

/// Reply to PTTL: the key does not exist.
constexpr qint64 noKey = -2;
/// Limit of followed redirects; more than one is possible because the slot may migrate again meanwhile.
constexpr int maxRedirects = 5;
/// Timeout of the request for the location of a key.
constexpr auto questionTimeout = 5s;
/// Longest wait for a report of the primary that has the key now; its scan may still have to find the key.
constexpr auto maxExaminationTime = 10s;
/// Longest time for which a migration is not noticed, because the primaries are asked at intervals.
constexpr auto unnoticedMigrationTime = 2s;
/// Limit of the locks in migrating slots that are requested in one turn.
constexpr int maxReread = 200;

} // namespace

ClusterLocks::ClusterLocks(const base::Clock &clock)
    : m_clock(clock)
    , m_holds(clock)
{
    connect(&m_holds, &LockEvents::seen, this, &LockEvents::seen);
    connect(&m_holds, &LockEvents::happened, this, &LockEvents::happened);
}

ClusterLocks::~ClusterLocks() = default;

ClusterLocks::Primary ClusterLocks::join(InspectedServer &server, const WatchedLocks &locks)
{
    const Primary primary = m_members.size();
    m_members.push_back({&server, &locks});
    connect(&locks, &LockEvents::seen, this,
            [this, primary](const auto &key, const auto &description, const auto &deadline, auto time) {
                take({primary, description, description, Event::Seen {key, deadline, time}});
            });
    connect(&locks, &LockEvents::happened, this,
            [this, primary, &locks](const auto &keyEvent, const auto &description) {
                const LockDescription after = locks.held().value(keyEvent.key, {description, {}}).description;
                take({primary, description, after, keyEvent});
            });
    connect(&locks, &WatchedLocks::endedUnread, this, &ClusterLocks::countUnread);
    return primary;
}

void ClusterLocks::leave(Primary primary, Primary successor)
{
    m_members[primary] = {};
    const QList<QByteArray> examined = m_examinations.keys();
    for (const QByteArray &key : examined) {
        if (m_holds.all().value(key).owner == primary)
            settle(key, false);
    }
    InspectedServer &server = *m_members[successor].server;
    const auto compare = [this, primary, successor, &server] {
        if (server.watcher().phase() == watching::Watcher::Phase::Watching)
            compareWith(primary, successor);
    };
    connect(&server.watcher(), &watching::Watcher::phaseChanged, this, compare);
    compare();
}

void ClusterLocks::settleAll()
{
    while (!m_examinations.isEmpty())
        settle(QByteArray(m_examinations.constBegin().key()), false);
}

/// Reports the locks of a former primary as lost if its successor does not have them.
void ClusterLocks::compareWith(Primary former, Primary successor)
{
    QList<QByteArray> missing; // Collected first, because a removal moves other entries of the hash.
    for (auto held = m_holds.all().cbegin(); held != m_holds.all().cend(); ++held) {
        if (held->owner == former && !m_members[successor].server->store().exists(held.key()))
            missing += held.key();
    }
    for (const QByteArray &key : std::as_const(missing))
        m_holds.end(key, Ending::Lost, m_clock.now(), true);
}

void ClusterLocks::take(Event event)
{
    const auto examination = m_examinations.find(event.key());
    if (examination == m_examinations.end()) {
        handle(std::move(event));
        return;
    }
    const QByteArray key = event.key();
    const bool isAppearance = event.isAppearance();
    examination->events.push_back(std::move(event));
    if (isAppearance && hasMoved(key) && !settleByAppearance(key))
        settle(key, true);
}

void ClusterLocks::handle(Event event)
{
    if (event.end() != nullptr)
        return handleEnd(std::move(event));
    const auto held = m_holds.all().constFind(event.key());
    if (held == m_holds.all().cend())
        return begin(std::move(event));
    const bool isOfOwner = held->owner == event.from;
    const bool isContinued = isOfOwner && held->isReportedByOwner && !event.isAppearance();
    if (!isContinued && event.mayBeOf(*held)) {
        m_holds.continueAt(event);
    } else if (isContinued || (isOfOwner && !event.isAppearance())) {
        m_holds.report(event);
    } else if (isOfOwner) {
        m_holds.end(event.key(), Ending::Unknown, event.notAfter()); // The owner could not read the former hold.
        begin(std::move(event));
    } else if (m_members[held->owner].server == nullptr) {
        // The primary has failed, and the successor has another hold.
        m_holds.end(event.key(), Ending::Lost, m_clock.now(), true);
        m_holds.report(event);
    } else {
        examine(std::move(event), held->owner); // The former hold must have ended on its primary.
    }
}

/// Reports the beginning of a hold. Its primary may not have been able to read the key before, because the slot was
/// being imported, or may have received the key from another such primary.
void ClusterLocks::begin(Event event)
{
    const auto *keyEvent = std::get_if<KeyEvent>(&event.content);
    const bool isPolled = keyEvent != nullptr && keyEvent->source != events::Source::NotifiedRead
                       && keyEvent->source != events::Source::Notification;
    const std::chrono::nanoseconds unread = hasMoved(event.key()) ? maxExaminationTime
                                          : isPolled              ? unnoticedMigrationTime
                                                                  : 0s;
    m_holds.begin(std::move(event), unread);
}

/// Handles an end. A primary may notice late that a key has migrated or ended, even after the key has returned to it.
void ClusterLocks::handleEnd(Event event)
{
    const KeyEvent &ended = *event.end();
    const auto held = m_holds.all().constFind(ended.key);
    const bool isEarlier = held == m_holds.all().cend() || ended.notAfter < held->knownAt;
    if (isEarlier && !ended.isAtFailover)
        return;
    if (held != m_holds.all().cend()
        && (held->owner != event.from || !held->isReportedByOwner || event.isDoubtfulEnd()))
        examine(std::move(event), event.from);
    else
        m_holds.report(event);
}

/// Holds the event back and asks a primary whether it serves the key.
void ClusterLocks::examine(Event event, Primary asked)
{
    const QByteArray key = event.key();
    Examination &examination = m_examinations[key];
    examination.began = m_clock.now();
    examination.events.push_back(std::move(event));
    requestLock(key, asked);
}

void ClusterLocks::requestLock(const QByteArray &key, Primary asked)
{
    net::Connection *connection = connectionOf(asked);
    if (connection == nullptr)
        return; // The primary may be replaced.
    m_examinations[key].isRequested = true;
    connection->send({{QByteArrayLiteral("PTTL"), key}}, questionTimeout, this,
                     [this, key, asked](const base::Result<net::Connection::Delivery> &delivery) {
                         answered(key, asked, delivery, 0);
                     });
}

void ClusterLocks::noteMigrating(const std::vector<int> &slotNumbers)
{
    for (const int slot : slotNumbers)
        m_moved[slot] = m_clock.now();
}

void ClusterLocks::recheck()
{
    const auto now = m_clock.now();
    const QList<QByteArray> examined = m_examinations.keys();
    for (const QByteArray &key : examined) {
        const Examination &examination = m_examinations[key];
        if (examination.isRequested)
            continue;
        if (now - examination.began >= maxExaminationTime)
            settle(key, false);
        else if (examination.events.empty())
            requestLock(key, m_holds.all().value(key).owner);
        else
            requestLock(key, examination.events.front().from);
    }
    int asked = 0;
    for (auto held = m_holds.all().cbegin(); held != m_holds.all().cend() && asked < maxReread; ++held) {
        if (m_examinations.contains(held.key()) || !hasMoved(held.key()))
            continue;
        m_examinations[held.key()].began = now;
        requestLock(held.key(), held->owner);
        ++asked;
    }
}

/// Asks the primary that the redirect names.
void ClusterLocks::requestFromNext(const QByteArray &key, Primary asked, const resp::Redirect &redirect, int hops)
{
    const auto next = at(redirect.address, asked);
    net::Connection *connection = next ? connectionOf(*next) : nullptr;
    if (connection == nullptr)
        return; // The new primary will join and report the lock.
    m_examinations[key].isRequested = true;
    resp::Commands commands;
    if (redirect.kind == resp::Redirect::Kind::Ask)
        commands.push_back({QByteArrayLiteral("ASKING")});
    commands.push_back({QByteArrayLiteral("PTTL"), key});
    connection->send(commands, questionTimeout, this,
                     [this, key, next = *next, hops](const base::Result<net::Connection::Delivery> &delivery) {
                         answered(key, next, delivery, hops);
                     });
}

/// Handles the reply of a primary about a key. `hops`: number of redirects that were followed.
void ClusterLocks::answered(const QByteArray &key, Primary primary,
                            const base::Result<net::Connection::Delivery> &delivery, int hops)
{
    const auto examination = m_examinations.find(key);
    if (examination == m_examinations.end())
        return;
    examination->isRequested = false;
    if (!delivery)
        return; // The connection was lost, and the primary may be replaced.
    const resp::Reply &reply = delivery->replies.back();
    const auto held = m_holds.all().constFind(key);
    if (const auto redirect = resp::Redirect::fromReply(reply)) {
        m_moved[resp::slotOf(key)] = m_clock.now();
        if (hops == 0 && held != m_holds.all().cend() && held->owner != primary)
            settleAsMove(key, held->owner); // The lock has migrated from that primary earlier.
        else if (hops < maxRedirects)
            requestFromNext(key, primary, *redirect, hops + 1);
    } else if (reply.isInteger(noKey)) {
        const bool willReport = examination->events.empty() && m_members[primary].locks != nullptr
                             && m_members[primary].locks->held().contains(key);
        if (willReport)
            m_examinations.erase(examination); // With the time and the cause of the end.
        else
            settle(key, true);
    } else if (reply.isInteger() && held == m_holds.all().cend()) {
        settleAsMove(key, primary); // The lock has ended meanwhile.
    } else if (reply.isInteger()) {
        // The key exists again on the same primary: another hold, or the slot has migrated back. The next report of the
        // primary decides.
        if (hops > 0 || held->owner != primary)
            settleAsMove(key, primary);
        else if (examination->events.empty())
            m_examinations.erase(examination);
        else if (!hasMoved(key) || !settleByAppearance(key))
            settle(key, true);
    }
}

/// Returns whether the slot of the key has migrated recently.
bool ClusterLocks::hasMoved(const QByteArray &key) const
{
    const auto moved = m_moved.constFind(resp::slotOf(key));
    return moved != m_moved.cend() && m_clock.now() - *moved < maxExaminationTime;
}

/// Ends the examination of a key that is on this primary now. The lock has not ended, unless the primary has reported a
/// different lock.
void ClusterLocks::settleAsMove(const QByteArray &key, Primary next)
{
    const HeldClusterLock held = m_holds.all().value(key);
    const auto isAnother = [&](const Event &event) {
        return event.from == next && event.isAppearance() && !event.mayBeOf(held);
    };
    if (m_holds.all().contains(key) && std::ranges::any_of(m_examinations[key].events, isAnother)) {
        settle(key, true);
        return;
    }
    std::deque<Event> events = m_examinations.take(key).events;
    if (m_holds.all().contains(key)) {
        m_holds.moveTo(key, next);
        if (m_members[next].locks != nullptr && !m_members[next].locks->held().contains(key))
            m_members[next].server->watcher().keysChanged({key}); // It could not read the key before.
    }
    std::erase_if(events, [](const Event &event) { return event.end() != nullptr; });
    for (Event &event : events)
        take(std::move(event));
}

/// Ends the examination of a key with a migrated slot if a primary has reported the same lock since. Returns false if
/// the caller must end it: the reported lock is another one, or is indistinguishable without a holder.
bool ClusterLocks::settleByAppearance(const QByteArray &key)
{
    const HeldClusterLock held = m_holds.all().value(key);
    const std::deque<Event> &events = m_examinations[key].events;
    const auto appearance = std::ranges::find_if(events, &Event::isAppearance);
    if (appearance == events.end())
        return held.description.holder.has_value(); // Otherwise the next lock could not be distinguished from this one.
    if (!appearance->mayBeOf(held))
        return false;
    settleAsMove(key, appearance->from);
    return true;
}

/// Ends the examination of a key: the lock has ended. `isEndKnown`: whether the primaries have confirmed the end;
/// otherwise its ending is Unknown.
void ClusterLocks::settle(const QByteArray &key, bool isEndKnown)
{
    std::deque<Event> events = m_examinations.take(key).events;
    if (events.empty() && !isEndKnown)
        return; // No event is held back: the key was only checked.
    const auto end = std::ranges::find_if(events, [](const Event &event) { return event.end() != nullptr; });
    std::optional<Event> ended;
    if (end != events.end()) {
        ended = std::move(*end);
        events.erase(end);
    }
    if (m_holds.all().contains(key))
        reportExaminedEndOf(key, ended, events, isEndKnown);
    for (Event &event : events)
        take(std::move(event));
}

/// Reports the end of a lock after its examination. `ended`: the end that a primary has reported, if any. It may be the
/// migration, if the lock has ended on the other primary since. `next`: the events after the end.
void ClusterLocks::reportExaminedEndOf(const QByteArray &key, std::optional<Event> &ended,
                                       const std::deque<Event> &next, bool isEndKnown)
{
    const HeldClusterLock held = m_holds.all().value(key);
    const auto appearance = std::ranges::find_if(next, &Event::isAppearance);
    const base::MonotonicTime now =
        appearance == next.end() ? m_clock.now() : std::min(m_clock.now(), appearance->notAfter());
    const bool isOfOwner = ended && ended->from == held.owner && held.isReportedByOwner;
    const bool mayHaveExpired = held.deadline && held.deadline->hasPassed(now);
    if (!isOfOwner) {
        const bool isRemoved = isEndKnown && next.empty() && !mayHaveExpired;
        m_holds.end(key, isRemoved ? Ending::Removed : Ending::Unknown, now);
        return;
    }
    auto &keyEvent = std::get<KeyEvent>(ended->content);
    if (!isEndKnown || (mayHaveExpired && hasMoved(key)))
        keyEvent.ending = Ending::Unknown;
    if (hasMoved(key)) {
        keyEvent.notAfter = std::max(keyEvent.notAfter, now);
        keyEvent.firstNotification.reset();
    }
    m_holds.report(*ended);
}

/// Counts a key that has ended unread at a primary, unless it belongs to a reported lock.
void ClusterLocks::countUnread(const QByteArray &key)
{
    constexpr auto maxReportDelay = 2s; // The end may be reported before the notification of the new primary arrives.
    const bool isReported = m_holds.all().contains(key) || m_examinations.contains(key)
                         || m_holds.ended().hasEndedSince(key, m_clock.now() - maxReportDelay);
    m_endedUnreadCount += isReported ? 0 : 1;
}

std::optional<ClusterLocks::Primary> ClusterLocks::at(const resp::NodeAddress &address, Primary asked) const
{
    if (m_members[asked].server == nullptr)
        return std::nullopt;
    const net::Endpoint endpoint = net::SlotRoutes::endpointOf(m_members[asked].server->endpoint(), address);
    const auto found = std::ranges::find_if(m_members, [&endpoint](const Member &member) {
        return member.server != nullptr && member.server->endpoint().display() == endpoint.display();
    });
    return found == m_members.end() ? std::nullopt : std::optional(static_cast<Primary>(found - m_members.begin()));
}

net::Connection *ClusterLocks::connectionOf(Primary primary) const
{
    InspectedServer *server = m_members[primary].server;
    return server == nullptr ? nullptr : server->session().connection();
}

} // namespace latchkey::cli
