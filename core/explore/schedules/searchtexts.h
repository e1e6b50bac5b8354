#pragma once

#include "core/explore/schedules/faultlimits.h"
#include "core/foundation/base/text.h"

#include <QLocale>
#include <QString>

// The texts about a search of the race finder that the command line and the window share.

namespace latchkey::schedules {

/// The degree of control that a search has over the time of a program.
enum class ClockControl : quint8 { Controlled, PartlyControlled, NotControlled };

/// Returns the id in explore --json: `partly-controlled`.
[[nodiscard]] QString clockControlId(ClockControl control);
/// Returns the control with this id; NotControlled for any other text.
[[nodiscard]] ClockControl clockControlFrom(const QString &id);

/// Returns the title of a story of the race finder. `promise`: empty for a story in which a client waits forever.
[[nodiscard]] base::Text titleText(const QString &subject, const QString &promise);
/// Formats a count: exactly if a double can represent it, otherwise as an order of magnitude.
[[nodiscard]] QString countText(double count, const QLocale &locale = {});
[[nodiscard]] QString clientsText(int clients);
/// Returns the limits of a search: `2 clients with at most 1 crash, 1 expiration`. `servers`: those of each process.
[[nodiscard]] QString limitsText(int clients, int servers, const FaultLimits &limits);
/// Returns a sentence about the clock for which the verdicts are valid.
[[nodiscard]] QString clockText(ClockControl control);
/// Returns a sentence about clients that failed. `printed`: the last line of one of them; empty without output.
[[nodiscard]] QString failedEndText(int exitCode, const QString &printed);
/// Returns a sentence for a search in which no client ended.
[[nodiscard]] QString noEndText();
/// Returns a sentence about clients that looped forever. `repetitions`: number after which they were treated as
/// looping.
[[nodiscard]] QString livelockText(int repetitions, const QString &alone);

/// Returns a sentence about clients that wait busily; see races::ExternalProgram::hasBusyWait().
[[nodiscard]] QString busyWaitText();
/// Returns a sentence about clients that retry often; see races::ExternalProgram::lateRetries().
[[nodiscard]] QString lateRetriesText(int retries);

/// Returns the definitions of all promises of recipes, one per line.
[[nodiscard]] QString promiseDefinitions();
/// Returns the definition of a promise of a recipe or of a program. Empty for an unknown id.
[[nodiscard]] QString promiseDefinition(const QString &id);

} // namespace latchkey::schedules
