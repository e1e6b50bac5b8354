#pragma once

#include "core/keyspace/watching/valuepage.h"

#include <QCoreApplication>
#include <QString>

#include <optional>

// The texts of values. All conversions of parts of a value to display texts are here.

namespace latchkey::ui::detail {

/// The translation context of these texts.
struct ValueText
{
    Q_DECLARE_TR_FUNCTIONS(ValueText)
};

/// The display form of the bytes of a string.
enum class ValueForm : quint8 { Text, Json, Hex };

/// Returns text with its line breaks; characters that a screen cannot show are replaced.
[[nodiscard]] QString textLines(const QByteArray &bytes);

/// Returns a hex dump: offsets, hexadecimal figures and characters. `from`: offset of the first byte. `perLine`: bytes
/// per line.
[[nodiscard]] QString hexLines(const QByteArray &bytes, qint64 from, int perLine = 16);

/// Returns the number of bytes per line that fit into `characters`: 16, 8 or 4. `last`: largest offset.
[[nodiscard]] int hexBytesPerLine(int characters, qint64 last);

/// Returns indented JSON with unchanged names, numbers and order. Absent if the bytes are no JSON object or array.
[[nodiscard]] std::optional<QString> jsonLines(const QByteArray &bytes);

/// Returns the most readable form of the bytes.
[[nodiscard]] ValueForm bestForm(const QByteArray &bytes, bool isWhole);

/// Returns the part that was read while watching as a page: the start of the value.
[[nodiscard]] watching::ValuePage pageOf(const keys::RawValue &value);

/// Returns whether the page has the complete value.
[[nodiscard]] bool isWhole(const watching::ValuePage &page);

/// Returns the type of a value, and the part that was read while watching: `string, 36 bytes`, `hash, the first 20 of
/// 4,000 elements`.
[[nodiscard]] QString sampleNote(const keys::RawValue &value);

/// Returns the range of a page, the total size and the time of the read: `string, bytes 16,385 to 32,768 of 67,108,864,
/// read at 17:03:22`.
[[nodiscard]] QString pageNote(const watching::ValuePage &page);

/// The column titles for elements of that type. The second title is empty for a single column.
struct ColumnTitles
{
    QString name;
    QString value;
};
[[nodiscard]] ColumnTitles columnTitles(keys::KeyType type);

/// Returns a part of an element in one line, with its size if it is truncated.
[[nodiscard]] QString partText(const QByteArray &part, qint64 size);

} // namespace latchkey::ui::detail
