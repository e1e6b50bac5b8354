#pragma once

#include <QString>

namespace latchkey::help {

/// Returns the answer to `--version`: the program's name and version, its commit, and the versions of Qt and hiredis.
/// The commit is missing if the program was built outside a git checkout.
[[nodiscard]] QString versionText(const QString &program);

} // namespace latchkey::help
