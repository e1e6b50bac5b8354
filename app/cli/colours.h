#pragma once

#include <QString>

namespace latchkey::cli {

/// The colour of a text on a terminal.
enum class Colour : quint8 { None, Title, Problem, Caution, Good };

/// Returns whether standard output shows colours: it is a terminal with control sequences (TERM is not `dumb`), and
/// NO_COLOR is not set (no-color.org).
[[nodiscard]] bool hasColours();

/// Returns the text between the control sequences of the colour, if standard output shows colours.
[[nodiscard]] QString coloured(const QString &text, Colour colour);

} // namespace latchkey::cli
