#pragma once

#include "core/base/error.h"
#include "core/resp/serverinfo.h"

#include <QString>

namespace latchkey::locks {

/// How a lock compares its token and acts on the outcome in one step.
///
/// A script does it on every server. Newer servers have single commands for it, which need no permission for EVAL.
/// Where a server refuses the single command after all, the script is asked instead: see
/// exchange::ScriptCall::rather().
enum class CompareForm : quint8 {
    Script,  ///< EVALSHA, or EVAL.
    DelIfEq, ///< DELIFEQ, and SET … IFEQ: Valkey from 9.0 on.
    DelEx,   ///< DELEX … IFEQ, and SET … IFEQ: Redis from 8.4 on.
};

/// `script`, `delifeq`, `delex`.
[[nodiscard]] QString compareFormId(CompareForm form);
/// Error Usage, which names those that there are.
[[nodiscard]] base::Result<CompareForm> findCompareForm(const QString &id);

/// Which one is worth a try at a server that says this of itself; the try decides. Script where it does not say.
[[nodiscard]] CompareForm likelyCompareForm(const resp::ServerInfo &server);

} // namespace latchkey::locks
