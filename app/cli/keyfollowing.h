#pragma once

#include "app/cli/exitcode.h"
#include "app/cli/historyoutput.h"
#include "app/cli/limits.h"
#include "core/foundation/base/lease.h"
#include "core/redis/net/endpoint.h"

#include <functional>

namespace latchkey::cli {

/// Observes one key for some time, or until a signal. Prints its history with its coverage. `name`: operation and key,
/// for messages.
[[nodiscard]] ExitCode followKey(const net::Endpoint &endpoint, const Limits &limits, const base::Key &key,
                                 std::chrono::milliseconds time, const QString &name,
                                 const std::function<void(const ObservedHolds &, const events::Coverage &)> &print);

} // namespace latchkey::cli
