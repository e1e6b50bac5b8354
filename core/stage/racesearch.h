#pragma once

#include "core/base/error.h"
#include "core/children/child.h"
#include "core/stories/story.h"

#include <QTimer>

#include <chrono>
#include <memory>
#include <optional>

namespace latchkey::stage {

/// A program whose races are sought, and what may go wrong with its clients: `explore -- COMMAND`, as a value.
struct SoughtProgram
{
    QStringList words; ///< The program and its arguments; no shell sees them.
    QString folder;    ///< Where it starts; empty: where this process is.
    int clients = 2;
    QString resource;  ///< The key that they all work on; empty: none is known.
    QStringList data;  ///< Patterns of keys that may stay for ever.
    int fixedPort = 0; ///< That it insists on, whatever its environment says; 0: on none.
    int crashes = 1;
    int passes = 1; ///< Of time: how often a lifetime may end.
    int waits = 3;  ///< How often time may go on, less far than that, to a moment for which somebody sleeps.
    int lostReplies = 0;
    std::optional<int> preemptions {};              ///< Absent: as many as there are.
    std::optional<std::chrono::seconds> longest {}; ///< Absent: to its end.

    /// What `latchkey-cli explore` is told.
    [[nodiscard]] QStringList arguments() const;
};

/// The race finder as a child process: started for a recipe or a program, listened to while it goes on, and cancelled.
///
///     Idle → Running → Over → Running …
///
/// Each promise is answered as soon as the finder knows, so that what has been found stays when it is cancelled. A
/// finder that does not heed that is killed. The process ends with this object and with this program. Owned by the
/// code that shows it.
class RaceSearch final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RaceSearch)

public:
    enum class State : quint8 { Idle, Running, Over };
    Q_ENUM(State)
    enum class Verdict : quint8 { Holds, Broken, NotApplicable };

    /// What the finder has to say of a promise; see races::PromiseResult.
    struct Answer
    {
        QString promise;
        int clients = 0;
        bool isClaimed = false;
        Verdict verdict = Verdict::NotApplicable;
        bool isComplete = true;
        double schedules = 0;
        qint64 states = 0;
        QString complaint;                   ///< Of a broken one: what its story shows.
        std::optional<stories::Story> story; ///< Likewise: the shortest one.
    };

    /// How far it is with the promise under way.
    struct Progress
    {
        QString promise; ///< Empty before the first.
        int clients = 0;
        qint64 states = 0;
        qint64 mostStates = 0; ///< Where it ends, whatever it has found by then.
        int depth = 0;         ///< Of the search, in steps.
        qint64 steps = 0;      ///< With those of the promises before.
        int starts = 0;        ///< Of processes of a program.
        double seconds = 0;
    };

    /// What puts the answers about a program into their place, once all of them are there.
    struct Surroundings
    {
        /// Whether the program's time is the finder's to tell.
        enum class Clock : quint8 { Controlled, PartlyControlled, NotControlled };
        /// Clients that have ended so.
        struct End
        {
            int exitCode = 0;
            QString printed; ///< What one of them printed last.
        };

        Clock clock = Clock::Controlled;
        bool isStopped = false; ///< Its time was over, or somebody has told it to stop.
        qint64 steps = 0;
        int starts = 0;
        double seconds = 0;
        std::vector<End> failedEnds {};
        QString waitsForEver {};              ///< The last step of the story in which a client does; empty: none.
        std::optional<int> endlessRetries {}; ///< After which a client was taken to do so for ever.
        QStringList unanswered {};            ///< Promises that it has not come to.
        QStringList notes {};                 ///< What else it says, in sentences.
    };

    /// program: latchkey-cli.
    explicit RaceSearch(QString program, QObject *parent = nullptr);
    ~RaceSearch() override;

    /// Ends what is under way, and forgets what was found. clients: absent for as many as seconds allow. without:
    /// faults that are left out, `crashes` and `lapses`.
    void start(const QString &recipe, std::optional<int> clients = {}, const QStringList &without = {});
    /// Likewise.
    void start(const SoughtProgram &program);
    /// What has been found so far stays.
    void cancel();

    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] const QString &recipe() const { return m_recipe; }
    /// As it was started.
    [[nodiscard]] const QStringList &without() const { return m_without; }
    /// Likewise; words are empty where it is a recipe's.
    [[nodiscard]] const SoughtProgram &soughtProgram() const { return m_sought; }
    /// Absent: it has not said all, or it was a recipe's.
    [[nodiscard]] const std::optional<Surroundings> &surroundings() const { return m_surroundings; }
    [[nodiscard]] const Progress &progress() const { return m_progress; }
    [[nodiscard]] const std::vector<Answer> &answers() const { return m_answers; }
    [[nodiscard]] bool isCancelled() const { return m_isCancelled; }
    /// Why it could not be said to the end; absent: it was, or was cancelled.
    [[nodiscard]] const std::optional<base::Error> &error() const { return m_error; }
    /// What it has written for people, the last of it; empty: nothing. It may have answered some of it beside that.
    [[nodiscard]] const QString &complaint() const { return m_complaint; }
    /// 0 where there is none.
    [[nodiscard]] qint64 processId() const { return m_process ? m_process->id() : 0; }

Q_SIGNALS:
    void stateChanged(latchkey::stage::RaceSearch::State state);
    void progressed();
    /// There is one more of answers(), the last.
    void answered();

private:
    void run(const QStringList &arguments);
    [[nodiscard]] std::optional<base::Error> startChild(const children::Launch &launch);
    void read();
    void readLine(const QByteArray &line);
    void ended(int exitCode);

    const QString m_program;
    QString m_recipe;
    QStringList m_without;
    SoughtProgram m_sought;
    State m_state = State::Idle;
    std::unique_ptr<children::Child> m_process;
    QTimer m_patience; ///< Until one that is cancelled is killed.
    QByteArray m_unread;
    QString m_complaint; ///< The last line that it wrote for people.
    Progress m_progress;
    std::vector<Answer> m_answers;
    std::optional<Surroundings> m_surroundings;
    bool m_isCancelled = false;
    bool m_isAllSaid = false;
    std::optional<base::Error> m_error;
};

} // namespace latchkey::stage
