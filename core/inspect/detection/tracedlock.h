#pragma once

#include "core/inspect/findings/lockevidence.h"
#include "core/keyspace/watching/keytrace.h"

#include <QHash>
#include <QSet>

namespace latchkey::detection {

/// The state of one lock according to traced commands: its acquirer, and the clients that changed it without checking
/// its holder.
///
/// A trace has commands but no replies. So the presence of the lock at each command is computed from its state at the
/// beginning and from the commands since. If the presence is uncertain, nothing is concluded. All clients of a Unix
/// socket have the same address, so no conclusion from two commands is drawn for them. Pure: it uses no connection and
/// no clock. Owned by a LockMemory.
class TracedLock final
{
public:
    /// The state of the key at the beginning of the trace.
    struct Beginning
    {
        bool isHeld = false;
        base::Deadline deadline = base::Deadline::never();
    };

    /// Creates the state. `beginning`: absent if the state of the key is unknown.
    TracedLock(base::Key key, const std::optional<Beginning> &beginning);

    /// Processes the next command that names the lock. `received`: local time at which the command was received.
    /// Returns the action of the client. Absent if the command is no action on the lock.
    std::optional<findings::TracedAction> take(const watching::TracedCommand &command, base::MonotonicTime received);
    /// Sets the presence to unknown, after an event without a traced command.
    void lose();

    /// Returns the address of the client that acquired the lock, while it is held. Empty if unknown, or if several
    /// clients share the address.
    [[nodiscard]] const QByteArray &acquirer() const { return m_acquirer; }

private:
    enum class Presence : quint8 { Unknown, Free, Held };
    /// The recent commands of a client on the lock.
    struct Client
    {
        bool hasReadHolder = false;         ///< Whether the client has read the holder.
        bool watches = false;               ///< Whether the client's transaction fails if the key changes.
        std::optional<base::WallTime> won;  ///< Time of an acquisition by a command that sets no expiry.
        std::optional<base::WallTime> lost; ///< Time at which the client found the lock held.
    };
    using MaybeAction = std::optional<findings::TracedAction>;

    [[nodiscard]] Presence presenceAt(base::WallTime at) const;
    MaybeAction written(const watching::TracedCommand &command);
    MaybeAction acquiring(const watching::TracedCommand &command, const std::optional<base::WallTime> &ends);
    MaybeAction deleted(const watching::TracedCommand &command);
    MaybeAction expired(const watching::TracedCommand &command);
    MaybeAction expiredAfterAcquiring(const watching::TracedCommand &command);
    void hold(const QByteArray &client, const std::optional<base::WallTime> &ends);
    void free();
    [[nodiscard]] MaybeAction changed(const watching::TracedCommand &command, findings::TracedAction::Kind kind) const;

    base::Key m_key;
    std::optional<Beginning> m_beginning; ///< Set until the first command, which shows the server's time.
    Presence m_presence = Presence::Unknown;
    std::optional<base::WallTime> m_ends; ///< End of a held lock, by the server's clock; absent: no expiry.
    QByteArray m_acquirer;
    QByteArray m_scriptBy;               ///< Client that sent the script with the commands that follow.
    QHash<QByteArray, Client> m_clients; ///< Clients by address.
    QSet<QByteArray> m_contenders;       ///< Clients that set the expiry of this hold without having acquired the lock.
};

} // namespace latchkey::detection
