#pragma once

#include "core/explore/programs/criticalsections.h"
#include "core/explore/programs/tokensubstitution.h"

#include <QHash>

#include <map>
#include <set>

namespace latchkey::programs {

/// The observed behaviour of a program after each history of replies and elapsed time.
///
/// Between two replies, the behaviour of a process depends only on the replies received and on its clock. Two processes
/// are started only for a history not seen before, and receive the replies of that history. Afterwards, they are kept
/// for the next reply, paused at the node of that history. A difference between the two shows that the program is not
/// deterministic. A long word that differs between the two processes is treated as a token of its process. Other
/// clients see such a value replaced by one of similar form, so that programs can parse it. A client that repeats the
/// same commands after the same replies is treated as retrying forever: see livelockRepetitions().
///
/// With a virtual clock, the two runs begin at different times of day. A difference caused by these times shows that
/// the program sends times. Then the behaviour of one client is not valid for another; see maySendTimes().
///
/// Shared by the runs of all clients, or by the runs of one client if the program sends times. Owns its processes.
class ObservationTree final
{
public:
    /// Creates an empty tree. `clock`: absent if the program uses the machine's clock. `sections`: shared by all trees
    /// of the program.
    ObservationTree(const Program &program, std::optional<ProcessPool::Clock> clock,
                    std::shared_ptr<CriticalSectionIndex> sections);
    Q_DISABLE_COPY_MOVE(ObservationTree)

    static constexpr TreeNodeId start = 0;
    /// Finds the first step of the program. Call before all other functions. Error: the program cannot be explored.
    [[nodiscard]] base::Result<void> open();
    [[nodiscard]] const TreeNode &operator[](TreeNodeId node) const { return m_nodes[node]; }
    /// Returns the node after the event. On failure, returns `node` unchanged and sets error().
    [[nodiscard]] TreeNodeId after(TreeNodeId node, const ProcessEvent &event);
    [[nodiscard]] const std::optional<base::Error> &error() const { return m_error; }
    /// Returns a node of the same behaviour and waits, the same one for all elapsed times.
    [[nodiscard]] TreeNodeId withoutTime(TreeNodeId node);

    /// Starts a new process, which begins `time` after the others. Errors as those of Process; Protocol: its behaviour
    /// differs from earlier processes.
    [[nodiscard]] base::Result<std::unique_ptr<Process>> begin(std::chrono::milliseconds time);
    /// Delivers the event to the process, which is at the node `from`, and checks that it reaches the node `to`. Errors
    /// as begin().
    [[nodiscard]] base::Result<void> advance(Process &process, const ProcessEvent &event, TreeNodeId from,
                                             TreeNodeId to);

    /// Returns whether the clock is virtual. Valid after open().
    [[nodiscard]] bool isClockControlled() const { return m_processes.clock().has_value(); }
    /// Returns whether a process also uses another clock.
    [[nodiscard]] bool hasOtherClocks() const { return m_hasOtherClocks; }
    /// Returns whether a process has waited for a point in time.
    [[nodiscard]] bool hasWaited() const { return m_hasWaited; }
    /// Returns whether the sent commands may depend on the time of day. If so, error() is present. The behaviour must
    /// then be observed again for each client separately, without ProcessPool::Clock::differs.
    [[nodiscard]] bool maySendTimes() const { return m_maySendTimes; }

    /// Returns whether a JSON document that the program has sent counts as one token; see containJsonDocument().
    [[nodiscard]] bool hasDocumentAsToken() const { return m_hasDocumentAsToken; }

    /// Returns the servers to which a process has connected, one bit each.
    [[nodiscard]] quint32 connectedServers() const { return m_connectedServers; }

    [[nodiscard]] const ProcessPool &processes() const { return m_processes; }
    [[nodiscard]] bool hasReachedCommandLimit() const { return m_hasReachedCommandLimit; }
    [[nodiscard]] const CriticalSections &criticalSections() const { return m_criticalSections; }
    /// Returns the last output of the first process with each exit code other than 0.
    [[nodiscard]] const std::map<int, QString> &failedEnds() const { return m_failedEnds; }
    /// Returns whether a client has ended in any schedule.
    [[nodiscard]] bool hasEnd() const { return m_hasEnd; }
    /// Returns the smallest number of repetitions after which a client was treated as retrying forever; absent: no such
    /// client.
    [[nodiscard]] std::optional<int> livelockRepetitions() const { return m_livelockRepetitions; }
    /// See races::ExternalProgram::hasBusyWait().
    [[nodiscard]] bool hasBusyWait() const { return m_hasBusyWait; }
    /// See races::ExternalProgram::lateRetries().
    [[nodiscard]] std::optional<int> lateRetries() const { return m_lateRetries; }

private:
    [[nodiscard]] base::Result<TreeNodeId> find(TreeNodeId from, const ProcessEvent &event);
    [[nodiscard]] base::Result<TreeNodeId> findTimeAdvance(TreeNodeId from, const ProcessEvent &event);
    [[nodiscard]] base::Result<TreeNodeId> findLongTimeAdvance(TreeNodeId from, const ProcessEvent &event);
    [[nodiscard]] base::Result<std::optional<TreeNodeId>> findFromEarliestStart(const TreeNode &node,
                                                                                const ProcessEvent &event);
    [[nodiscard]] base::Result<TreeNodeId> learn(TreeNodeId from, const ProcessEvent &event);
    [[nodiscard]] TreeNodeId shifted(TreeNodeId base, std::chrono::milliseconds begin, std::chrono::milliseconds time,
                                     const Waited &waited);
    [[nodiscard]] base::Result<std::unique_ptr<Process>> processAt(TreeNodeId node, bool hasOtherClock);
    [[nodiscard]] base::Result<std::unique_ptr<Process>> freshProcessAt(TreeNodeId node, bool hasOtherClock,
                                                                        std::chrono::milliseconds later = {});
    [[nodiscard]] base::Result<void> checkNewTokens(const Process &process, TreeNodeId from, const ProcessEvent *event,
                                                    const std::vector<races::Offer> &offers);
    void keep(TreeNodeId node, std::unique_ptr<Process> process);
    enum class Repetition : quint8 { None, Endless, UntilATime };
    [[nodiscard]] base::Result<Repetition> repetitionOf(Process &process, const std::vector<TreeNodeId> &round);
    [[nodiscard]] base::Result<void> followLonger(Process &process, const std::vector<TreeNodeId> &round, int rounds);
    [[nodiscard]] base::Result<bool> changesAfter(Process &process, const std::vector<TreeNodeId> &round,
                                                  std::chrono::milliseconds time);
    [[nodiscard]] base::Result<std::chrono::milliseconds> busyWaitTime(TreeNodeId from, const ProcessEvent &event,
                                                                       const std::vector<TreeNodeId> &round);
    [[nodiscard]] TreeNodeId addBusyWait(TreeNode node, const std::vector<TreeNodeId> &round,
                                         std::chrono::milliseconds time);
    [[nodiscard]] bool isAt(Process &process, const TreeNode &node) const;
    [[nodiscard]] base::Result<void> match(Process &process, const TreeNode &node) const;
    [[nodiscard]] base::Result<void> compare(Process &one, Process &other, std::vector<races::Offer> &offers);
    [[nodiscard]] base::Error differs(const std::vector<races::Offer> &before, const std::vector<races::Offer> &now,
                                      bool hasTokens, bool hasThreads) const;
    void substituteTokens(TreeNode &node, const Process &process, const Process *twin);
    [[nodiscard]] TreeNode nodeFor(Process &process, TreeNodeId from, const ProcessEvent &event,
                                   std::vector<races::Offer> offers);
    [[nodiscard]] base::Result<void> deliver(Process &process, const ProcessEvent &event) const;
    [[nodiscard]] std::chrono::milliseconds timeToHold(const Process &process, const ProcessEvent &event,
                                                       TreeNodeId from, TreeNodeId to) const;
    [[nodiscard]] base::Result<void> replayEvent(Process &process, const ProcessEvent &event, bool continues) const;

    const Program &m_program; // Not owned.
    ProcessPool m_processes;
    std::vector<TreeNode> m_nodes;
    QHash<std::pair<TreeNodeId, QByteArray>, TreeNodeId> m_children; ///< Next node by node and event.
    /// Nodes by base, start time, elapsed time and waiting times of the offers.
    std::map<std::tuple<TreeNodeId, qint64, qint64, Waited>, TreeNodeId> m_shifted;
    CriticalSections m_criticalSections;
    TokenSubstitution m_substitution;
    std::map<int, QString> m_failedEnds;
    bool m_hasEnd = false;
    std::set<std::vector<QByteArray>> m_followedLonger; ///< Commands of the rounds that were followed for longer.
    std::optional<int> m_lateRetries;
    std::optional<int> m_endOfRetries; ///< As m_lateRetries, also of a client that ends.
    std::optional<int> m_livelockRepetitions;
    bool m_hasBusyWait = false;
    std::optional<base::Error> m_error;
    quint32 m_connectedServers = 0;
    bool m_hasReachedCommandLimit = false;
    bool m_hasDocumentAsToken = false;
    bool m_hasOtherClocks = false;
    bool m_hasWaited = false;
    bool m_maySendTimes = false;
};

} // namespace latchkey::programs
