#pragma once

#include "core/playground/scenarios/expectationchecker.h"
#include "core/playground/scenarios/resource.h"
#include "core/playground/scenarios/scenariorun.h"
#include "core/playground/scenarios/stepresult.h"

namespace latchkey::scenarios {

/// The evaluator of the completed steps of a story: it reads the expected keys, and compares the observed state with
/// the expectations of the step.
///
/// It also has the observations that no server keeps: the writes to the resource, the recomputed values, and the
/// commands since the previous step. Owned by the player. The run is not owned. It ends no step.
class StepEvaluator final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(StepEvaluator)

public:
    explicit StepEvaluator(ScenarioRun &run);

    /// Forgets all observations.
    void restart();
    /// Follows the answers and commands of the clients of the run.
    void follow(ScenarioClients &clients);
    /// Evaluates a completed step. `position`: its index. The step must stay valid until evaluated().
    void evaluate(const ScenarioStep &step, std::size_t position);
    /// Returns the result of a step that cannot happen.
    [[nodiscard]] StepResult refusal(const ScenarioStep &step, std::size_t position, const base::Text &difference);

Q_SIGNALS:
    void evaluated(const latchkey::scenarios::StepResult &result);
    /// Emitted if the step cannot be evaluated.
    void failed(const latchkey::base::Error &error);
    /// Emitted for each command as it happens.
    void exchanged(const latchkey::scenarios::CommandRecord &exchanged);

private:
    void noteAnswer(const QString &client, const playground::ClientReport &report);
    void readKeys();
    void checkKeys(const std::vector<ObservedKey> &keys);
    /// Applies the effects of the step on its client (inside, crash, lost reply) and on the story's time.
    void applyEffects();
    [[nodiscard]] QString outcome() const;
    [[nodiscard]] ObservedState observe(const std::vector<ObservedKey> &keys) const;

    ScenarioRun &m_run;
    const ScenarioStep *m_step = nullptr; ///< Step that is evaluated. Not owned.
    std::size_t m_position = 0;
    Resource m_resource;
    std::map<QString, bool> m_isTaken; ///< Whether each client's last write was accepted.
    int m_recomputed = 0;
    std::vector<CommandRecord> m_exchanged;
};

} // namespace latchkey::scenarios
