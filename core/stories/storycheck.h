#pragma once

#include "core/base/error.h"
#include "core/stories/story.h"

namespace latchkey::stories {

/// What cannot be in a story, and where: `steps[3].client`.
struct Misfit
{
    QString place;
    base::Text what;
};

/// Whether the story can happen at all, as far as that can be told without a server. It cannot where two clients have
/// one name, a client does something after its crash, or comes inside twice, or a command changes the conversation so
/// that replies no longer answer commands one by one (MONITOR, HELLO 3, CLIENT REPLY, QUIT and their kind).
/// Error (Usage): what cannot be, and where: `steps[3].client: “A” has crashed in steps[1]`.
[[nodiscard]] base::Result<void> checkStory(const Story &story);

/// The same, with the place by itself; absent: the story can happen.
[[nodiscard]] std::optional<Misfit> misfitIn(const Story &story);

/// Why a client may not send this in a story that is told on a stage, or beforehand; absent: it may. There SUBSCRIBE
/// and its kind are among these as well: nobody takes messages there.
[[nodiscard]] std::optional<base::Text> whyNotInAStory(const resp::Command &command);

} // namespace latchkey::stories
