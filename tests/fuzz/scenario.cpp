#include "core/stage/recordedstory.h"
#include "core/stage/scenarioreader.h"
#include "tests/fuzz/target.h"

namespace latchkey::fuzz {

/// Checks that a told story has version 2 and an alternative, and that readAnyStory() accepts it too. A refusal names
/// the file.
void fuzzToldStory(QByteArrayView bytes)
{
    const QString name = QStringLiteral("mine.json");
    const QByteArray contents = bytes.toByteArray();
    const auto story = stage::readScenario(name, contents);
    const auto any = stage::readAnyStory(name, contents);
    if (!story) {
        requireRefusal(story.error(), name);
        return;
    }
    require(stage::storyVersion(contents) == 2, "a told story has version 2");
    require(any.has_value(), "readAnyStory() reads what readToldStory() reads");
    require(!story->alternatives.empty(), "a told story has an alternative");
    for (const stage::Alternative &alternative : story->alternatives) {
        for (const stage::ScenarioStep &step : alternative.steps)
            require(step.client.isEmpty() || story->clients.contains(step.client),
                    "a step's client is one of the clients");
    }
}

} // namespace latchkey::fuzz
