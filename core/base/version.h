#pragma once

#include <QString>

namespace latchkey::base {

/// This program's version, as CMakeLists.txt has it.
[[nodiscard]] inline QString programVersion()
{
    return QStringLiteral(LATCHKEY_VERSION);
}

} // namespace latchkey::base
