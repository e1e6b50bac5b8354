#pragma once

#include "core/races/foreign.h"

namespace latchkey::programs {

/// What one command did with the key. hasChanged: the key holds something else than before, or has come or gone.
/// text: what it holds now, where that is a string. A command that failed, or changed nothing, writes nothing; one that
/// writes the value that is there writes. A script overwrites where it has stored one of the words that it was given;
/// what it has worked out itself it has worked out from what was there.
[[nodiscard]] races::Touch touchOf(const QByteArray &key, const resp::Command &command, const resp::Reply &reply,
                                   bool hasChanged, const QByteArray &text);

} // namespace latchkey::programs
