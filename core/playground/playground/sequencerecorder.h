#pragma once

#include "core/playground/playground/clienteventlog.h"
#include "core/playground/playground/clientprocess.h"
#include "core/playground/sequence/sequence.h"

#include <QObject>

#include <map>

namespace latchkey::playground {

/// A recorder of clients' actions and events as a Sequence.
///
/// A client's belief comes from its own reports. The caller reports server content by recordKey(); the recorder sends
/// no requests and has no timer. Owned by the playground or the player. Clients are not owned; they are disconnected
/// when forgotten or destroyed.
class SequenceRecorder final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SequenceRecorder)

public:
    /// `servers`: names, in the order of the clients' server indexes.
    SequenceRecorder(const QStringList &servers, const base::Clock &clock, QObject *parent = nullptr);
    ~SequenceRecorder() override;

    /// Sets the names of all servers, in that order. Additional servers get new lanes. Lanes remain if there are fewer
    /// servers; see addServerEvent().
    void nameServers(const QStringList &servers);
    /// Records a client from now on, in a new lane or in that of a removed client.
    void record(ClientProcess &client);
    /// Stops recording a client that is about to be destroyed.
    void forget(const ClientProcess &client);
    /// Ends the recording. The current states remain, and the end of processes and servers is not recorded.
    void end();
    /// Records the current content of a key. `holder`: name of the client that owns it; empty: unknown. `ends`: expiry
    /// of the key; max: no expiry; absent: unknown.
    void recordKey(int server, const base::Key &key, bool exists, const QString &holder = {},
                   std::optional<base::MonotonicTime> ends = {});
    /// Records a change of a server's state at the current time.
    void addServerEvent(int server, sequence::ServerEvent event);
    /// Records the resource's answer to a client's write.
    void recordWrite(const QString &client, bool isTaken);
    /// Records that a client is inside the critical section with this name; absent: inside none. For clients that send
    /// raw commands and hold no known lock. Valid until the client dies.
    void recordInside(const QString &client, const std::optional<base::Key> &criticalSection);
    /// Returns the keys to read: those that clients have believed to hold, and the names passed to recordInside(). At
    /// most 32, the most recent last.
    [[nodiscard]] std::vector<base::Key> keys() const;
    /// Clears the sequence and the log. The log keeps the entries that explain what the clients hold.
    void clear();
    /// Removes the whole recording, with the lanes of former clients and servers. Followed clients get new lanes.
    void restart(const QStringList &servers);

    [[nodiscard]] const sequence::Sequence &sequence() const { return m_sequence; }
    /// Returns the clients' orders and answers since the start or clear(); see ClientEventLog::clear().
    [[nodiscard]] const ClientEventLog &eventLog() const { return m_log; }

Q_SIGNALS:
    void changed();
    /// Emitted when the set of clients that believe they hold the same lock changes, or becomes smaller than two.
    void conflictChanged();

private:
    /// Last known state of a client.
    struct ClientState
    {
        sequence::LaneIndex lane = 0;
        bool isDead = false;
        bool isPaused = false;
        std::optional<base::Key> criticalSection {}; ///< Critical section that the client is inside.
        base::MonotonicTime inside {};               ///< Time at which the client entered.
    };

    void recordState(const ClientProcess &client);
    void receive(const ClientProcess &client, const ClientReport &report);
    void remember(const base::Key &key);
    void mark(const ClientState &client, sequence::Mark::Kind kind, base::MonotonicTime at,
              const base::Text &text = {});
    void announce();
    [[nodiscard]] std::optional<sequence::LaneIndex> laneOf(const QString &client) const;

    const base::Clock &m_clock; // Not owned.
    sequence::Sequence m_sequence;
    ClientEventLog m_log;
    std::vector<sequence::LaneIndex> m_servers;
    std::map<const ClientProcess *, ClientState> m_clients;
    std::vector<base::Key> m_keys;
    QStringList m_conflict; ///< Clients in the last reported conflict, and the key.
};

} // namespace latchkey::playground
