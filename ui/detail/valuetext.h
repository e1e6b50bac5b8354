#pragma once

#include "core/keyspace/valuepage.h"

#include <QCoreApplication>
#include <QString>

#include <optional>

// A value in words and lines: the one place that puts a part of a value into text for people.

namespace latchkey::ui::detail {

/// The context in which these words are translated.
struct ValueText
{
    Q_DECLARE_TR_FUNCTIONS(ValueText)
};

/// How the bytes of a string are shown.
enum class ValueForm : quint8 { Text, Json, Hex };

/// Text as it is, in its lines, but for what a screen cannot show.
[[nodiscard]] QString textLines(const QByteArray &bytes);

/// So many bytes on a line, in hexadecimal figures and as characters. from: the number of the first, for the offsets.
[[nodiscard]] QString hexLines(const QByteArray &bytes, qint64 from, int perLine = 16);

/// How many bytes stand on a line of so many characters: 16, 8 or 4. last: the last offset.
[[nodiscard]] int hexBytesPerLine(int characters, qint64 last);

/// JSON indented: every name and number as it stands there, in its order. Absent for what is no JSON object or array.
[[nodiscard]] std::optional<QString> jsonLines(const QByteArray &bytes);

/// The form in which bytes are read best.
[[nodiscard]] ValueForm bestForm(const QByteArray &bytes, bool isWhole);

/// What was read while watching, as a page: its beginning.
[[nodiscard]] keyspace::ValuePage pageOf(const keys::RawValue &value);

/// Whether all of the value is in it.
[[nodiscard]] bool isWhole(const keyspace::ValuePage &page);

/// What a value is and how much of it was read while watching: `string, 36 bytes`, `hash, the first 20 of 4,000
/// elements`.
[[nodiscard]] QString sampleNote(const keys::RawValue &value);

/// Which part of how much a page is, and of when: `string, bytes 16,385 to 32,768 of 67,108,864, read at 17:03:22`.
[[nodiscard]] QString pageNote(const keyspace::ValuePage &page);

/// The titles of the columns in which elements of that type are shown; the second is empty where there is none.
struct ColumnTitles
{
    QString name;
    QString value;
};
[[nodiscard]] ColumnTitles columnTitles(keys::KeyType type);

/// A part of an element in one line; with its size where not all of it is there.
[[nodiscard]] QString partText(const QByteArray &part, qint64 size);

} // namespace latchkey::ui::detail
