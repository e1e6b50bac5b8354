#pragma once

#include "core/inspect/inspection/inspectedserver.h"

#include <QJsonObject>
#include <QStringList>

#include <vector>

// The rows of exported tables as JSON objects, and their columns for files::TableText. Keys and holders are as in
// files::insertBytes(). Values of keys are not exported.

namespace latchkey::exports {

/// Returns the columns of a table of keys: those of `ls -o csv`.
[[nodiscard]] QStringList keyColumns();
/// Returns a live key as `ls -o json` prints it. `now`: time for which the remaining time is calculated.
[[nodiscard]] QJsonObject keyRow(inspection::InspectedServer &server, keys::KeyId id, base::MonotonicTime now);

/// Inserts the expiries of a hash's fields: `fields: {size, asked, whole, ending, first: [{field, pttl_ms}]}`. Inserts
/// nothing if no field is known to expire.
void insertFieldEnds(QJsonObject &row, const keys::FieldDeadlines &ends, base::MonotonicTime now);

[[nodiscard]] QStringList findingColumns();
/// Returns the findings for a key, the most severe first, with their texts in the current language. Empty if the key is
/// not a lock.
[[nodiscard]] std::vector<QJsonObject> findingRows(const inspection::InspectedServer &server, const QByteArray &key);

[[nodiscard]] QStringList holdColumns();
/// Returns the known holds of a lock, the oldest first, as in the history of `why --json`.
[[nodiscard]] std::vector<QJsonObject> holdRows(const inspection::InspectedServer &server, const QByteArray &key);

[[nodiscard]] QStringList endedColumns();
/// Returns a key that has ended: `{key, `ended`: expired|removed|expired-or-removed|flushed, count, at_ms, deadline_ms,
/// late_ms, known: event|look|own-command|scan, until_ms, reason}`. `late_ms` is an upper bound unless `known` is
/// `event`.
[[nodiscard]] QJsonObject endedRow(const inspection::InspectedServer &server, const keys::EndedKey &ended);
/// Returns the gaps of the last hour, in the same columns: `ended` is `not-seen` for an interval without observations,
/// and `not-reported` for one without change events.
[[nodiscard]] std::vector<QJsonObject> gapRows(inspection::InspectedServer &server);

} // namespace latchkey::exports
