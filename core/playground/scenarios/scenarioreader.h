#pragma once

#include "core/playground/scenarios/scenario.h"

namespace latchkey::scenarios {

/// Reads a story file of version 2. The format is described in resources/stories/README.md.
///
/// Checks everything that is decidable without playing: unknown members, unknown clients, recipes and the options that
/// they support. Also rejects steps that cannot happen (the client is dead, paused or still busy) and impossible
/// outcomes. `name`: file name for error messages. Error (Usage): `mine.json:12: steps[3].client: “Eve” is not among
/// the clients`.
[[nodiscard]] base::Result<Scenario> readScenario(const QString &name, const QByteArray &contents);

/// Returns the format version of the file; 0 if it is not a story.
[[nodiscard]] int storyVersion(const QByteArray &contents);

} // namespace latchkey::scenarios
