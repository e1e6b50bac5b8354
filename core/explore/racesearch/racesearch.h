#pragma once

#include "core/explore/schedules/faultlimits.h"
#include "core/explore/schedules/recordedschedule.h"
#include "core/explore/schedules/searchtexts.h"
#include "core/explore/schedules/serverfaultlimits.h"
#include "core/explore/schedules/verdict.h"
#include "core/foundation/base/error.h"
#include "core/foundation/process/child.h"

#include <QTimer>

#include <chrono>
#include <memory>
#include <optional>

class QJsonArray;

namespace latchkey::racesearch {

/// A program to explore for races, with its limits: the arguments of `explore -- COMMAND`, as a value.
struct ProgramToExplore
{
    QStringList words; ///< Program and arguments; not passed through a shell.
    QString folder;    ///< Working directory; empty: the directory of this process.
    int clients = 2;
    QString resource;       ///< Key that all clients use; empty: unknown.
    QStringList data;       ///< Patterns of keys that may stay without a TTL.
    QStringList locks {};   ///< Patterns of keys that are locks; empty: found by the search.
    QStringList inside {};  ///< Patterns of commands after which a client is inside; see schedules::CommandPattern.
    QStringList outside {}; ///< Patterns of commands after which a client is not inside.
    int servers = 1;        ///< Servers of each process.
    int fixedPort = 0;      ///< Port that the program always uses, regardless of its environment; 0: none.
    schedules::FaultLimits limits {};
    QStringList promises {}; ///< Promises to check; empty: all that permit no server faults.
    schedules::ServerFaultLimits serverFaults {};
    std::optional<std::chrono::seconds> longest {}; ///< Absent: unlimited.

    /// Returns the arguments for `latchkey-cli explore`.
    [[nodiscard]] QStringList arguments() const;
};

/// The race finder as a child process, for a recipe or a program. Results and progress are read while the process runs.
///
///     Idle → Running → Over → Running …
///
/// A result arrives as soon as the finder knows it, so earlier results survive a cancellation. A finder that does not
/// stop when cancelled is killed. The process ends with this object and with this program. Owned by the code that shows
/// the results.
class RaceSearch final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RaceSearch)

public:
    enum class State : quint8 { Idle, Running, Over };
    Q_ENUM(State)

    /// Result for one promise; see races::PromiseResult.
    struct Answer
    {
        QString promise;
        int clients = 0;
        bool isClaimed = false;
        schedules::Verdict verdict = schedules::Verdict::NotApplicable;
        bool isComplete = true;
        double schedules = 0;
        qint64 states = 0;
        QString violation; ///< Description of the violation, if the promise is broken.
        base::Text reason; ///< Why the promise does not apply; see races::PromiseResult.
        std::optional<schedules::RecordedSchedule> schedule; ///< The shortest counterexample, if the promise is broken.
    };

    /// Progress with the current promise.
    struct Progress
    {
        QString promise; ///< Empty before the first promise.
        int clients = 0;
        qint64 states = 0;
        qint64 maxStates = 0; ///< Limit at which the search ends.
        int depth = 0;        ///< Depth of the search, in steps.
        qint64 steps = 0;     ///< Total, including earlier promises.
        int starts = 0;       ///< Number of processes started for a program.
        double seconds = 0;
    };

    /// The conditions of the results for a program. Complete when the finder has ended.
    struct Conditions
    {
        /// Clients that ended with a failure.
        struct End
        {
            int exitCode = 0;
            QString printed; ///< Last line of output of one of these clients.
        };

        schedules::ClockControl clock = schedules::ClockControl::Controlled;
        bool isStopped = false; ///< Whether the time limit or a user stopped the search.
        qint64 steps = 0;
        int starts = 0;
        double seconds = 0;
        std::vector<End> failedEnds {};
        QString deadlockStep {}; ///< Last step of a story in which a client waits forever; empty: none.
        std::optional<int>
            livelockRepetitions {}; ///< Number of repetitions after which a client was treated as retrying forever.
        bool hasBusyWait = false;   ///< Whether a client waits busily; see busyWaitText().
        std::optional<int> lateRetries {}; ///< See lateRetriesText().
        bool hasEndedClient = true;        ///< Whether a client has ended in any schedule.
        QString soloLivelockCommand;       ///< Command that a solo client repeats forever; empty: none.
        QStringList unanswered {};         ///< Promises that were not examined.
        QStringList notes {};              ///< Further notes, as sentences.
    };

    /// Creates an idle search. `program`: path of latchkey-cli.
    explicit RaceSearch(QString program, QObject *parent = nullptr);
    ~RaceSearch() override;

    /// Ends the current search, discards its results and starts a search for a recipe. `clients`: absent for as many as
    /// the finder can examine within its time limit. `without`: faults to leave out, `crashes` and `lapses`.
    /// `promises`: empty for all without server faults.
    void start(const QString &recipe, std::optional<int> clients = {}, const QStringList &without = {},
               const QStringList &promises = {}, const schedules::ServerFaultLimits &serverFaults = {});
    /// Starts a search for a program in the same way.
    void start(const ProgramToExplore &program);
    /// Cancels the search and keeps the results so far.
    void cancel();

    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] const QString &recipe() const { return m_recipe; }
    /// Returns the faults that start() left out.
    [[nodiscard]] const QStringList &without() const { return m_without; }
    /// Returns the program passed to start(); its words are empty if a recipe is explored.
    [[nodiscard]] const ProgramToExplore &program() const { return m_programToExplore; }
    /// Returns the conditions; absent if the output is incomplete or a recipe is explored.
    [[nodiscard]] const std::optional<Conditions> &conditions() const { return m_conditions; }
    [[nodiscard]] const Progress &progress() const { return m_progress; }
    /// Returns the answers so far, in the order of the promises once all are known.
    [[nodiscard]] const std::vector<Answer> &answers() const { return m_answers; }
    [[nodiscard]] bool isCancelled() const { return m_isCancelled; }
    /// Returns why the output is incomplete; absent if it is complete or the search was cancelled.
    [[nodiscard]] const std::optional<base::Error> &error() const { return m_error; }
    /// Returns the last error of the finder; empty if none. The finder may have returned results, too.
    [[nodiscard]] const QString &lastError() const { return m_lastError; }
    /// Returns the process id of the finder; 0 if it is not running.
    [[nodiscard]] qint64 processId() const { return m_process ? m_process->id() : 0; }

Q_SIGNALS:
    void stateChanged(latchkey::racesearch::RaceSearch::State state);
    void progressed();
    /// Emitted when answers() has changed: a result was appended, or all were discarded because the program is explored
    /// again.
    void answered();

private:
    void run(const QStringList &arguments);
    [[nodiscard]] std::optional<base::Error> startChild(const process::Launch &launch);
    void read();
    void readLine(const QByteArray &line);
    void sortAnswers(const QJsonArray &promises);
    void ended(int exitCode);

    const QString m_program;
    QString m_recipe;
    QStringList m_without;
    ProgramToExplore m_programToExplore;
    State m_state = State::Idle;
    std::unique_ptr<process::Child> m_process;
    QTimer m_timeout; ///< Timeout after which a cancelled finder is killed.
    QByteArray m_unread;
    QString m_lastError; ///< Last error of the finder.
    Progress m_progress;
    std::vector<Answer> m_answers;
    std::optional<Conditions> m_conditions;
    bool m_isCancelled = false;
    bool m_isOutputComplete = false;
    std::optional<base::Error> m_error;
};

} // namespace latchkey::racesearch
