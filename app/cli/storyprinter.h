#pragma once

#include "app/cli/exitcode.h"
#include "core/playground/scenarios/scenarioplayer.h"

namespace latchkey::cli {

/// A printer of a story on standard output, as text or with a JSON object per step, while a ScenarioPlayer plays it.
/// Owned by the command.
class StoryPrinter final
{
public:
    explicit StoryPrinter(bool asJson)
        : m_asJson(asJson)
    {}

    void printTitle(const scenarios::Scenario &scenario) const;
    void printAlternative(const scenarios::Alternative &alternative) const;
    void printStep(const scenarios::Alternative &alternative, const scenarios::StepResult &result) const;
    /// Prints the outcome of an alternative.
    void printVerdict(const scenarios::ScenarioPlayer &player) const;
    void printEnd(const scenarios::Scenario &scenario, scenarios::ScenarioVerdict verdict) const;

private:
    void printStep(const scenarios::ScenarioStep &step, const scenarios::StepResult &result) const;

    const bool m_asJson;
};

} // namespace latchkey::cli
