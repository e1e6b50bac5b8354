#pragma once

#include "core/base/error.h"
#include "core/children/child.h"
#include "core/stories/story.h"

#include <QTimer>

#include <memory>

namespace latchkey::stage {

/// The race finder as a child process: started for a recipe, listened to while it goes on, and cancelled.
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
        qint64 steps = 0;      ///< With those of the promises before.
        double seconds = 0;
    };

    /// program: latchkey-cli.
    explicit RaceSearch(QString program, QObject *parent = nullptr);
    ~RaceSearch() override;

    /// Ends what is under way, and forgets what was found. clients: absent for as many as seconds allow. without:
    /// faults that are left out, `crashes` and `lapses`.
    void start(const QString &recipe, std::optional<int> clients = {}, const QStringList &without = {});
    /// What has been found so far stays.
    void cancel();

    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] const QString &recipe() const { return m_recipe; }
    /// As it was started.
    [[nodiscard]] const QStringList &without() const { return m_without; }
    [[nodiscard]] const Progress &progress() const { return m_progress; }
    [[nodiscard]] const std::vector<Answer> &answers() const { return m_answers; }
    [[nodiscard]] bool isCancelled() const { return m_isCancelled; }
    /// Why it could not be said to the end; absent: it was, or was cancelled.
    [[nodiscard]] const std::optional<base::Error> &error() const { return m_error; }
    /// 0 where there is none.
    [[nodiscard]] qint64 processId() const { return m_process ? m_process->id() : 0; }

Q_SIGNALS:
    void stateChanged(latchkey::stage::RaceSearch::State state);
    void progressed();
    /// There is one more of answers(), the last.
    void answered();

private:
    void read();
    void readLine(const QByteArray &line);
    void ended(int exitCode);

    const QString m_program;
    QString m_recipe;
    QStringList m_without;
    State m_state = State::Idle;
    std::unique_ptr<children::Child> m_process;
    QTimer m_patience; ///< Until one that is cancelled is killed.
    QByteArray m_unread;
    QString m_complaint; ///< The last line that it wrote for people.
    Progress m_progress;
    std::vector<Answer> m_answers;
    bool m_isCancelled = false;
    bool m_isAllSaid = false;
    std::optional<base::Error> m_error;
};

} // namespace latchkey::stage
