#pragma once

#include "core/keyspace/events/coverage.h"

#include <QJsonObject>

namespace latchkey::recording {

/// Converts the members of a coverage that differ from those of `before`; all members if `before` is absent:
///
/// * `all`: whether all keys were read; `looked_at` and `of`: numbers of keys, `of` null if unknown.
/// * `denied`: `[[question, kind, why, some_keys]…]`.
/// * `unread`: number of values that wait to be read.
/// * `lag`: in nanoseconds.
/// * `keep`: the number of known intervals that stay; `blind`: those that follow, `[[from, to, kind, why, question]…]`.
///   `to` is null while the interval lasts, and `question` is null if no request was answered.
///
/// `question` and `kind` are the numbers of a KeyRequest and an ErrorKind, and `why` is a Text.
[[nodiscard]] QJsonObject coverageJson(const events::Coverage::Parts &now,
                                       const std::optional<events::Coverage::Parts> &before, base::MonotonicTime zero);
/// Changes the members that are in the object. Returns false if the format does not match or a time is impossible; the
/// parts are then undefined.
[[nodiscard]] bool readCoverage(const QJsonObject &json, events::Coverage::Parts &parts);

} // namespace latchkey::recording
