#pragma once

#include "core/explore/schedules/recordedschedule.h"
#include "core/foundation/base/error.h"

namespace latchkey::schedules {

/// A violation of the rules for stories, with its place, such as `steps[3].client`.
struct ScheduleViolation
{
    QString place;
    base::Text what;
};

/// Checks whether the story is possible, as far as this can be decided without a server. Forbidden are two clients with
/// the same name, an action of a client after its crash, and an entry of a client that is already inside. Also
/// forbidden are commands after which replies do not answer commands one by one (MONITOR, HELLO 3, CLIENT REPLY, QUIT
/// and similar). Error (Usage): the violation with its place: `steps[3].client: “A” has crashed in steps[1]`.
[[nodiscard]] base::Result<void> checkSchedule(const RecordedSchedule &story);

/// As checkSchedule(), with a separate place; absent: the story is possible.
[[nodiscard]] std::optional<ScheduleViolation> violationIn(const RecordedSchedule &story);

/// The reason why a client must not send the command on a stage or in the preparation; absent: allowed. SUBSCRIBE and
/// similar commands are also forbidden there, because messages are not received.
[[nodiscard]] std::optional<base::Text> whyNotInASchedule(const resp::Command &command);

} // namespace latchkey::schedules
