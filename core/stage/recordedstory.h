#pragma once

#include "core/stage/toldstory.h"
#include "core/stories/story.h"

namespace latchkey::stage {

/// A recorded story, such as a counterexample of the race finder's, as one that is told with clients: each uses the
/// recipe itself, and is held before every command, so that the same happens in the same order.
///
/// What the recipe sends is its own affair: the record only says which of the clients goes on. That it is the same
/// command, and is answered alike, is expected of each step, and so is who is inside. What differs is what nobody can
/// know beforehand: tokens, and dates. A lease that lapses is cut by the player, since it is hours long; clocks that
/// pass a deadline are the clients' own, moved.
/// A program that is none of our recipes is another matter: see toldFromProgram().
/// Error (Usage): the record does not say which operations its clients begin, on which key, or the recipe is none of
/// the program's. The format: resources/stories/README.md.
[[nodiscard]] base::Result<ToldStory> toldFrom(const stories::Story &story);

/// What a story file of either version holds. name: the file's, for complaints. Error: as those of readToldStory() and
/// toldFrom().
[[nodiscard]] base::Result<ToldStory> readAnyStory(const QString &name, const QByteArray &contents);

} // namespace latchkey::stage
