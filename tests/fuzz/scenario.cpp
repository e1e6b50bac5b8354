#include "core/playground/scenarios/scenarioreader.h"
#include "core/playground/scenarios/schedulescenario.h"
#include "tests/fuzz/target.h"

namespace latchkey::fuzz {

/// Checks that a scenario has version 2 and an alternative, and that readAnyStory() accepts it too. A refusal names
/// the file.
void fuzzScenario(QByteArrayView bytes)
{
    const QString name = QStringLiteral("mine.json");
    const QByteArray contents = bytes.toByteArray();
    const auto scenario = scenarios::readScenario(name, contents);
    const auto any = scenarios::readAnyStory(name, contents);
    if (!scenario) {
        requireRefusal(scenario.error(), name);
        return;
    }
    require(scenarios::storyVersion(contents) == 2, "a scenario has version 2");
    require(any.has_value(), "readAnyStory() reads what readScenario() reads");
    require(!scenario->alternatives.empty(), "a told story has an alternative");
    for (const scenarios::Alternative &alternative : scenario->alternatives) {
        for (const scenarios::ScenarioStep &step : alternative.steps)
            require(step.client.isEmpty() || scenario->clients.contains(step.client),
                    "a step's client is one of the clients");
    }
}

} // namespace latchkey::fuzz
