#pragma once

#include "core/keyspace/observation.h"

#include <QHash>
#include <QJsonArray>
#include <QJsonValue>

#include <optional>

namespace latchkey::recording {

/// So many keys have numbers; then the numbers begin anew, by which a recorder of a server with ever new keys stays
/// small.
inline constexpr qsizetype mostKeys = 65'536;

/// Times in nanoseconds since this one; null for a time that is unknown, and for a deadline that never comes.
[[nodiscard]] QJsonValue timeJson(base::MonotonicTime time, base::MonotonicTime zero);
[[nodiscard]] base::MonotonicTime timeFrom(const QJsonValue &json);

[[nodiscard]] QJsonValue bytesJson(const QByteArray &bytes);
/// Absent where it is neither.
[[nodiscard]] std::optional<QByteArray> bytesFrom(const QJsonValue &json);

/// `[type, size, [parts…]]`
[[nodiscard]] QJsonArray valueJson(const keys::RawValue &value);
[[nodiscard]] std::optional<keys::RawValue> valueFrom(const QJsonArray &json, qsizetype first, bool isLeftOut);

[[nodiscard]] QJsonValue deadlineJson(const base::Deadline &deadline, base::MonotonicTime zero);
[[nodiscard]] base::Deadline deadlineFrom(const QJsonValue &at, const QJsonValue &uncertainty);

/// The letter of where it came from, see observationsJson().
[[nodiscard]] char sourceLetter(const keyspace::Observation &seen);
/// Sets where it came from. False, and nothing is set, where that is no such letter.
[[nodiscard]] bool setSource(keyspace::Observation &seen, QByteArrayView letter);

/// `[[key, source, asked, answered, what, …]…]`
///
/// key is bytes, which from then on have a number, counted from 0; or such a number. null in front of the list: the
/// numbers begin anew. source is the first letter of Scan, Poll, Read, Event, Act or Notice, a capital where it was
/// inferred. asked and answered are how long ago that was at the time of the line. what is `met`, `ends` with the
/// deadline, its uncertainty and true if it is new, `gone`, `hidden`, `type` with its name, `value` with type, size and
/// parts, `told` with the event's word, or `fields` of a hash: `[[field, deadline, its uncertainty]…]`, how many end,
/// how many were asked, how many there are, whether all were asked, and the last deadline with its uncertainty.
[[nodiscard]] QJsonArray observationsJson(const keyspace::Observations &observations, base::MonotonicTime at,
                                          base::MonotonicTime zero, QHash<QByteArray, qint64> &keys);
/// Absent where it is not like that.
[[nodiscard]] std::optional<keyspace::Observations> observationsFrom(const QJsonArray &json, base::MonotonicTime at,
                                                                     QList<QByteArray> &keys, bool isLeftOut);

} // namespace latchkey::recording
