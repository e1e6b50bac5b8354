#pragma once

#include "core/inspect/inspection/servercheck.h"
#include "core/redis/connections/savedconnection.h"
#include "ui/kit/theme/theme.h"
#include "ui/kit/widgets/pill.h"

#include <QString>

namespace latchkey::ui::connections {

/// Longest time without a reply to PING before the server counts as not responding.
inline constexpr std::chrono::milliseconds maxSilence {2500};

/// Returns the text in the language of the window. Empty for Unspecified and None.
[[nodiscard]] QString textOf(latchkey::connections::Environment environment);
[[nodiscard]] QString textOf(latchkey::connections::ColourMark mark);
[[nodiscard]] widgets::Pill::Tone toneOf(latchkey::connections::Environment environment);
/// Returns the colour of a mark. Invalid for no mark.
[[nodiscard]] QColor colourOf(latchkey::connections::ColourMark mark, const theme::Theme &theme);

/// Returns the result of a test as sentences, a line for each subject: version and role, rights, events, and what is
/// possible.
[[nodiscard]] QString textOf(const inspection::ServerCheck &check, const resp::ServerInfo &server,
                             std::chrono::nanoseconds roundTrip);
/// Returns whether everything that watching needs is permitted.
[[nodiscard]] bool canWatch(const inspection::ServerCheck &check);

} // namespace latchkey::ui::connections
