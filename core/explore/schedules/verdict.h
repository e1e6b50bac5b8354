#pragma once

#include <QString>

namespace latchkey::schedules {

/// The verdict of the race finder on a promise.
enum class Verdict : quint8 { Holds, Broken, NotApplicable };

/// Returns the id of a verdict, as in explore --json: `not-applicable`.
[[nodiscard]] QString verdictId(Verdict verdict);
/// Returns the verdict with this id; NotApplicable for any other text.
[[nodiscard]] Verdict verdictFrom(const QString &id);

} // namespace latchkey::schedules
