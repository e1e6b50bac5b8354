#pragma once

#include <QString>

namespace latchkey::help {

/// How wide help is to be: COLUMNS, where that is a number from 40 on, else 80.
[[nodiscard]] int helpWidth();

/// How many columns of a terminal a text takes: Chinese characters, and their punctuation, take two each.
[[nodiscard]] qsizetype columnsOf(QStringView text);
/// The text, with spaces behind it to so many columns.
[[nodiscard]] QString padded(const QString &text, qsizetype columns);

/// A help text, filled anew to lines of at most width columns where its words allow that.
///
/// Three kinds of lines: prose, which begins at the margin; entries, which are indented and have what they describe in
/// front of two spaces, and the description below itself; and commands to copy, which are indented and broken with a
/// backslash, outside of quotes. A line of prose or of an entry that does not end a sentence goes on in the next.
[[nodiscard]] QString filled(const QString &text, int width);

} // namespace latchkey::help
