#pragma once

#include "core/base/deadline.h"

#include <QJsonArray>
#include <QJsonObject>

namespace latchkey::cli {

/// To be called first in main(): what the two below need to know, before anything is opened.
void prepareOutput();

/// Whether something could not be written. Who prints a lot may as well stop then.
[[nodiscard]] bool isOutputLost();

/// Writes the buffered output, without a SIGPIPE; false if anything was lost.
[[nodiscard]] bool writeOutput();

/// Writes what is still to be written; false if anything was lost. Where it was lost because its reader has gone, as in
/// `ls | head -1`, the program ends here the way others do, by SIGPIPE, unless it was told to ignore that when it was
/// started.
[[nodiscard]] bool flushOutput();

/// Prints one JSON value on a line of its own.
void printJson(const QJsonObject &object);
void printJson(const QJsonArray &array);

/// Prints text and ends its line. Other control characters than newlines are escaped, so that no name in the text can
/// act upon the terminal.
void printLine(const QString &text);

/// Prints bytes as they are: keys and tokens are for other programs to read.
void printBytes(const QByteArray &bytes);

/// Prints a value as it is, byte for byte. Only where a person reads it does it end the line.
void printValue(const QByteArray &value);

/// Rounded up: an uncertainty is never said to be smaller than it is.
[[nodiscard]] qint64 wholeMilliseconds(std::chrono::nanoseconds time);

/// How long it is until then, in milliseconds to the nearest one, and not below 0; -1 for what never ends.
[[nodiscard]] qint64 millisecondsLeft(const base::Deadline &deadline, base::MonotonicTime now);

/// Whole milliseconds from now until then, nothing (null) for a time that never comes.
[[nodiscard]] QJsonValue millisecondsUntil(base::MonotonicTime then, base::MonotonicTime now);

} // namespace latchkey::cli
