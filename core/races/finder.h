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
    bool claimed = false;
    Verdict verdict = Verdict::NotApplicable;
    /// Every schedule was looked at, or one that breaks the promise was found; false where a bound was hit or the
    /// search was cancelled: "holds in the first N".
    bool complete = true;
    double schedules = 0; ///< Through the states that were reached.
    std::size_t states = 0;
    std::size_t steps = 0;
    QString complaint;                            ///< Of a broken promise: what the run has shown, as one sentence.
    std::optional<stories::Story> counterexample; ///< Of a broken promise: the shortest schedule that shows it.

    /// The catalogue promises what does not hold.
    [[nodiscard]] bool isRefuted() const { return claimed && verdict == Verdict::Broken; }
};

/// The race finder: a recipe under every interleaving, crash and lapse, on a real server, promise by promise.
///
/// It starts private servers, asks them, and says of each promise whether it holds in all schedules or what the
/// shortest schedule is that breaks it. Every counterexample is played again from the start on real connections before
/// it is reported, and so is a random sample of the schedules in which the promise held.
/// It works in slices, so that whoever runs it can show progress, and stop: an result that is cut short says so.
/// Owned by whoever asks. Needs no event loop.
class Finder final
{
public:
    struct Options
    {
        QStringList promises; ///< Only these; empty: all.
        Search::Bounds bounds;
        int samples = 20; ///< Schedules that are replayed where a promise holds.
        quint32 seed = 1;
    };

    /// Error: Local (no server program), Usage (an unknown promise).
    [[nodiscard]] static base::Result<std::unique_ptr<Finder>> create(Subject subject, Options options);
    ~Finder();
    Q_DISABLE_COPY_MOVE(Finder)

    /// Goes on until the deadline; whether all promises are answered. Error: a server was lost, or a replay did not
    /// go as the search had worked out.
    [[nodiscard]] base::Result<bool> step(QDeadlineTimer deadline);
    /// Answers the promise under way with what has been seen, and the rest not at all.
    void cancel();

    [[nodiscard]] const Subject &subject() const { return m_subject; }
    [[nodiscard]] const std::vector<PromiseResult> &results() const { return m_results; }
    /// The promise under way; empty once all are answered.
    [[nodiscard]] QString promise() const;
    /// States seen so far for the promise under way.
    [[nodiscard]] std::size_t states() const { return m_search ? m_search->states() : 0; }
    /// Moves carried out so far, all promises together.
    [[nodiscard]] std::size_t steps() const;
    [[nodiscard]] bool isComplete() const;
    /// Questions that a real server has answered.
    [[nodiscard]] qint64 questions() const { return m_testbed->questions(); }

private:
    Finder(Subject subject, Options options);
    [[nodiscard]] base::Result<void> begin(const Rule &rule);
    [[nodiscard]] base::Result<void> conclude();
    [[nodiscard]] base::Result<stories::Story> replayed(const Schedule &schedule);
    [[nodiscard]] PromiseResult resultFor(const Rule &rule) const;

    const Subject m_subject;
    const Options m_options;
    std::vector<std::unique_ptr<server::PrivateServer>> m_servers;
    std::unique_ptr<Testbed> m_testbed;
    std::unique_ptr<Replay> m_replay;
    std::vector<const Rule *> m_waiting; ///< Promises that are not answered yet, the next one last.
    std::unique_ptr<Model> m_model;
    std::unique_ptr<Search> m_search;
    std::vector<PromiseResult> m_results;
};

} // namespace latchkey::races
