#pragma once

#include "core/explore/races/externalprogram.h"

namespace latchkey::programs {

/// Classifies how one command uses the key. `hasChanged`: whether the key's content changed, or the key was created
/// or removed. `text`: value after the command, if it is a string. A failed command writes nothing. A command that
/// changes nothing does not write either, unless it stores an equal value. A script overwrites if the influence shows
/// it; if that is unknown, if it stored one of its arguments.
[[nodiscard]] races::ResourceAccess accessOf(const QByteArray &key, const resp::Command &command,
                                             const resp::Reply &reply, bool hasChanged, const QByteArray &text,
                                             const races::KeyInfluence &influence);

} // namespace latchkey::programs
