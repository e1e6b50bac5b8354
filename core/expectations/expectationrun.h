#pragma once

#include "core/expectations/keyjudge.h"
#include "core/inspection/inspectedserver.h"

#include <QHash>
#include <QObject>
#include <QSet>
#include <QTimer>

namespace latchkey::expectations {

/// What one expectation has come to for one key. A value.
struct Finding
{
    std::size_t expectation = 0; ///< Its place among those that were given.
    QByteArray key;              ///< Of a pattern that nothing has matched the pattern itself.
    Verdict verdict;

    friend bool operator==(const Finding &, const Finding &) = default;
};

/// Watches the keys of a server of which something is expected, and has each judged.
///
/// A key that is named is looked at all the time, and just after its end is due; what a pattern matches is met as the
/// watching of the server meets it. Every look is a question to the server (PTTL), held to the limit of its watcher;
/// nothing is written. What the server tells of changes and what is asked come together in the ledger, which says in
/// which order they were.
/// Owned by the code that wants to know; the server is not owned, and outlives it. It does not start the server.
class ExpectationRun final : public QObject, private keyspace::ObservationListener
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ExpectationRun)

public:
    /// Of more keys than these that match patterns nothing is said but how many they are, and which lack an expiry that
    /// they are never to be without.
    static constexpr qsizetype mostKeys = 10'000;

    ExpectationRun(inspection::InspectedServer &server, std::vector<Expectation> expectations,
                   QObject *parent = nullptr);
    ~ExpectationRun() override;

    [[nodiscard]] const std::vector<Expectation> &expectations() const { return m_expectations; }
    /// How long it takes at least until all that is expected can be told of a key that is there at once.
    [[nodiscard]] static std::chrono::milliseconds neededTime(const std::vector<Expectation> &expectations);

    /// When the keys that are named were looked at first; absent: not yet.
    [[nodiscard]] std::optional<base::MonotonicTime> begun() const { return m_begun; }
    /// Looks once more, and then is over: it asks for nothing from then on, and what it says does not change. The last
    /// look is waited for that long at most, and not at all while the server is not seen.
    void finish(std::chrono::milliseconds patience = std::chrono::seconds(2));
    [[nodiscard]] bool isOver() const { return m_isOver; }
    /// Nothing more can change: each key that is named has its verdict, and no pattern may meet another.
    [[nodiscard]] bool isSettled() const;

    /// In the order of the expectations, and of each in the order of the keys.
    [[nodiscard]] std::vector<Finding> findings() const;
    /// Keys that match a pattern and are not judged: there are too many.
    [[nodiscard]] qsizetype leftOut() const { return m_leftOut.size(); }
    /// The coverage of the verdicts: of what is asked of the server for them.
    [[nodiscard]] keyspace::Coverage coverage() const;

Q_SIGNALS:
    void began();
    /// Something may be judged otherwise than before; told a few times a second.
    void changed();
    /// The last look is over.
    void finished();

private:
    struct Followed
    {
        std::vector<std::pair<std::size_t, KeyJudge>> judges; ///< Each with its expectation's place.
    };

    void observed(const keyspace::Observations &observations) override;
    void emptied(keyspace::NodeIndex node, base::MonotonicTime asked, base::MonotonicTime answered) override;
    void heardUpTo(keyspace::NodeIndex node, base::MonotonicTime time) override;

    void follow(const QByteArray &key, std::optional<base::MonotonicTime> absentAt);
    void meet(const keyspace::Observation &observation);
    void see(const keyspace::Observation &observation);
    void take(const keyspace::Happening &happening);
    void phaseChanged(keyspace::Watcher::Phase phase);
    void sightChanged();
    [[nodiscard]] bool isBrokenAtOnce(const keyspace::Observation &observation) const;
    void look();
    [[nodiscard]] std::chrono::milliseconds lookInterval() const;
    void lookWhenDue(const QByteArray &key, const base::Deadline &deadline);
    void checkOver();
    void beOver();
    void letGo();

    inspection::InspectedServer &m_server; // Not owned.
    const std::vector<Expectation> m_expectations;
    bool m_hasPatterns = false;
    bool m_hasLetGo = false;
    QHash<QByteArray, Followed> m_followed;
    QSet<QByteArray> m_leftOut;
    QSet<QByteArray> m_unseenYet; ///< Keys that are named, and not looked at yet.
    QTimer m_look;
    QTimer m_tell;
    std::optional<base::MonotonicTime> m_begun;
    bool m_isBlind = false;
    std::optional<base::MonotonicTime> m_finishAt;
    std::optional<keyspace::Coverage> m_lastCoverage; ///< As of when it was over.
    QSet<QByteArray> m_lastLooks;                     ///< Those whose last look is awaited.
    std::optional<base::MonotonicTime> m_lookedAt;    ///< When the last of them was answered.
    base::MonotonicTime m_heard;                      ///< All that had happened by then has been told.
    bool m_isOver = false;
};

} // namespace latchkey::expectations
