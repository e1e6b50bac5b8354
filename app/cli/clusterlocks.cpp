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
/// Longest duration of a migration. MIGRATE sends the remaining time, so the deadline moves by this duration.
constexpr auto maxMigrationTime = 1s;
/// Limit of followed redirects; more than one is possible because the slot may migrate again meanwhile.
constexpr int maxRedirects = 5;
/// Timeout of the request for the location of a key.
constexpr auto questionTimeout = 5s;
/// Longest wait for a report of the primary that has the key now; its scan may still have to find the key.
constexpr auto maxExaminationTime = 10s;
/// Limit of the locks in migrating slots that are requested in one turn.
constexpr int maxReread = 200;

/// Returns whether two observations may show the same hold. The holder is absent if the value was not read in time.
bool mayBeSame(const LockDescription &one, const LockDescription &other)
{
    return one.kind == other.kind && (!one.holder || !other.holder || one.holder == other.holder);
}

} // namespace

const QByteArray &ClusterLocks::Event::key() const
{
    const auto *keyEvent = std::get_if<KeyEvent>(&content);
    return keyEvent != nullptr ? keyEvent->key : std::get<Seen>(content).key;
}

bool ClusterLocks::Event::isAppearance() const
{
    const auto *keyEvent = std::get_if<KeyEvent>(&content);
    return keyEvent == nullptr || keyEvent->type == Type::Appeared;
}

bool ClusterLocks::Event::isOfSameDeadline(const std::optional<base::Deadline> &deadline) const
{
    const auto *keyEvent = std::get_if<KeyEvent>(&content);
    if (keyEvent == nullptr || keyEvent->type != Type::Renewed || !keyEvent->deadline || !deadline
        || deadline->isNever() || keyEvent->deadline->isNever())
        return false;
    return std::chrono::abs(keyEvent->deadline->at() - deadline->at()) < maxMigrationTime;
}

const KeyEvent *ClusterLocks::Event::end() const
{
    const auto *keyEvent = std::get_if<KeyEvent>(&content);
    return keyEvent != nullptr && keyEvent->type == Type::Ended ? keyEvent : nullptr;
}

bool ClusterLocks::Event::isDoubtfulEnd() const
{
    const KeyEvent *ended = end();
    return ended != nullptr
        && (ended->ending == Ending::Deleted || ended->ending == Ending::Removed || ended->ending == Ending::Unknown);
}

ClusterLocks::ClusterLocks(const base::Clock &clock)
    : m_clock(clock)
{}

ClusterLocks::~ClusterLocks() = default;

ClusterLocks::Primary ClusterLocks::join(InspectedServer &server, const WatchedLocks &locks)
{
    const Primary primary = m_members.size();
    m_members.push_back({&server, &locks});
    connect(&locks, &LockEvents::seen, this,
            [this, primary](const auto &key, const auto &description, const auto &deadline, auto time) {
                take({primary, description, Event::Seen {key, deadline, time}});
            });
    connect(&locks, &LockEvents::happened, this,
            [this, primary](const auto &keyEvent, const auto &description) { take({primary, description, keyEvent}); });
    return primary;
}

void ClusterLocks::leave(Primary primary, Primary successor)
{
    m_members[primary] = {};
    const QList<QByteArray> examined = m_examinations.keys();
    for (const QByteArray &key : examined) {
        if (m_held.value(key).owner == primary)
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
    for (auto held = m_held.cbegin(); held != m_held.cend(); ++held) {
        if (held->owner == former && !m_members[successor].server->store().exists(held.key()))
            missing += held.key();
    }
    for (const QByteArray &key : std::as_const(missing))
        reportEndOf(key, Ending::Lost, true);
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
    const auto held = m_held.find(event.key());
    if (held != m_held.end() && held->owner == event.from && event.isAppearance()
        && mayBeSame(held->description, event.description))
        return; // The migration was settled before: this primary is known to have the lock.
    const bool isOfOwner = held == m_held.end() || held->owner == event.from;
    if (isOfOwner || !event.isAppearance()) {
        // A primary that missed a migration and the migration back reports the next change instead of an appearance.
        const Primary from = event.from;
        if (!isOfOwner && event.isOfSameDeadline(held->deadline)) {
            held->owner = from;
            return;
        }
        if (held != m_held.end() && (isOfOwner ? event.isDoubtfulEnd() : event.end() != nullptr))
            examine(std::move(event), from);
        else
            report(event);
    } else if (m_members[held->owner].server == nullptr && !mayBeSame(held->description, event.description)) {
        reportEndOf(event.key(), Ending::Lost, true); // The primary has failed, and the successor has another hold.
        report(event);
    } else if (mayBeSame(held->description, event.description)) {
        held->owner = event.from;
    } else {
        examine(std::move(event), held->owner); // The former hold must have ended on its primary.
    }
}

void ClusterLocks::report(const Event &event)
{
    if (const auto *seenThere = std::get_if<Event::Seen>(&event.content)) {
        m_held.insert(seenThere->key, {event.from, event.description, seenThere->deadline});
        Q_EMIT seen(seenThere->key, event.description, seenThere->deadline, seenThere->at);
        return;
    }
    const auto &keyEvent = std::get<KeyEvent>(event.content);
    const Held before = m_held.value(keyEvent.key);
    if (keyEvent.type == Type::Ended) {
        m_held.remove(keyEvent.key);
    } else {
        Held &held = m_held[keyEvent.key];
        held.owner = event.from;
        held.description = event.description;
        if (m_members[event.from].locks != nullptr) // Replaced by the description after the event.
            held.description =
                m_members[event.from].locks->held().value(keyEvent.key, {event.description, {}}).description;
        if (keyEvent.deadline)
            held.deadline = keyEvent.deadline;
    }
    Q_EMIT happened(keyEvent, event.description, {before.description, before.deadline});
}

/// Reports an end that no primary has reported. A lost lock whose deadline has passed counts as expired.
void ClusterLocks::reportEndOf(const QByteArray &key, Ending ending, bool isAtFailover)
{
    const Held held = m_held.take(key);
    const base::MonotonicTime now = m_clock.now();
    const bool isDue = held.deadline && held.deadline->hasPassed(now);
    KeyEvent ended;
    ended.key = key;
    ended.type = Type::Ended;
    ended.ending = isDue && ending == Ending::Lost ? Ending::Expired : ending;
    ended.deadline = held.deadline;
    ended.notBefore = isDue && ending == Ending::Lost ? held.deadline->at() : now;
    ended.notAfter = now;
    ended.isInferred = true;
    ended.isAtFailover = isAtFailover && !isDue;
    Q_EMIT happened(ended, held.description, {held.description, held.deadline});
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
            requestLock(key, m_held.value(key).owner);
        else
            requestLock(key, examination.events.front().from);
    }
    int asked = 0;
    for (auto held = m_held.cbegin(); held != m_held.cend() && asked < maxReread; ++held) {
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
    const auto held = m_held.find(key);
    if (const auto redirect = resp::Redirect::fromReply(reply)) {
        m_moved[resp::slotOf(key)] = m_clock.now();
        if (hops == 0 && held != m_held.end() && held->owner != primary)
            settleAsMove(key, held->owner); // The lock has migrated from that primary earlier.
        else if (hops < maxRedirects)
            requestFromNext(key, primary, *redirect, hops + 1);
    } else if (reply.isInteger(noKey)) {
        settle(key, true);
    } else if (reply.isInteger() && held == m_held.end()) {
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
    const LockDescription description = m_held.value(key).description;
    const auto isAnother = [&](const Event &event) {
        return event.from == next && event.isAppearance() && !mayBeSame(event.description, description);
    };
    if (m_held.contains(key) && std::ranges::any_of(m_examinations[key].events, isAnother)) {
        settle(key, true);
        return;
    }
    std::deque<Event> events = m_examinations.take(key).events;
    if (const auto held = m_held.find(key); held != m_held.end())
        held->owner = next;
    std::erase_if(events, [](const Event &event) { return event.end() != nullptr; });
    for (Event &event : events)
        take(std::move(event));
}

/// Ends the examination of a key with a migrated slot if a primary has reported the same lock since. Returns false if
/// the caller must end it: the reported lock is another one, or is indistinguishable without a holder.
bool ClusterLocks::settleByAppearance(const QByteArray &key)
{
    const Held held = m_held.value(key);
    const std::deque<Event> &events = m_examinations[key].events;
    const auto appearance = std::ranges::find_if(events, &Event::isAppearance);
    if (appearance == events.end())
        return held.description.holder.has_value(); // Otherwise the next lock could not be distinguished from this one.
    if (!mayBeSame(appearance->description, held.description))
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
    if (end == events.end() && m_held.contains(key)) {
        reportEndOf(key, isEndKnown && events.empty() ? Ending::Removed : Ending::Unknown, false);
    } else if (end != events.end()) {
        Event ended = std::move(*end);
        events.erase(end);
        if (!isEndKnown)
            std::get<KeyEvent>(ended.content).ending = Ending::Unknown;
        report(ended);
    }
    for (Event &event : events)
        take(std::move(event));
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
