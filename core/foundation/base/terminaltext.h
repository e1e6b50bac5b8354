#pragma once

#include <QString>

namespace latchkey::base {

/// Returns whether a terminal displays the character instead of interpreting it. False for control characters, line and
/// paragraph separators, and marks that change the direction of text. Half of a surrogate pair counts as displayed.
[[nodiscard]] bool isShownByTerminals(QChar character);

/// Returns a sentence for a terminal, on one line. Characters that terminals do not display are written as \xNN, with
/// their bytes in UTF-8.
///
/// For whole messages, which may contain anything from a URL, a file name or an environment variable. Backslashes are
/// unchanged, so results of printable() stay intact. Unlike printable(), the result cannot be converted back.
[[nodiscard]] QString terminalText(const QString &text);

/// Writes all further log messages of Qt and the library to standard error as terminalText().
void logAsTerminalText();

} // namespace latchkey::base
