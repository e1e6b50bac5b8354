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
    const auto story = scenarios::readScenario(name, contents);
    const auto any = scenarios::readAnyStory(name, contents);
    if (!story) {
        requireRefusal(story.error(), name);
        return;
    }
    require(scenarios::storyVersion(contents) == 2, "a scenario has version 2");
    require(any.has_value(), "readAnyStory() reads what readScenario() reads");
    require(!story->alternatives.empty(), "a told story has an alternative");
    for (const scenarios::Alternative &alternative : story->alternatives) {
        for (const scenarios::ScenarioStep &step : alternative.steps)
            require(step.client.isEmpty() || story->clients.contains(step.client),
                    "a step's client is one of the clients");
    }
}

} // namespace latchkey::fuzz
