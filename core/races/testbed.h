#pragma once

#include "core/base/error.h"
#include "core/exchange/script.h"
#include "core/races/ears.h"
#include "core/races/pool.h"
#include "core/races/snapshot.h"
#include "core/resp/blockingconnection.h"
#include "core/resp/endpoint.h"
#include "core/shim/serverclock.h"

#include <QHash>

#include <map>
#include <memory>

namespace latchkey::races {

using SnapshotId = Pool<Snapshot>::Id;
using CommandId = quint32;
using ReplyId = quint32;

/// What one command did on a server that held a given snapshot.
struct Effect
{
    ReplyId reply = 0;
    SnapshotId after = 0;
};

/// Asks a real server what a command does, from any snapshot, and remembers the answer.
///
/// Replaying a whole schedule costs a round trip per step; putting the few keys back, sending the one command and
/// looking at what it left costs one for all three, and equal questions are asked once. Nothing here knows what a
/// command means, but for those that change a connection (WATCH, MULTI, EXEC, DISCARD, UNWATCH, SUBSCRIBE and its
/// kind): for these the client's connection is put back too, and what became of the others' watched keys is tried out,
/// as what is published is heard. Owned by the Finder. The server is its own: it empties it for every question.
class Testbed final
{
public:
    /// Error: the server cannot be reached.
    /// grain: what lifetimes are rounded to; much longer than a question takes. clock: that the server goes by, not
    /// owned; null: by the machine's.
    [[nodiscard]] static base::Result<std::unique_ptr<Testbed>> open(
        const resp::Endpoint &endpoint, std::chrono::milliseconds grain = std::chrono::minutes(1),
        shim::ServerClock *clock = nullptr);
    ~Testbed();
    Q_DISABLE_COPY_MOVE(Testbed)

    /// speaker: see speakerOf(); nobody where the command is a fault's.
    [[nodiscard]] base::Result<Effect> carryOut(SnapshotId from, int speaker, CommandId command);

    [[nodiscard]] CommandId number(const resp::Command &command) { return number(resp::Commands {command}); }
    /// A transaction, from MULTI to EXEC, is carried out as one command, whose reply is that to EXEC.
    [[nodiscard]] CommandId number(const resp::Commands &commands);
    /// Of a transaction the last one.
    [[nodiscard]] const resp::Command &command(CommandId id) const { return m_commands[id].back(); }
    [[nodiscard]] const resp::Commands &commands(CommandId id) const { return m_commands[id]; }
    [[nodiscard]] ReplyId number(const resp::Reply &reply);
    [[nodiscard]] const resp::Reply &reply(ReplyId id) const { return m_replies[id]; }
    [[nodiscard]] const Snapshot &snapshot(SnapshotId id) const { return m_snapshots[id]; }
    [[nodiscard]] SnapshotId number(Snapshot snapshot) { return m_snapshots.add(std::move(snapshot)); }

    /// The snapshot after these commands on an empty server: what an exploration starts from.
    [[nodiscard]] base::Result<SnapshotId> prepare(const resp::Commands &commands);

    /// Until the next question nobody of ours is subscribed to anything. Error: the server cannot be asked.
    [[nodiscard]] base::Result<void> stopListening() { return m_ears.arrange({}); }

    /// How many questions the server has been asked.
    [[nodiscard]] qint64 questions() const { return m_questions; }
    /// Whether the server's time is the snapshot's, and not the machine's.
    [[nodiscard]] bool hasClock() const { return m_clock != nullptr; }

    /// Everything that the server behind the connection holds in its keys; connections are not looked at.
    [[nodiscard]] static base::Result<Snapshot> look(resp::BlockingConnection &connection,
                                                     std::chrono::milliseconds grain = std::chrono::minutes(1));
    /// Teaches the server all of the program's scripts, so that none is unknown by its SHA1.
    [[nodiscard]] static base::Result<void> loadScripts(resp::BlockingConnection &connection);

private:
    Testbed(resp::Endpoint endpoint, std::unique_ptr<resp::BlockingConnection> connection,
            std::chrono::milliseconds grain, shim::ServerClock *clock);

    [[nodiscard]] base::Result<Effect> askInTime(SnapshotId from, int speaker, CommandId command);
    [[nodiscard]] base::Result<Effect> ask(SnapshotId from, CommandId command);
    [[nodiscard]] base::Result<Effect> askWithConnections(SnapshotId from, int speaker, CommandId command);
    [[nodiscard]] base::Result<resp::Reply> reenact(const Snapshot &from, int speaker, const resp::Commands &commands);
    [[nodiscard]] base::Result<bool> isDirty(const ConnectionState &connection);
    [[nodiscard]] Effect effect(const resp::Reply &reply, Snapshot after);
    [[nodiscard]] base::Result<resp::BlockingConnection *> connectionOf(int speaker);
    [[nodiscard]] base::Result<resp::Replies> tell(int speaker, const resp::Commands &commands);

    struct Question
    {
        SnapshotId from;
        int speaker;
        CommandId command;
        friend bool operator==(const Question &, const Question &) = default;
        friend size_t qHash(const Question &question, size_t seed = 0)
        {
            return qHashMulti(seed, question.from, question.speaker, question.command);
        }
    };

    const resp::Endpoint m_endpoint;
    std::unique_ptr<resp::BlockingConnection> m_connection;
    Ears m_ears;
    const std::chrono::milliseconds m_grain;
    shim::ServerClock *const m_clock; ///< Not owned; may be null.
    std::map<int, std::unique_ptr<resp::BlockingConnection>> m_speakers;
    Pool<Snapshot> m_snapshots;
    Pool<QByteArray> m_commandTexts; ///< Numbers commands by their words, each with its length.
    std::vector<resp::Commands> m_commands;
    Pool<QByteArray> m_replyTexts;
    std::vector<resp::Reply> m_replies;
    QHash<Question, Effect> m_effects;
    qint64 m_questions = 0;
};

} // namespace latchkey::races
