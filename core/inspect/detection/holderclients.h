#pragma once

#include "core/inspect/detection/clientmatch.h"
#include "core/inspect/detection/lockfinder.h"
#include "core/keyspace/watching/keytrace.h"

#include <QHash>
#include <QTimer>

#include <deque>

namespace latchkey::detection {

/// The connected clients that are inferred to hold a server's locks.
///
/// CLIENT LIST is sent only for a lock that is shown in detail, or if a holder's data could identify a client. It is
/// sent at most every two seconds, and less often if there are many clients. After a denial it is not repeated on that
/// connection. Owned by an InspectedServer; finder, watcher and clock are not owned.
class HolderClients final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HolderClients)

public:
    /// A holder for which a client was found.
    struct HolderClient
    {
        QByteArray holder;       ///< The holder's identity, see Holder::bytes. Empty: a lock that names no holder.
        ClientMatch match;       ///< The last match.
        bool isConnected = true; ///< False if the client was missing from two complete lists in a row.

        friend bool operator==(const HolderClient &, const HolderClient &) = default;
    };

    /// Limit of the followed locks. Beyond the limit, holders are matched only for a lock that is shown in detail.
    static constexpr qsizetype maxFollowed = 1000;
    static constexpr std::chrono::milliseconds defaultRequestInterval = std::chrono::seconds(2);

    HolderClients(LockFinder &locks, watching::Watcher &watcher, const base::Clock &clock, QObject *parent = nullptr);
    ~HolderClients() override;

    /// Sets the shortest time between two requests; default: defaultRequestInterval.
    void setRequestInterval(std::chrono::milliseconds interval) { m_requestInterval = interval; }

    /// Returns the known clients of a lock with these holders, one entry per holder with a client. Called for each
    /// evaluation of the lock.
    std::vector<HolderClient> clientsOf(const QByteArray &key, const recognition::LockContent &decoded);
    /// Does the same as clientsOf() for a lock that is shown in detail. CLIENT LIST is sent even if the holders contain
    /// no data that could identify a client.
    std::vector<HolderClient> clientsForDetails(const QByteArray &key, const recognition::LockContent &decoded);

    /// Notes a traced command that names the lock. If it contains a holder's token, that holder is joined to the
    /// command's client.
    void traced(const QByteArray &key, const watching::TracedCommand &command);
    /// Notes the address from which the lock was acquired according to a trace. The lock may name no holder. An empty
    /// address means unknown.
    void acquiredBy(const QByteArray &key, const QByteArray &address);

    /// Returns why the server does not list its clients; absent if the server lists them, or was not asked.
    [[nodiscard]] const std::optional<base::Error> &denial() const { return m_denial; }

private:
    struct Holder
    {
        recognition::Holder holder;
        std::optional<ClientMatch> match; ///< The last match.
        int missed = 0;                   ///< Number of complete lists in a row without the client.
    };
    struct Lock
    {
        std::vector<Holder> holders;
        bool isWorthAsking = false;  ///< Whether CLIENT LIST is requested even while the lock is not shown in detail.
        base::MonotonicTime shownAt; ///< The last time the lock was shown in detail.
    };

    /// The commands and the acquirer of a lock, according to traces.
    struct LockTrace
    {
        std::deque<std::pair<QByteArray, resp::Command>> commands; ///< The last few commands, each with its sender's
                                                                   ///< address.
        QByteArray acquirer;
    };

    Lock &lockOf(const QByteArray &key, const std::vector<recognition::Holder> &decoded);
    [[nodiscard]] std::vector<recognition::Holder> holdersOf(const QByteArray &key,
                                                             const recognition::LockContent &decoded) const;
    [[nodiscard]] QByteArray tracedAddress(const QByteArray &key, const recognition::Holder &holder) const;
    [[nodiscard]] static std::vector<HolderClient> joinedOf(const Lock &lock);
    void requestClientList();
    void answered(const resp::Reply &reply);
    bool rematch(const QByteArray &key, Holder &holder) const;
    void forgetAll();

    LockFinder &m_locks;          // Not owned.
    watching::Watcher &m_watcher; // Not owned.
    const base::Clock &m_clock;   // Not owned.
    QHash<QByteArray, Lock> m_followed;
    QHash<QByteArray, LockTrace> m_traced;
    ConnectedClientIndex m_clients;
    bool m_isKnown = false; ///< Whether the client list was received.
    bool m_isPending = false;
    std::optional<base::Error> m_denial;
    std::chrono::milliseconds m_requestInterval = defaultRequestInterval;
    QTimer m_requestTimer;
};

} // namespace latchkey::detection
