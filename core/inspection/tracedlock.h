#pragma once

#include "core/findings/case.h"
#include "core/keyspace/keytrace.h"

#include <QHash>
#include <QSet>

namespace latchkey::inspection {

/// What the traced commands show of one lock: who has acquired it, and who has changed it without a look at whose it
/// is.
///
/// A trace has commands and no replies. So it is worked out whether the lock was held when a command came, from how it
/// was when the trace began and from what has been sent since; where that is not certain, nothing is concluded. Clients
/// of a Unix socket have one address, and cannot be told apart: of them nothing is said that takes two commands.
/// Pure: it knows no connection and no clock. Owned by a LockMemory.
class TracedLock final
{
public:
    /// How the key was when the trace began, at that time.
    struct Beginning
    {
        bool isHeld = false;
        base::Deadline deadline = base::Deadline::never();
    };

    /// beginning: absent where it is not known how the key is.
    TracedLock(base::Key key, const std::optional<Beginning> &beginning);

    /// The next command that names the lock, heard at that time.
    std::optional<findings::TracedAct> take(const keyspace::TracedCommand &command, base::MonotonicTime heard);
    /// It may be held or not: something has happened to it that no command names.
    void lose();

    /// Who has acquired it, as long as it is held; empty: not seen, or one of several behind one address.
    [[nodiscard]] const QByteArray &acquirer() const { return m_acquirer; }

private:
    enum class Presence : quint8 { Unknown, Free, Held };
    /// What a client has done to the lock lately.
    struct Client
    {
        bool hasLooked = false;             ///< It has read who holds it.
        bool watches = false;               ///< Its transaction comes to nothing if that changes.
        std::optional<base::WallTime> won;  ///< When, by a command that sets no expiry.
        std::optional<base::WallTime> lost; ///< When it found the lock held.
    };
    using Act = std::optional<findings::TracedAct>;

    [[nodiscard]] Presence presenceAt(base::WallTime at) const;
    Act written(const keyspace::TracedCommand &command);
    Act acquiring(const keyspace::TracedCommand &command, const std::optional<base::WallTime> &ends);
    Act deleted(const keyspace::TracedCommand &command);
    Act expired(const keyspace::TracedCommand &command);
    Act expiredAfterAcquiring(const keyspace::TracedCommand &command);
    void hold(const QByteArray &client, const std::optional<base::WallTime> &ends);
    void free();
    [[nodiscard]] Act changed(const keyspace::TracedCommand &command, findings::TracedAct::What what) const;

    base::Key m_key;
    std::optional<Beginning> m_beginning; ///< Until the first command has told what time it is there.
    Presence m_presence = Presence::Unknown;
    std::optional<base::WallTime> m_ends; ///< Of Held, by the server's clock; absent: never.
    QByteArray m_acquirer;
    QByteArray m_scriptBy;               ///< Who has sent the script whose commands come now.
    QHash<QByteArray, Client> m_clients; ///< By address.
    QSet<QByteArray> m_losers;           ///< Of this hold: have set its expiry though they did not get it.
};

} // namespace latchkey::inspection
