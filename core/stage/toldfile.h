#pragma once

#include "core/stage/toldstory.h"

namespace latchkey::stage {

/// What a story file of version 2 holds; the format is described in resources/stories/README.md.
///
/// All that can be told without playing is checked: members that do not exist, clients that are nobody, recipes and
/// what they have a use for, steps that cannot come about (of a client that is dead, asleep or still at its last
/// order), and outcomes that what is done cannot have.
/// name: the file's, for complaints. Error (Usage): `mine.json:12: steps[3].client: “Eve” is not among the clients`.
[[nodiscard]] base::Result<ToldStory> readToldStory(const QString &name, const QByteArray &contents);

/// Which version of the format a file says it has; 0 where it is no story at all.
[[nodiscard]] int storyVersion(const QByteArray &contents);

} // namespace latchkey::stage
