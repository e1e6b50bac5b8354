#pragma once

#include "core/explore/schedules/recordedschedule.h"

#include <QJsonArray>

namespace latchkey::schedules {

/// Writes a story as a file: JSON in UTF-8, readable by people and playable by any program.
///
/// The format is described in resources/stories/README.md, with an example. checkSchedule() defines which stories are
/// valid.
/// The notes of the steps are English.
[[nodiscard]] QByteArray toFile(const RecordedSchedule &schedule);

/// Converts a story for another process of this program, which shows the notes in its own language: the content of a
/// file, with the notes as base::Text::toJson().
[[nodiscard]] QJsonObject toTranslatableJson(const RecordedSchedule &schedule);

/// Reads a story from a file. Error (Usage): invalid JSON or an impossible story, with the location: `steps[3].command:
/// not an array`. `name`: file name; if given, the error begins with it and the line.
[[nodiscard]] base::Result<RecordedSchedule> fromFile(const QByteArray &contents, const QString &name = {});

/// Returns the "beforehand" member of a file.
[[nodiscard]] QJsonArray toJson(const resp::Commands &commands);

/// Returns the "steps" member of a file.
[[nodiscard]] QJsonArray toJson(const std::vector<ScheduleStep> &steps);

} // namespace latchkey::schedules
