#pragma once

#include "core/foundation/base/error.h"
#include "core/redis/resp/serverinfo.h"

#include <QString>

namespace latchkey::locks {

/// The method by which a lock compares its token and acts on the result atomically.
///
/// A script works on every server. Newer servers have single commands, which need no permission for EVAL. If a server
/// refuses the single command, the script is used instead; see exchange::ScriptCall::orSingleCommand().
enum class CompareForm : quint8 {
    Script,  ///< EVALSHA, or EVAL.
    DelIfEq, ///< DELIFEQ, and SET … IFEQ: Valkey 9.0 and later.
    DelEx,   ///< DELEX … IFEQ, and SET … IFEQ: Redis 8.4 and later.
};

/// Returns the id: `script`, `delifeq`, `delex`.
[[nodiscard]] QString compareFormId(CompareForm form);
/// Returns the form with this id. Error (Usage): unknown id; the error lists the valid ids.
[[nodiscard]] base::Result<CompareForm> findCompareForm(const QString &id);

/// Returns the form that a server with this INFO probably supports; the server's reply to the first command decides.
/// Script if the server's product or version is unknown.
[[nodiscard]] CompareForm likelyCompareForm(const resp::ServerInfo &server);

} // namespace latchkey::locks
