#pragma once

#include "core/inspect/expectations/expectationevaluator.h"
#include "core/inspect/expectations/keyrefusals.h"
#include "core/inspect/inspection/inspectedserver.h"

#include <QHash>
#include <QObject>
#include <QSet>
#include <QTimer>

namespace latchkey::expectations {

/// The verdict on one key for one expectation. A value.
struct KeyResult
{
    std::size_t expectation = 0; ///< Index of the expectation.
    QByteArray key;              ///< The key; the pattern itself if no key matched.
    Verdict verdict;

    friend bool operator==(const KeyResult &, const KeyResult &) = default;
};

/// A run of expectations on a server: it follows the matching keys and evaluates each.
///
/// Up to 1000 keys are polled continuously, and also just before and after their expiry. With more keys, the run relies
/// on the requests of the watcher. The keys of a pattern are found by the normal observation of the server. Each poll
/// is a PTTL within the watcher's command limit; nothing is written. The tracker orders the events and replies of the
/// server. Owned by its user; the server is not owned, and outlives the run. The run does not start the server.
class ExpectationRun final : public QObject, private events::ObservationListener
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ExpectationRun)

public:
    /// Maximum number of keys of patterns that are evaluated. For further keys, only their number is reported, and a
    /// missing expiry if `never without expiry` is expected.
    static constexpr qsizetype maxKeys = 10'000;

    ExpectationRun(inspection::InspectedServer &server, std::vector<Expectation> expectations,
                   QObject *parent = nullptr);
    ~ExpectationRun() override;

    [[nodiscard]] const std::vector<Expectation> &expectations() const { return m_expectations; }
    /// Returns the minimum time of observation that yields all verdicts for a key that exists from the start.
    [[nodiscard]] static std::chrono::milliseconds neededTime(const std::vector<Expectation> &expectations);

    /// Returns the time at which all named keys had been polled and, with patterns, the first scan had ended. Absent
    /// before that.
    [[nodiscard]] std::optional<base::MonotonicTime> begun() const { return m_begun; }
    /// Polls a last time and ends the run: sends no more requests, and fixes the verdicts. Waits at most `timeout` for
    /// the last replies, and not at all while the server does not reply.
    void finish(std::chrono::milliseconds timeout = std::chrono::seconds(2));
    [[nodiscard]] bool isOver() const { return m_isOver; }
    /// Returns whether no verdict can change: each named key has a verdict, and no pattern can match a further key.
    [[nodiscard]] bool isSettled() const;

    /// Returns the results, ordered by expectation and then by key.
    [[nodiscard]] std::vector<KeyResult> results() const;
    /// Returns the number of keys of patterns that are not evaluated, because there are too many.
    [[nodiscard]] qsizetype leftOut() const { return m_leftOut.size(); }
    /// Returns the coverage of the verdicts, limited to the requests that they need.
    [[nodiscard]] events::Coverage coverage() const;

Q_SIGNALS:
    /// Emitted when the run has begun: see begun().
    void began();
    /// Emitted at most a few times per second, when verdicts may have changed.
    void changed();
    /// Emitted when the last poll is over.
    void finished();

private:
    struct KeyEvaluators
    {
        std::vector<std::pair<std::size_t, ExpectationEvaluator>>
            evaluators;                                ///< Evaluators with the indexes of their expectations.
        std::optional<base::MonotonicTime> answeredAt; ///< Last reply of the server about the key; absent: none.
    };

    void observed(const events::Observations &observations) override;
    void emptied(events::NodeIndex node, base::MonotonicTime asked, base::MonotonicTime answered) override;
    void receivedUpTo(events::NodeIndex node, base::MonotonicTime time) override;

    void follow(const QByteArray &key, std::optional<base::MonotonicTime> absentAt);
    void handle(const events::Observation &observation);
    void see(const events::Observation &observation);
    void notification(events::Observation observation);
    void refused(const QByteArray &key);
    [[nodiscard]] events::Coverage watcherCoverage() const;
    void take(const events::KeyEvent &keyEvent);
    void phaseChanged(watching::Watcher::Phase phase);
    void gapChanged();
    [[nodiscard]] bool isBrokenAtOnce(const events::Observation &observation) const;
    void pollAll();
    [[nodiscard]] std::chrono::milliseconds pollInterval() const;
    void pollAtExpiry(const QByteArray &key, const base::Deadline &deadline);
    void checkOver();
    void finishNow();
    void stopWatching();

    inspection::InspectedServer &m_server; // Not owned.
    const std::vector<Expectation> m_expectations;
    const base::MonotonicTime m_created;
    bool m_hasPatterns = false;
    bool m_hasStopped = false;
    QHash<QByteArray, KeyEvaluators> m_followed;
    QSet<QByteArray> m_leftOut;
    QSet<QByteArray> m_unseenYet; ///< Named keys that were not polled yet.
    KeyRefusals m_refusals;
    QTimer m_pollTimer;
    QTimer m_reportTimer;
    std::optional<base::MonotonicTime> m_begun;
    bool m_isStale = false; ///< The server is a replica that has lost its primary: replies may be out of date.
    bool m_isUnobserved = false;
    std::optional<base::MonotonicTime> m_finishAt;
    std::optional<events::Coverage> m_lastCoverage; ///< Coverage at the end of the run.
    QSet<QByteArray> m_lastPolls;                   ///< Keys with a pending last poll.
    std::optional<base::MonotonicTime> m_lastReply; ///< Time of the last reply.
    base::MonotonicTime m_received;                 ///< Time up to which all events were delivered.
    bool m_isOver = false;
};

} // namespace latchkey::expectations
