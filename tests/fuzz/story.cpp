#include "core/explore/schedules/schedulefile.h"
#include "tests/fuzz/target.h"

namespace latchkey::fuzz {

/// Checks that a story, once read and written, is read as the same story. A refusal names the file.
void fuzzStory(QByteArrayView bytes)
{
    const QString name = QStringLiteral("mine.json");
    const auto schedule = schedules::fromFile(bytes.toByteArray(), name);
    if (!schedule) {
        requireRefusal(schedule.error(), name);
        return;
    }
    const auto again = schedules::fromFile(schedules::toFile(*schedule));
    require(again.has_value(), "a story that was written is a story");
    require(*again == *schedule, "a story that was written is read as it was");
}

} // namespace latchkey::fuzz
