#pragma once

#include "core/races/search.h"
#include "core/server/privateserver.h"
#include "core/stories/story.h"

namespace latchkey::races {

class Replay;

enum class Verdict : quint8 { Holds, Broken, NotApplicable };

/// The verdict's identifier, `not-applicable`.
[[nodiscard]] QString verdictId(Verdict verdict);

/// What the finder has to say of one promise.
struct PromiseResult
{
    QString promise;
    int clients = 0; ///< How many it has been answered for.
    bool claimed = false;
    Verdict verdict = Verdict::NotApplicable;
    /// Every schedule of so many clients was looked at, or one that breaks the promise was found; false where a bound
    /// was hit or the search was cancelled: "holds in the first N".
    bool complete = true;
    bool isByChance = false; ///< The schedules were drawn.
    double schedules = 0;    ///< Through the states that were reached.
    std::size_t states = 0;
    std::size_t steps = 0;
    QString complaint; ///< Of a broken promise: what the run has shown, as one sentence.
    /// Of a broken promise: the shortest schedule of so many clients that shows it.
    std::optional<stories::Story> counterexample;

    /// The catalogue promises what does not hold.
    [[nodiscard]] bool isRefuted() const { return claimed && verdict == Verdict::Broken; }
};

/// The race finder: a recipe under every interleaving, crash and lapse, on a real server, promise by promise.
///
/// It starts private servers, asks them, and says of each promise whether it holds in all schedules or what the
/// shortest schedule is that breaks it. Given the recipe with several numbers of clients, it begins with the first and
/// goes on to the next as long as the promise holds and the search is cheap: what is broken is shown with the fewest
/// clients, and what holds is said of the most that could be searched through.
/// Every counterexample is played again from the start on real connections before it is reported, and so is a random
/// sample of the schedules in which the promise held.
/// It works in slices, so that its caller can show progress, and stop: a result that is cut short says so.
/// Owned by its caller. Needs no event loop.
class Finder final
{
public:
    struct Options
    {
        QStringList promises;           ///< Only these; empty: all.
        Without without;                ///< Of the faults that a promise allows.
        Search::Bounds bounds;          ///< Of the first number of clients.
        Search::Bounds cheap {250'000}; ///< Of all others, which takes seconds: what needs more is left out.
        std::size_t walks = 0;          ///< Not all schedules, but so many that are drawn by chance; 0: all.
        int samples = 20;               ///< Schedules that are replayed where a promise holds.
        quint32 seed = 1;
    };

    /// subjects: one recipe with ever more clients, at least one. Error: Local (no server program), Usage (an unknown
    /// promise).
    [[nodiscard]] static base::Result<std::unique_ptr<Finder>> create(std::vector<Subject> subjects, Options options);
    [[nodiscard]] static base::Result<std::unique_ptr<Finder>> create(Subject subject, Options options);
    ~Finder();
    Q_DISABLE_COPY_MOVE(Finder)

    /// Goes on until the deadline; whether all promises are answered. Error: a server was lost, or a replay did not
    /// go as the search had worked out.
    [[nodiscard]] base::Result<bool> step(QDeadlineTimer deadline);
    /// Answers the promise under way with what has been seen, or with what was found to hold for fewer clients, and the
    /// rest not at all.
    void cancel();

    /// In the order in which they are explored.
    [[nodiscard]] const std::vector<Subject> &subjects() const { return m_subjects; }
    /// The one under way, or the first.
    [[nodiscard]] const Subject &subject() const { return m_subjects[m_current]; }
    [[nodiscard]] const std::vector<PromiseResult> &results() const { return m_results; }
    /// The promise under way; empty once all are answered.
    [[nodiscard]] QString promise() const;
    /// States seen so far for the promise under way; where schedules are drawn by chance, these.
    [[nodiscard]] std::size_t states() const { return m_search ? m_search->states() : 0; }
    /// How many moves the search for it has come from the start.
    [[nodiscard]] int depth() const { return m_search ? m_search->depth() : 0; }
    /// At how many of them the search for it ends.
    [[nodiscard]] std::size_t mostStates() const;
    /// Schedules are drawn by chance.
    [[nodiscard]] bool isByChance() const { return m_options.walks > 0; }
    /// Moves carried out so far, all promises together.
    [[nodiscard]] std::size_t steps() const;
    [[nodiscard]] bool isComplete() const;
    /// Of programs: the shortest schedule seen so far at whose end clients wait for ever. It breaks none of the
    /// promises, and is seldom meant.
    [[nodiscard]] const std::optional<stories::Story> &standstill() const { return m_standstill; }
    /// Questions that a real server has answered.
    [[nodiscard]] qint64 questions() const { return m_testbed ? m_testbed->questions() : 0; }

private:
    Finder(std::vector<Subject> subjects, Options options);
    [[nodiscard]] base::Result<void> openServers();
    [[nodiscard]] base::Result<bool> goOn(QDeadlineTimer deadline);
    void beginAnew();
    [[nodiscard]] base::Result<void> begin(const Rule &rule);
    [[nodiscard]] base::Result<void> conclude();
    [[nodiscard]] base::Result<PromiseResult> brokenBy(const Schedule &schedule);
    [[nodiscard]] base::Result<void> sample();
    [[nodiscard]] base::Result<void> noteStandstill();
    [[nodiscard]] std::vector<std::span<const Rule *const>> ruleFamilies() const;
    [[nodiscard]] base::Result<void> rehearsed(const Schedule &schedule, const stories::Story &story);
    [[nodiscard]] base::Result<stories::Story> replayed(const Schedule &schedule);
    [[nodiscard]] PromiseResult resultFor(const Rule &rule) const;
    void answer(PromiseResult result);
    void endSearch();

    const std::vector<Subject> m_subjects;
    const Options m_options;
    std::unique_ptr<shim::ServerClock> m_clock; ///< Null: the servers go by the machine's. Outlives them.
    std::vector<std::unique_ptr<server::PrivateServer>> m_servers;
    std::unique_ptr<Testbed> m_testbed; ///< Null before the first step.
    std::unique_ptr<Replay> m_replay;
    std::vector<const Rule *> m_asked;   ///< All promises that are to be answered, the first one last.
    std::vector<const Rule *> m_waiting; ///< Promises that are not answered yet, the next one last.
    std::size_t m_current = 0;           ///< Of the subjects.
    std::unique_ptr<Model> m_model;
    std::unique_ptr<Transitions> m_transitions;
    std::unique_ptr<Strategy> m_search;
    std::optional<PromiseResult> m_standing; ///< Of the promise under way: with fewer clients it holds.
    std::vector<PromiseResult> m_results;
    std::optional<stories::Story> m_standstill;
    std::size_t m_standstillMoves = 0;
    int m_sampled = 0;       ///< Schedules that have been replayed of the search that is done.
    std::size_t m_steps = 0; ///< Of the searches that are over.
    bool m_isCancelled = false;
};

} // namespace latchkey::races
