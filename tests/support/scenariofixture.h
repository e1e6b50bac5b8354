#pragma once

#include "core/playground/scenarios/scenarioplayer.h"
#include "core/playground/scenarios/scenarioreader.h"
#include "tests/support/await.h"

namespace latchkey::test {

/// A story, read from the text of its file, and a player that runs the story at 50 times the normal speed.
///
/// For tests that link latchkey::scenarios.
class ScenarioFixture final
{
public:
    /// Reads the story. Aborts the test program if the text is no valid story.
    explicit ScenarioFixture(const QByteArray &contents, std::size_t alternative = 0)
    {
        player.setSpeed(50);
        const auto scenario = scenarios::readScenario(QStringLiteral("story.json"), contents);
        if (!scenario)
            qFatal("%s", qPrintable(scenario.error().message()));
        player.load(*scenario, alternative);
    }

    /// Plays the story to its end. Returns false if the end is not reached in time.
    [[nodiscard]] bool play()
    {
        player.play();
        return waitFor([this] { return player.state() == scenarios::ScenarioPlayer::State::Over; });
    }

    /// Returns every difference between the story and the actual replies, one per line, and the error if there is one.
    [[nodiscard]] QString complaints() const
    {
        QStringList lines;
        for (const scenarios::StepResult &result : player.results()) {
            for (const base::Text &difference : result.differences)
                lines += difference.toString();
        }
        if (player.error())
            lines += player.error()->message();
        return lines.join(u'\n');
    }

    scenarios::ScenarioPlayer player {QStringLiteral(LATCHKEY_CLI), base::SystemClock::instance(),
                                      base::SystemRandom::instance()};
};

} // namespace latchkey::test
