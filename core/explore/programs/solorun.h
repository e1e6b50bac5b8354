#pragma once

#include "core/explore/programs/programrun.h"
#include "core/explore/races/effectcache.h"
#include "core/explore/races/externalprogram.h"

#include <map>
#include <set>
#include <tuple>

namespace latchkey::programs {

/// A command that a client has sent, its reply, and whether the client had entered a critical section before.
struct SentCommand
{
    resp::Command command;
    resp::Reply reply;
    bool isAfterEntry = false;
};

/// A fault-free run of one client before the exploration. It determines which promises apply to the program.
///
/// The run ends when the client ends, returns to an earlier state, or blocks: no other client can wake it. Owned by the
/// ExploredProgram.
class SoloRun final
{
public:
    using AccessClassifier =
        std::function<races::ResourceAccess(const resp::Commands &, const resp::Reply &, const races::Snapshot &before,
                                            const races::Snapshot &after, const races::KeyInfluence &influence)>;

    /// Creates a run. `start`: initial content of each server. `resource`: may be empty.
    SoloRun(std::shared_ptr<ObservationTree> tree, std::vector<races::SnapshotId> start, QByteArray resource,
            AccessClassifier accessOf);

    /// Carries out one step. Returns true if there is no further step. Error: the server does not reply.
    [[nodiscard]] base::Result<bool> advance(races::EffectCache &effectCache);

    [[nodiscard]] TreeNodeId at() const { return m_run.at(); }
    /// Returns whether the client still has commands to send.
    [[nodiscard]] bool hasMoreCommands() const { return !m_run.offers().empty(); }
    /// Returns a command that the client repeats forever; empty: the client ends, or waits in the server.
    [[nodiscard]] const QString &endlessCommand() const { return m_endlessCommand; }
    /// Returns the commands that the client has sent, without the frames of transactions.
    [[nodiscard]] const std::vector<SentCommand> &sentCommands() const { return m_sentCommands; }
    /// Returns the keys that existed when the client was inside, each with the reason that the run has found: HasToken,
    /// Released or Data. Also returns keys from which the client had removed an element before (Popped), and keys to
    /// which it has moved the element (Moved).
    [[nodiscard]] std::vector<races::LockKey> lockKeys() const;
    /// Returns the critical sections that the client would have entered in this run, one bit each.
    [[nodiscard]] quint32 enteredSections(races::ClientIndex client) const;
    /// Returns whether the client has read or written the resource.
    [[nodiscard]] bool usesResource() const { return m_usesResource; }

private:
    [[nodiscard]] bool receive(races::EffectCache &effectCache);
    [[nodiscard]] base::Result<bool> answer(races::EffectCache &effectCache, const races::Offer &offer,
                                            const races::Effect &effect);
    [[nodiscard]] bool advanceClock(races::EffectCache &effectCache);
    [[nodiscard]] bool waits(const races::Offer &offer, const resp::Reply &reply) const;
    [[nodiscard]] std::optional<std::chrono::milliseconds> timer() const;
    [[nodiscard]] bool isNew(int served);
    void noteSent(const resp::Commands &commands, const resp::Reply &reply);
    [[nodiscard]] base::Result<void> recordReads(races::EffectCache &effectCache, const races::Offer &offer,
                                                 const races::Effect &effect);
    void recordKeyUse(const races::Snapshot &before, const races::Snapshot &after);
    [[nodiscard]] base::Result<void> recordElements(races::EffectCache &effectCache, races::SnapshotId before,
                                                    races::SnapshotId after);
    [[nodiscard]] base::Result<void> recordRefills(races::EffectCache &effectCache, races::SnapshotId before,
                                                   races::SnapshotId after);
    void noteKeys(const races::EffectCache &effectCache);
    void closeListening(races::EffectCache &effectCache);

    const std::shared_ptr<ObservationTree> m_tree;
    const QByteArray m_resource;
    const AccessClassifier m_classify;
    ProgramRun m_run;
    std::vector<races::SnapshotId> m_held; ///< Current content of each server.
    int m_served = -1;                     ///< Conversation that was answered last.
    std::set<std::tuple<std::vector<races::SnapshotId>, TreeNodeId, int>> m_seen;
    /// Observations about one key.
    struct Watched
    {
        int servers = 0;          ///< Number of servers that had the key when the client entered.
        bool hasElements = false; ///< Whether the key is a list or a set.
        bool hasToken = false;
        bool isRead = false; ///< Whether a reply depends on the key while the client is outside.
        bool isDeleted = false;
        bool hasLostElement = false; ///< Whether the client has removed an element before it entered.
        bool hasGotElement = false;  ///< Whether the client has moved such an element here.
        bool isChangedLater = false; ///< Whether the client has changed the key after it entered.
        bool isLeftBehind = false;   ///< Whether the key exists after the last command.
        bool isRefilled = false;     ///< Whether the client has added an element again after it entered.
    };
    std::map<QByteArray, Watched> m_watched;
    std::vector<SentCommand> m_sentCommands;
    QString m_endlessCommand;
    bool m_usesResource = false;
    std::set<QByteArray> m_enteredSections; ///< Names with tokenPlaceholder().
    bool m_hasEntered = false;
};

} // namespace latchkey::programs
