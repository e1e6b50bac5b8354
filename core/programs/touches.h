#pragma once

#include "core/races/foreign.h"

namespace latchkey::programs {

/// What one command did with the key. hasChanged: the key holds something else than before, or has come or gone.
/// A command that failed, or changed nothing, writes nothing; one that writes the value that is there writes.
[[nodiscard]] races::Touch touchOf(const QByteArray &key, const resp::Command &command, const resp::Reply &reply,
                                   bool hasChanged);

} // namespace latchkey::programs
