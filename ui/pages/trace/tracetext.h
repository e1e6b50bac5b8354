#pragma once

#include "core/keyspace/watching/keytrace.h"

#include <QString>

namespace latchkey::ui::trace {

/// Formats a command in one line. Arguments are printable, and quoted if they are empty or contain spaces or quotes.
/// The result has at most about 1000 characters.
[[nodiscard]] QString commandText(const resp::Command &command);

/// The progress or the result of a trace.
struct TraceProgress
{
    bool isActive = false;
    std::optional<std::chrono::milliseconds> left; ///< Absent during the connection, and after the end.
    qint64 received = 0;                           ///< Number of commands of all clients.
    qint64 matched = 0;                            ///< Number of commands that name the key.
    double perSecond = 0;                          ///< Rate of the commands of all clients per second; 0 if unknown.
    std::optional<base::Error> error;
    qint64 leftOut = 0; ///< Number of Latchkey's own reads that are not listed.
};

[[nodiscard]] QString progressText(const TraceProgress &progress);

} // namespace latchkey::ui::trace
