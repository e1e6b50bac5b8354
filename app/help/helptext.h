#pragma once

#include <QString>

namespace latchkey::help {

/// Returns the width of help texts in columns: COLUMNS if it is a number of at least 40, else 80.
[[nodiscard]] int helpWidth();

/// Returns the number of terminal columns of a text. Chinese characters and punctuation take two columns each.
[[nodiscard]] qsizetype columnsOf(QStringView text);
/// Returns the text, padded with spaces to `columns`.
[[nodiscard]] QString padded(const QString &text, qsizetype columns);

/// Fills a help text into lines of at most `width` columns, as far as its words allow.
///
/// There are three kinds of lines. Prose starts at the margin. Entries are indented, with two spaces between term and
/// description, and the description continues below its start. Commands to copy are indented and break with a
/// backslash, outside quotes. A line of prose or of an entry that does not end a sentence continues in the next line.
[[nodiscard]] QString filled(const QString &text, int width);

} // namespace latchkey::help
