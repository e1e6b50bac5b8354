#pragma once

#include <QString>

namespace latchkey::base {

/// Whether a terminal shows the character, rather than acts upon it: it is no control character, no separator of lines
/// or paragraphs, and no mark that turns the direction of text. Either half of a surrogate pair counts as shown.
[[nodiscard]] bool isShownByTerminals(QChar character);

/// A sentence for a terminal, on one line: a character that terminals do not show is written as \xNN, its bytes in
/// UTF-8.
///
/// For whole messages, into which a URL, a file's name or an environment variable may have brought anything. It leaves
/// backslashes alone, so it does no harm to what printable() has made; unlike that it cannot be told from its source.
[[nodiscard]] QString terminalText(const QString &text);

/// From now on what Qt and the library log is written to standard error as terminalText().
void logAsTerminalText();

} // namespace latchkey::base
