#pragma once

#include "core/foundation/base/clock.h"

#include <QJsonArray>
#include <QJsonObject>

namespace latchkey::cli {

/// Prepares the functions below. Must be called first in main(), before any file is opened.
void prepareOutput();

/// Returns whether output could not be written. Code with much output can stop early.
[[nodiscard]] bool isOutputLost();

/// Writes the buffered output without raising SIGPIPE. Returns false if any output was lost.
[[nodiscard]] bool writeOutput();

/// Writes the remaining output. Returns false if any output was lost. If the reader has exited, as in `ls | head -1`,
/// the program ends by SIGPIPE as usual, unless SIGPIPE was ignored at its start.
[[nodiscard]] bool flushOutput();

/// Prints a JSON value as one line.
void printJson(const QJsonObject &object);
void printJson(const QJsonArray &array);

/// Prints a text as a line. Control characters other than newline are escaped, so that names in the text cannot control
/// the terminal.
void printLine(const QString &text);

/// Prints bytes unchanged, because other programs read keys and tokens.
void printBytes(const QByteArray &bytes);

/// The server of an event, if several are watched. A value.
struct EventOrigin
{
    QString node {};     ///< Host and port of the primary; empty without a cluster.
    QString server {};   ///< Address of the independent server; empty for a single one.
    qsizetype width = 0; ///< Width of the column of the independent servers.
};

/// Returns the column of the independent servers, with this text and the space after it; empty for a single server.
[[nodiscard]] QString originColumn(const EventOrigin &origin, const QString &text);

/// Prints an event of a watched server in one line: the time of day, the independent server, the event, its text.
void printEvent(base::WallTime at, const char *event, const QString &text, const EventOrigin &origin = {});

/// Prints a value unchanged. For a terminal, escapes control characters and ends the line.
void printValue(const QByteArray &value);

/// Quotes the words of a line for a shell; the prompt of redis-cli reads such quotes too.
[[nodiscard]] QString shellQuoted(const QString &line);

/// Returns the milliseconds until a time, rounded down; negative for a past time. Null for MonotonicTime::max().
[[nodiscard]] QJsonValue millisecondsUntil(base::MonotonicTime then, base::MonotonicTime now);

} // namespace latchkey::cli
