#pragma once

#include "core/playground/playground/clienteventlog.h"
#include "core/playground/scenarios/scenario.h"
#include "core/playground/sequence/sequence.h"

#include <set>

namespace latchkey::scenarios {

/// A builder of scenario steps from recorded events.
///
/// A step ends when its effect has happened. An order that was answered before any other event is one step. Any other
/// order runs in the background until a later step awaits its answer. Used once; see savedScenarioOf().
class ScenarioBuilder final
{
public:
    static constexpr std::size_t maxSteps = 200;
    static constexpr qsizetype maxClients = 20;

    /// A step of one alternative, without its sentence.
    struct BuiltStep
    {
        ScenarioStep step;
        QString outcome; ///< Expected outcome; empty: none.
    };

    explicit ScenarioBuilder(const sequence::Sequence &sequence);

    /// Converts one entry. `isAnsweredNext`: whether the next event is the client's answer.
    void add(const playground::ClientEventLog::Entry &entry, bool isAnsweredNext);
    void add(const sequence::Mark &mark);
    /// Returns whether no further step can be added; leftOut() has the reason.
    [[nodiscard]] bool isOver() const { return m_isOver; }

    [[nodiscard]] const std::vector<BuiltStep> &steps() const { return m_steps; }
    [[nodiscard]] const QStringList &clients() const { return m_clients; }
    [[nodiscard]] const QList<base::Text> &leftOut() const { return m_leftOut; }

private:
    /// State of one client of the story. The map's key is the client's name in the recording.
    struct Client
    {
        QString name;
        int life = 1; ///< Number of this process among the successive processes of the client.
        bool isDead = false;
        bool isPaused = false;
        std::optional<base::Key> wants {}; ///< Key of a pending acquire.
        bool isBusy = false;               ///< Whether the client has an order in the background.
        bool hasTried = false;
        std::optional<std::size_t> wrote {}; ///< Step of the client's last write.
    };

    void tell(Client &client, const playground::ClientEventLog::Entry &entry, bool isAnsweredNext);
    void answer(Client &client, const playground::ClientEventLog::Entry &entry);
    void signal(Client &client, Signal what, base::MonotonicTime at);
    void start(Client &client);
    void endLease(const sequence::Mark &mark);
    void addServerEvent(const sequence::Mark &mark);
    /// Returns the client; null if there are too many clients.
    [[nodiscard]] Client *clientOf(const QString &name);
    [[nodiscard]] int serverOf(sequence::LaneIndex lane) const;
    void add(const QString &client, StepAction action, base::MonotonicTime at, const QString &outcome = {},
             bool isInBackground = false);
    /// Adds a step for elapsed time, unless another step already accounts for it.
    void advanceTo(base::MonotonicTime until);
    void leaveOut(const base::Text &what);

    const sequence::Sequence &m_sequence; // Not owned.
    std::map<QString, Client> m_known;
    QStringList m_clients;
    std::vector<BuiltStep> m_steps;
    QList<base::Text> m_leftOut;
    std::set<std::pair<base::Key, int>> m_ended; ///< Ended leases that a pending acquire waits for.
    std::optional<base::MonotonicTime> m_now;    ///< Time up to which events are converted.
    bool m_isOver = false;
};

} // namespace latchkey::scenarios
