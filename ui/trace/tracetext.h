#pragma once

#include "core/keyspace/keytrace.h"

#include <QString>

namespace latchkey::ui::trace {

/// A command in one line, for people: its words as they are, in quotes where a word would not be seen to be one. At
/// most about a thousand characters.
[[nodiscard]] QString commandText(const resp::Command &command);

/// What a trace has heard so far, or at its end.
struct Progress
{
    bool isUnderWay = false;
    std::optional<std::chrono::milliseconds> left; ///< Absent while it connects, and when it is over.
    qint64 heard = 0;                              ///< Commands of all clients.
    qint64 matched = 0;                            ///< Of these, the ones that have named the key.
    double perSecond = 0;                          ///< What all clients send; 0: not known yet.
    std::optional<base::Error> error;
    qint64 leftOut = 0; ///< Reads of our own that are not listed.
};

[[nodiscard]] QString progressText(const Progress &progress);

} // namespace latchkey::ui::trace
