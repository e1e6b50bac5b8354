#pragma once

#include "core/explore/schedules/recordedschedule.h"
#include "core/foundation/base/error.h"

namespace latchkey::schedules {

/// A violation of the rules for stories, with its location, such as `steps[3].client`.
struct ScheduleViolation
{
    QString location;
    base::Text what;
};

/// Checks whether the story is possible, as far as this can be decided without a server. The rules: every client has a
/// unique, non-empty name. No client acts after its crash. A client enters only when outside and leaves only when
/// inside. No command makes the server stop answering commands one by one (MONITOR, HELLO 3, CLIENT REPLY, QUIT and
/// similar). Error (Usage): the violation with its location: `steps[3].client: “A” has crashed in steps[1]`.
[[nodiscard]] base::Result<void> checkSchedule(const RecordedSchedule &schedule);

/// Returns the first violation found by the same checks as checkSchedule(); absent: the story is possible.
[[nodiscard]] std::optional<ScheduleViolation> violationIn(const RecordedSchedule &schedule);

/// Returns why the command must not be part of a scenario, or of the preparation of a story. Absent if it may.
/// SUBSCRIBE and similar commands are also forbidden there, because messages are not received.
[[nodiscard]] std::optional<base::Text> forbiddenReason(const resp::Command &command);

} // namespace latchkey::schedules
