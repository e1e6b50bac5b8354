#pragma once

#include <QString>

namespace latchkey::base {

/// Returns this program's version, as set in CMakeLists.txt.
[[nodiscard]] inline QString programVersion()
{
    return QStringLiteral(LATCHKEY_VERSION);
}

} // namespace latchkey::base
