#pragma once

#include "core/inspection/clientjoin.h"
#include "core/inspection/lockfinder.h"
#include "core/keyspace/keytrace.h"

#include <QHash>
#include <QTimer>

#include <deque>

namespace latchkey::inspection {

/// Which of the connected clients have a server's locks, as far as that can be inferred.
///
/// The server is asked who is connected (CLIENT LIST) only as long as somebody looks at a lock, or there is one whose
/// holder says something of itself that a client could be found by; at most every two seconds, and less often where
/// there are many clients. Where that is denied it is asked no more on that connection.
/// Owned by an InspectedServer; finder, watcher and clock are not owned.
class HolderClients final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HolderClients)

public:
    /// A holder to which a client was joined.
    struct Joined
    {
        QByteArray holder;       ///< What identifies it: see Holder::bytes. Empty: a lock that names nobody.
        ClientJoin join;         ///< As it was last true.
        bool isConnected = true; ///< Else it has been missing from two complete lists in a row.

        friend bool operator==(const Joined &, const Joined &) = default;
    };

    /// Of more locks than these the holders are joined only where somebody looks.
    static constexpr qsizetype mostFollowed = 1000;
    static constexpr std::chrono::milliseconds usualAskInterval = std::chrono::seconds(2);

    HolderClients(LockFinder &locks, keyspace::Watcher &watcher, const base::Clock &clock, QObject *parent = nullptr);
    ~HolderClients() override;

    /// The shortest time from one question to the next; usualAskInterval unless set.
    void setAskInterval(std::chrono::milliseconds interval) { m_askInterval = interval; }

    /// A lock with these holders is judged: what is known of their clients, of each holder to which one was joined.
    std::vector<Joined> joinedTo(const QByteArray &key, const recognition::Decoded &decoded);
    /// The same, and somebody looks at it: who is connected is asked, whatever the holders say of themselves.
    std::vector<Joined> lookAt(const QByteArray &key, const recognition::Decoded &decoded);

    /// A trace has shown this command, which names the lock: whose token is in it, its client is joined to.
    void traced(const QByteArray &key, const keyspace::TracedCommand &command);
    /// A trace has shown from which address a lock was acquired that may name nobody; empty: nobody knows any more.
    void acquiredBy(const QByteArray &key, const QByteArray &address);

    /// Why the server does not tell who is connected; absent while it does, or has not been asked.
    [[nodiscard]] const std::optional<base::Error> &denial() const { return m_denial; }

private:
    struct Holder
    {
        recognition::Holder holder;
        std::optional<ClientJoin> join; ///< The last one.
        int missed = 0;                 ///< Complete lists in a row without it.
    };
    struct Lock
    {
        std::vector<Holder> holders;
        bool isWorthAsking = false;   ///< Whether or not anybody looks at it.
        base::MonotonicTime lookedAt; ///< When somebody last did.
    };

    /// What traces of a lock have shown.
    struct Traced
    {
        std::deque<std::pair<QByteArray, resp::Command>> commands; ///< With the address that sent it; the last few.
        QByteArray acquirer;
    };

    Lock &follow(const QByteArray &key, const std::vector<recognition::Holder> &decoded);
    [[nodiscard]] std::vector<recognition::Holder> holdersOf(const QByteArray &key,
                                                             const recognition::Decoded &decoded) const;
    [[nodiscard]] QByteArray tracedAddress(const QByteArray &key, const recognition::Holder &holder) const;
    [[nodiscard]] static std::vector<Joined> joinedOf(const Lock &lock);
    void ask();
    void answered(const resp::Reply &reply);
    bool joinAnew(const QByteArray &key, Holder &holder) const;
    void forgetAll();

    LockFinder &m_locks;          // Not owned.
    keyspace::Watcher &m_watcher; // Not owned.
    const base::Clock &m_clock;   // Not owned.
    QHash<QByteArray, Lock> m_followed;
    QHash<QByteArray, Traced> m_traced;
    ClientIndex m_clients;
    bool m_isKnown = false; ///< Who is connected: asked and answered.
    bool m_isAsking = false;
    std::optional<base::Error> m_denial;
    std::chrono::milliseconds m_askInterval = usualAskInterval;
    QTimer m_ask;
};

} // namespace latchkey::inspection
