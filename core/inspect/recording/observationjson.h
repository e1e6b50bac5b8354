#pragma once

#include "core/keyspace/events/observation.h"

#include <QHash>
#include <QJsonArray>
#include <QJsonValue>

#include <optional>

namespace latchkey::recording {

/// Maximum number of numbered keys, after which numbering restarts. A recording of a server with ever new keys then
/// needs bounded memory.
inline constexpr qsizetype maxKeys = 65'536;

/// Converts times to nanoseconds since `zero`. An unknown time and a missing deadline are null. The inverse function is
/// timeFrom(), for the clock of a replay.
[[nodiscard]] QJsonValue timeJson(base::MonotonicTime time, base::MonotonicTime zero);
[[nodiscard]] base::MonotonicTime timeFrom(const QJsonValue &json);

/// Converts to `[type, size, [parts…]]`.
[[nodiscard]] QJsonArray valueJson(const keys::RawValue &value);
[[nodiscard]] std::optional<keys::RawValue> valueFrom(const QJsonArray &json, qsizetype first, bool isLeftOut);

[[nodiscard]] QJsonValue deadlineJson(const base::Deadline &deadline, base::MonotonicTime zero);
[[nodiscard]] base::Deadline deadlineFrom(const QJsonValue &at, const QJsonValue &uncertainty);

/// Returns the letter of the observation's source, see observationsJson().
[[nodiscard]] char sourceLetter(const events::Observation &observation);
/// Sets the source. Returns false, without a change, if the letter is unknown.
[[nodiscard]] bool setSource(events::Observation &observation, QByteArrayView letter);

/// Converts observations to `[[key, source, asked, answered, what, …]…]`.
///
/// `key`: the bytes of a new key, which gets the next number, counted from 0; or the number of an earlier key.
/// A null as an element of the list restarts the numbering.
/// `source`: the first letter of Scan, Poll, Read, Event, Act or Notification; a capital if the observation was
/// inferred. `asked` and `answered`: nanoseconds before the time of the line. `what` is one of these, with its data:
/// * `met`; `gone`; `hidden`
/// * `ends`: the deadline, its uncertainty, and true if the key is new
/// * `type`: the name of the type
/// * `value`: type, size and parts
/// * `told`: the word of the event
/// * `fields` of a hash: `[[field, deadline, uncertainty]…]`, the numbers of ending, asked and all fields, whether all
/// were asked, the last deadline and its uncertainty
[[nodiscard]] QJsonArray observationsJson(const events::Observations &observations, base::MonotonicTime at,
                                          base::MonotonicTime zero, QHash<QByteArray, qint64> &keys);
/// Converts back. Absent if the format does not match.
[[nodiscard]] std::optional<events::Observations> observationsFrom(const QJsonArray &json, base::MonotonicTime at,
                                                                   QList<QByteArray> &keys, bool isLeftOut);

} // namespace latchkey::recording
