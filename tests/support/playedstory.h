#pragma once

#include "core/stage/storyplayer.h"
#include "core/stage/toldfile.h"
#include "tests/support/await.h"

namespace latchkey::test {

/// A story, as the text of its file, and a player of it that is much faster than a class could follow.
///
/// For tests that link latchkey::stage.
class PlayedStory final
{
public:
    /// Aborts the test program where the text is no story.
    explicit PlayedStory(const QByteArray &contents, std::size_t alternative = 0)
    {
        player.setSpeed(50);
        const auto story = stage::readToldStory(QStringLiteral("story.json"), contents);
        if (!story)
            qFatal("%s", qPrintable(story.error().message()));
        player.load(*story, alternative);
    }

    /// To its end; false where that does not come.
    [[nodiscard]] bool play()
    {
        player.play();
        return waitFor([this] { return player.state() == stage::StoryPlayer::State::Over; });
    }

    /// Every sentence about what was not as told, in a line each, and the error where there is one.
    [[nodiscard]] QString complaints() const
    {
        QStringList lines;
        for (const stage::StepResult &result : player.results()) {
            for (const base::Text &difference : result.differences)
                lines += difference.toString();
        }
        if (player.error())
            lines += player.error()->message();
        return lines.join(u'\n');
    }

    stage::StoryPlayer player {QStringLiteral(LATCHKEY_CLI), base::SystemClock::instance(),
                               base::SystemRandom::instance()};
};

} // namespace latchkey::test
