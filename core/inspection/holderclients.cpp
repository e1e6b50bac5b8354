#include "core/inspection/holderclients.h"

#include "core/resp/servererror.h"

#include <algorithm>

namespace latchkey::inspection {

using base::MonotonicTime;
using keyspace::Watcher;
using recognition::Decoded;
using resp::Connection;
using namespace std::chrono_literals;

namespace {

constexpr auto askInterval = 2s;
/// The server writes a line for each client, and does nothing else meanwhile: of so many it is asked a second later.
constexpr std::size_t clientsPerSecond = 1000;
/// Who has not looked for so long does not look any more.
constexpr auto lookLasts = 3s;
/// A connection may just be made anew.
constexpr int missedWhenGone = 2;
/// Of a lock that very many share, so many holders are joined.
constexpr std::size_t mostHolders = 8;

} // namespace

HolderClients::HolderClients(LockFinder &locks, Watcher &watcher, const base::Clock &clock, QObject *parent)
    : QObject(parent)
    , m_locks(locks)
    , m_watcher(watcher)
    , m_clock(clock)
{
    m_ask.setSingleShot(true);
    connect(&m_ask, &QTimer::timeout, this, &HolderClients::ask);
    connect(&m_watcher, &Watcher::phaseChanged, this, [this](Watcher::Phase phase) {
        if (phase == Watcher::Phase::Away)
            forgetAll(); // It may come back as another server, and with another user's rights.
    });
}

HolderClients::~HolderClients() = default;

void HolderClients::forgetAll()
{
    m_followed.clear();
    m_clients = {};
    m_isKnown = false;
    m_isAsking = false;
    m_denial.reset();
    m_ask.stop();
}

HolderClients::Lock &HolderClients::follow(const QByteArray &key, const Decoded &decoded)
{
    Lock &lock = m_followed[key];
    std::vector<Holder> holders;
    for (std::size_t i = 0; i < std::min(decoded.holders.size(), mostHolders); ++i) {
        const auto same = std::ranges::find(lock.holders, decoded.holders[i].bytes,
                                            [](const Holder &known) { return known.holder.bytes; });
        if (same != lock.holders.end()) {
            holders.push_back(*same);
            continue;
        }
        Holder come {decoded.holders[i], {}, 0};
        if (m_isKnown)
            joinAnew(come);
        holders.push_back(std::move(come));
    }
    lock.holders = std::move(holders);
    if (!m_ask.isActive() && !m_isAsking && !m_denial)
        m_ask.start(0ms); // Together with the others that are judged now.
    return lock;
}

std::vector<HolderClients::Joined> HolderClients::joinedOf(const Lock &lock)
{
    std::vector<Joined> joined;
    for (const Holder &holder : lock.holders) {
        if (holder.join)
            joined.push_back({holder.holder.bytes, *holder.join, holder.missed < missedWhenGone});
    }
    return joined;
}

std::vector<HolderClients::Joined> HolderClients::joinedTo(const QByteArray &key, const Decoded &decoded)
{
    const auto first = decoded.holders.begin();
    const bool isWorthAsking = std::any_of(
        first, first + static_cast<std::ptrdiff_t>(std::min(decoded.holders.size(), mostHolders)), &saysWhichClient);
    const bool isFollowed = m_followed.contains(key);
    if (m_denial || (!isFollowed && (!isWorthAsking || m_followed.size() >= mostFollowed)))
        return {};
    Lock &lock = follow(key, decoded);
    lock.isWorthAsking = isWorthAsking;
    return joinedOf(lock);
}

std::vector<HolderClients::Joined> HolderClients::lookAt(const QByteArray &key, const Decoded &decoded)
{
    if (m_denial || decoded.holders.empty())
        return {};
    Lock &lock = follow(key, decoded);
    lock.lookedAt = m_clock.now();
    return joinedOf(lock);
}

void HolderClients::ask()
{
    if (m_isAsking || m_denial)
        return;
    const MonotonicTime now = m_clock.now();
    m_followed.removeIf([&](QHash<QByteArray, Lock>::iterator entry) {
        const Lock &lock = entry.value();
        const bool isJoined =
            std::ranges::any_of(lock.holders, [](const Holder &holder) { return holder.join.has_value(); });
        const bool isLookedAt = now - lock.lookedAt <= lookLasts;
        return !m_locks.isLock(entry.key()) || !(lock.isWorthAsking || isJoined || isLookedAt);
    });
    if (m_followed.isEmpty() || m_watcher.phase() == Watcher::Phase::Away)
        return;
    m_isAsking = true;
    m_watcher.ask({{QByteArrayLiteral("CLIENT"), QByteArrayLiteral("LIST")}},
                  [this](const Connection::Delivery &delivery) { answered(delivery.replies.front()); });
}

void HolderClients::answered(const resp::Reply &reply)
{
    m_isAsking = false;
    if (reply.isError()) {
        // What is denied leaves a line in the server's ACL LOG: it is not asked again.
        m_denial = resp::serverError(reply);
        m_followed.clear();
        return;
    }
    m_clients = ClientIndex(ClientList::fromReply(reply.bytes()));
    m_isKnown = true;
    m_ask.start(askInterval + std::chrono::seconds(m_clients.size() / clientsPerSecond));
    QSet<QByteArray> changed;
    for (auto lock = m_followed.begin(); lock != m_followed.end(); ++lock) {
        for (Holder &holder : lock->holders) {
            if (joinAnew(holder))
                changed.insert(lock.key());
        }
    }
    m_locks.lookAgain(changed);
}

/// True if what is wrong with the lock may be another thing now.
bool HolderClients::joinAnew(Holder &holder) const
{
    const bool wasGone = holder.missed >= missedWhenGone;
    if (auto join = m_clients.join(holder.holder)) {
        holder.join = std::move(join);
        holder.missed = 0;
    } else if (holder.join && m_clients.isComplete()) {
        ++holder.missed;
    }
    return wasGone != (holder.missed >= missedWhenGone);
}

} // namespace latchkey::inspection
