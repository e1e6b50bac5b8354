#pragma once

#include "app/cli/exitcode.h"
#include "core/stage/scenarioplayer.h"

namespace latchkey::cli {

/// A printer of a story on standard output, as text or with a JSON object per step, while a ScenarioPlayer plays it.
/// Owned by the command.
class StoryTeller final
{
public:
    explicit StoryTeller(bool asJson)
        : m_asJson(asJson)
    {}

    void tellTitle(const stage::Scenario &story) const;
    void tellAlternative(const stage::Alternative &alternative) const;
    void tellStep(const stage::Alternative &alternative, const stage::StepResult &result) const;
    /// Prints how an alternative ended.
    void tellVerdict(const stage::ScenarioPlayer &player) const;
    void tellEnd(const stage::Scenario &story, stage::ScenarioVerdict verdict) const;

private:
    void printStep(const stage::ScenarioStep &step, const stage::StepResult &result) const;

    const bool m_asJson;
};

} // namespace latchkey::cli
