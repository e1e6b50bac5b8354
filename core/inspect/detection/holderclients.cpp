#include "core/inspect/detection/holderclients.h"

#include "core/redis/resp/servererror.h"

#include <algorithm>

namespace latchkey::detection {

using base::MonotonicTime;
using net::Connection;
using recognition::LockContent;
using watching::Watcher;
using namespace std::chrono_literals;

namespace {

/// Number of clients per second of extra interval, because the server blocks while it writes a line for each client.
constexpr std::size_t clientsPerSecond = 1000;
/// Time after the last request for details during which a lock counts as shown in detail.
constexpr auto detailsPeriod = 3s;
/// Number of consecutive lists without a client after which it counts as gone: the client may be reconnecting.
constexpr int missesUntilDisconnected = 2;
/// Maximum number of holders that are matched, for a lock that many clients share.
constexpr std::size_t maxHolders = 8;
/// Maximum number of traced commands that are searched for a token, and maximum word length of a kept command.
constexpr std::size_t maxCommands = 64;
constexpr qsizetype maxWordLength = 4096;
/// Minimum length of a token. A shorter one could be part of any word.
constexpr qsizetype minPartLength = 8;

/// Returns whether both are the same client. The age of a client is ignored, because it changes with every list.
bool isSameClient(const std::optional<ClientMatch> &a, const std::optional<ClientMatch> &b)
{
    if (!a || !b)
        return a.has_value() == b.has_value();
    const ConnectedClient &clientA = a->clients.front();
    const ConnectedClient &clientB = b->clients.front();
    return a->clients.size() == b->clients.size() && clientA.name == clientB.name && clientA.address == clientB.address;
}

} // namespace

HolderClients::HolderClients(LockFinder &locks, Watcher &watcher, const base::Clock &clock, QObject *parent)
    : QObject(parent)
    , m_locks(locks)
    , m_watcher(watcher)
    , m_clock(clock)
{
    m_requestTimer.setSingleShot(true);
    connect(&m_requestTimer, &QTimer::timeout, this, &HolderClients::requestClientList);
    connect(&m_watcher, &Watcher::phaseChanged, this, [this](Watcher::Phase phase) {
        if (phase == Watcher::Phase::Away)
            forgetAll(); // After the reconnect the server, or the user's rights, may be different.
    });
}

HolderClients::~HolderClients() = default;

void HolderClients::forgetAll()
{
    m_followed.clear();
    m_traced.clear();
    m_clients = {};
    m_isKnown = false;
    m_isPending = false;
    m_denial.reset();
    m_requestTimer.stop();
}

void HolderClients::traced(const QByteArray &key, const watching::TracedCommand &command)
{
    const auto &words = command.words.words();
    const bool isLong = std::ranges::any_of(words, [](const QByteArray &word) { return word.size() > maxWordLength; });
    // Commands within a script do not show their sender, and all clients of a Unix socket have one address.
    if (isLong || !command.client.contains(':') || command.client.startsWith("unix:"))
        return;
    if (!m_traced.contains(key) && m_traced.size() >= maxFollowed)
        return;
    auto &commands = m_traced[key].commands;
    commands.emplace_back(command.client, command.words);
    if (commands.size() > maxCommands)
        commands.pop_front();
}

void HolderClients::acquiredBy(const QByteArray &key, const QByteArray &address)
{
    const auto traced = m_traced.find(key);
    if (traced == m_traced.end() || traced->acquirer == address)
        return;
    traced->acquirer = address;
    if (const auto lock = m_followed.find(key); lock != m_followed.end())
        std::erase_if(lock->holders, [](const Holder &holder) { return holder.holder.bytes.isEmpty(); });
}

/// Returns the address that last sent the holder's token, or that acquired a lock without a token. Empty if unknown.
QByteArray HolderClients::tracedAddress(const QByteArray &key, const recognition::Holder &holder) const
{
    const auto traced = m_traced.constFind(key);
    if (traced == m_traced.cend())
        return {};
    if (holder.bytes.isEmpty())
        return traced->acquirer;
    const auto hasToken = [&](const std::pair<QByteArray, resp::Command> &sent) {
        return std::ranges::any_of(sent.second.words(), [&](const QByteArray &word) {
            return word != key
                && (word == holder.bytes || (holder.bytes.size() >= minPartLength && word.contains(holder.bytes)));
        });
    };
    const auto found = std::ranges::find_if(traced->commands.rbegin(), traced->commands.rend(), hasToken);
    return found == traced->commands.rend() ? QByteArray() : found->first;
}

/// Returns the holders to find clients for. A traced lock that names no holder gets an empty one.
std::vector<recognition::Holder> HolderClients::holdersOf(const QByteArray &key, const LockContent &decoded) const
{
    const auto first = decoded.holders.begin();
    std::vector<recognition::Holder> holders(
        first, first + static_cast<std::ptrdiff_t>(std::min(decoded.holders.size(), maxHolders)));
    if (holders.empty() && !tracedAddress(key, {}).isEmpty())
        holders.emplace_back();
    return holders;
}

HolderClients::Lock &HolderClients::lockOf(const QByteArray &key, const std::vector<recognition::Holder> &decoded)
{
    Lock &lock = m_followed[key];
    std::vector<Holder> holders;
    for (const recognition::Holder &holder : decoded) {
        const auto same =
            std::ranges::find(lock.holders, holder.bytes, [](const Holder &known) { return known.holder.bytes; });
        if (same != lock.holders.end()) {
            holders.push_back(*same);
            continue;
        }
        Holder come {holder, {}, 0};
        if (m_isKnown)
            rematch(key, come);
        holders.push_back(std::move(come));
    }
    lock.holders = std::move(holders);
    if (!m_requestTimer.isActive() && !m_isPending && !m_denial)
        m_requestTimer.start(0ms); // One request serves all locks that are evaluated now.
    return lock;
}

std::vector<HolderClients::HolderClient> HolderClients::joinedOf(const Lock &lock)
{
    std::vector<HolderClient> matched;
    for (const Holder &holder : lock.holders) {
        if (holder.match)
            matched.push_back({holder.holder.bytes, *holder.match, holder.missed < missesUntilDisconnected});
    }
    return matched;
}

std::vector<HolderClients::HolderClient> HolderClients::clientsOf(const QByteArray &key, const LockContent &decoded)
{
    const std::vector<recognition::Holder> holders = holdersOf(key, decoded);
    const bool isWorthAsking = std::ranges::any_of(holders, [&](const recognition::Holder &holder) {
        return identifiesClient(holder) || !tracedAddress(key, holder).isEmpty();
    });
    const bool isFollowed = m_followed.contains(key);
    if (m_denial || (!isFollowed && (!isWorthAsking || m_followed.size() >= maxFollowed)))
        return {};
    Lock &lock = lockOf(key, holders);
    lock.isWorthAsking = isWorthAsking;
    return joinedOf(lock);
}

std::vector<HolderClients::HolderClient> HolderClients::clientsForDetails(const QByteArray &key,
                                                                          const LockContent &decoded)
{
    const std::vector<recognition::Holder> holders = holdersOf(key, decoded);
    if (m_denial || holders.empty())
        return {};
    Lock &lock = lockOf(key, holders);
    lock.shownAt = m_clock.now();
    return joinedOf(lock);
}

void HolderClients::requestClientList()
{
    if (m_isPending || m_denial)
        return;
    const MonotonicTime now = m_clock.now();
    m_followed.removeIf([&](QHash<QByteArray, Lock>::iterator entry) {
        const Lock &lock = entry.value();
        const bool isJoined =
            std::ranges::any_of(lock.holders, [](const Holder &holder) { return holder.match.has_value(); });
        const bool isShown = now - lock.shownAt <= detailsPeriod;
        return !m_locks.isLock(entry.key()) || !(lock.isWorthAsking || isJoined || isShown);
    });
    if (m_followed.isEmpty() || m_watcher.phase() == Watcher::Phase::Away)
        return;
    m_isPending = true;
    m_watcher.send({{QByteArrayLiteral("CLIENT"), QByteArrayLiteral("LIST")}}, this,
                   [this](const Connection::Delivery &delivery) { answered(delivery.replies.front()); });
}

void HolderClients::answered(const resp::Reply &reply)
{
    m_isPending = false;
    if (reply.isError()) {
        // Each denial adds a line to the server's ACL LOG, so the request is not repeated.
        m_denial = resp::serverError(reply);
        m_followed.clear();
        return;
    }
    m_clients = ConnectedClientIndex(ClientList::fromReply(reply.bytes()));
    m_isKnown = true;
    m_requestTimer.start(m_requestInterval + std::chrono::seconds(m_clients.size() / clientsPerSecond));
    QSet<QByteArray> changed;
    for (auto lock = m_followed.begin(); lock != m_followed.end(); ++lock) {
        for (Holder &holder : lock->holders) {
            if (rematch(lock.key(), holder))
                changed.insert(lock.key());
        }
    }
    m_locks.reexamine(changed);
}

/// Matches the holder to a client. Returns true if the lock's findings or the displayed client may have changed.
bool HolderClients::rematch(const QByteArray &key, Holder &holder) const
{
    const bool wasGone = holder.missed >= missesUntilDisconnected;
    const std::optional<ClientMatch> before = holder.match;
    const QByteArray address = tracedAddress(key, holder.holder);
    // The sender of a command was connected, even if no list has shown it.
    if (!holder.match && !address.isEmpty()) {
        ConnectedClient sender;
        sender.address = address;
        holder.match = ClientMatch {ClientMatch::Criterion::Trace, address, {sender}};
    }
    auto match = m_clients.findByAddress(address);
    if (!match)
        match = m_clients.match(holder.holder);
    if (match) {
        holder.match = std::move(match);
        holder.missed = 0;
    } else if (holder.match && m_clients.isComplete()) {
        ++holder.missed;
    }
    return wasGone != (holder.missed >= missesUntilDisconnected) || !isSameClient(before, holder.match);
}

} // namespace latchkey::detection
