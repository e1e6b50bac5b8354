#pragma once

#include "core/explore/races/finderservers.h"
#include "core/explore/races/noprogressschedules.h"
#include "core/explore/races/promiseresult.h"
#include "core/explore/races/search.h"

#include <map>

namespace latchkey::races {

/// A race finder: it checks a recipe under every interleaving, crash and expiry on a real server, promise by promise.
///
/// The finder starts private servers and sends them commands. For each promise it reports that the promise holds in all
/// schedules, or the shortest schedule that breaks it. If the recipe is given with several numbers of clients, the
/// finder begins with the first number. It continues with the next number as long as the promise holds and the search
/// is cheap. So a broken promise is shown with the fewest clients. A promise that holds is reported for the largest
/// number of clients that could be searched. Every counterexample is replayed from the start on real connections before
/// it is reported. A random sample of the schedules in which the promise held is replayed too. step() works in slices,
/// so that the caller can show progress and cancel; a truncated result is marked as incomplete. A time limit is shared:
/// each promise may use the remaining time divided by the number of promises that have not had a share. A search that
/// needs longer is suspended, and continued if the other promises leave time. Without a time limit, the promises are
/// searched in rounds whose time slices double; see timeLimitOfRound(). Owned by its caller. Needs no event loop.
class Finder final
{
public:
    struct Options
    {
        QStringList promises;           ///< Promises to check; empty: all without server faults.
        ExcludedFaults excluded;        ///< Faults to leave out, even if a promise allows them.
        ServerFaultLimits serverFaults; ///< Limits of the server faults, for the promises that allow them.
        Search::Bounds bounds;          ///< Bounds for the first number of clients.
        Search::Bounds cheap {250'000}; ///< Bounds for all other numbers, a few seconds; a larger search is skipped.
        std::size_t walks = 0;          ///< Number of schedules drawn at random; 0: search all schedules.
        int samples = 20;               ///< Number of schedules replayed for a promise that holds.
        quint32 seed = 1;
        QDeadlineTimer deadline {QDeadlineTimer::Forever}; ///< Time limit of all promises together.
    };

    /// Creates a finder. `subjects`: one recipe or program with increasing numbers of clients, at least one. Error:
    /// Usage (an unknown promise), Local (no server can be started). For a program, step() starts the servers.
    [[nodiscard]] static base::Result<std::unique_ptr<Finder>> create(std::vector<Subject> subjects, Options options);
    [[nodiscard]] static base::Result<std::unique_ptr<Finder>> create(Subject subject, Options options)
    {
        return create(std::vector<Subject> {std::move(subject)}, std::move(options));
    }
    ~Finder();
    Q_DISABLE_COPY_MOVE(Finder)

    /// Works until the deadline. Returns whether all promises are answered. Error: a server was lost, a replay differed
    /// from the search, or the program cannot be explored.
    [[nodiscard]] base::Result<bool> step(QDeadlineTimer deadline);
    /// Ends the search. The current promise keeps its result so far, or the result for fewer clients. The remaining
    /// promises get no result.
    void cancel();
    /// Returns whether the time limit has ended the search for a promise.
    [[nodiscard]] bool isOutOfTime() const { return m_isOutOfTime; }
    [[nodiscard]] bool hasTimeLeft() const { return !m_options.deadline.hasExpired(); }

    /// Returns the subjects in the order in which they are explored.
    [[nodiscard]] const std::vector<Subject> &subjects() const { return m_subjects; }
    /// Returns the current subject, or the first one.
    [[nodiscard]] const Subject &subject() const { return m_subjects[m_search.subject]; }
    /// Returns the results so far, in the order of promises().
    [[nodiscard]] const std::vector<PromiseResult> &results() const { return m_results; }
    /// Returns all promises to check, in the order in which they are begun.
    [[nodiscard]] QStringList promises() const;
    /// Returns the current promise; empty once all are answered.
    [[nodiscard]] QString promise() const { return m_waiting.empty() ? QString() : m_waiting.back()->promise(); }
    /// Returns the number of states seen so far for the current promise. If schedules are drawn at random, returns
    /// their number.
    [[nodiscard]] std::size_t states() const { return m_search.strategy ? m_search.strategy->states() : 0; }
    /// Returns the current distance of the search from the start, in moves.
    [[nodiscard]] int depth() const { return m_search.strategy ? m_search.strategy->depth() : 0; }
    /// Returns the number of states, or random schedules, at which the search for the current promise ends.
    [[nodiscard]] std::size_t maxStates() const;
    [[nodiscard]] const ServerFaultLimits &serverFaultLimits() const { return m_options.serverFaults; }
    /// Returns whether schedules are drawn at random.
    [[nodiscard]] bool isRandom() const { return m_options.walks > 0; }
    /// Returns the number of moves carried out so far, for all promises together.
    [[nodiscard]] std::size_t steps() const;
    [[nodiscard]] bool isComplete() const;
    /// See NoProgressSchedules.
    [[nodiscard]] const std::optional<schedules::RecordedSchedule> &deadlock() const
    {
        return m_noProgressSchedules.deadlock();
    }
    [[nodiscard]] const std::optional<schedules::RecordedSchedule> &livelock() const
    {
        return m_noProgressSchedules.livelock();
    }
    /// Returns the number of commands that a real server has executed.
    [[nodiscard]] qint64 executedCommands() const
    {
        return m_servers ? m_servers->effectCache().executedCommands() : 0;
    }

private:
    Finder(std::vector<Subject> subjects, Options options);
    [[nodiscard]] base::Result<void> openServers();
    [[nodiscard]] base::Result<bool> advance(QDeadlineTimer deadline);
    void restartExploration();
    [[nodiscard]] bool applies(const Rule &rule) const;
    [[nodiscard]] base::Result<void> begin(const Rule &rule);
    [[nodiscard]] base::Result<void> conclude();
    [[nodiscard]] base::Result<PromiseResult> brokenBy(const Schedule &schedule);
    [[nodiscard]] base::Result<std::optional<Schedule>> searchLongWaits();
    [[nodiscard]] base::Result<void> sample();
    [[nodiscard]] std::vector<std::span<const Rule *const>> ruleFamilies() const;
    [[nodiscard]] PromiseResult resultFor(const Rule &rule) const;
    void answer(PromiseResult result);
    void answerInPart();
    void beginShare();
    void endShare();
    void resume();
    void leaveCurrent();
    void endSearch();

    /// The search for one promise, with the current number of clients.
    struct PromiseSearch
    {
        std::size_t subject = 0; ///< Index of the subject.
        std::unique_ptr<Model> model;
        std::unique_ptr<Transitions> transitions;
        std::unique_ptr<Strategy> strategy;          ///< Null: not begun with this number of clients.
        bool hasWaitedLong = false;                  ///< Whether the schedules with long waits have been searched.
        int sampled = 0;                             ///< Schedules of the finished search that have been replayed.
        std::optional<PromiseResult> resultForFewer; ///< Result "holds" for fewer clients.
    };

    const std::vector<Subject> m_subjects;
    const Options m_options;
    std::unique_ptr<FinderServers> m_servers;   ///< Null before the first step, for a program.
    std::vector<const Rule *> m_requestedRules; ///< All requested promises in reverse order.
    std::vector<const Rule *> m_waiting;        ///< Promises that wait for a share of the time, in reverse order.
    PromiseSearch m_search;                     ///< The search for the current promise.
    std::map<const Rule *, PromiseSearch> m_suspended;
    std::vector<const Rule *> m_nextRound; ///< Suspended promises that have used their share, in reverse order.
    int m_round = 0;                       ///< Number of completed rounds over the promises.
    std::optional<QDeadlineTimer> m_share; ///< Time limit of the current promise, for all its numbers of clients.
    std::vector<PromiseResult> m_results;
    NoProgressSchedules m_noProgressSchedules;
    std::size_t m_steps = 0; ///< Moves of all finished searches.
    bool m_isCancelled = false;
    bool m_isOutOfTime = false;
};

} // namespace latchkey::races
