#pragma once

#include <QByteArray>
#include <QHash>
#include <QString>

#include <optional>

namespace latchkey::base {

/// A byte string with one role, such as a key or an owner's token.
///
/// Redis keys and values are bytes, NUL and invalid UTF-8 included. The role makes it a compile error to pass a key
/// where a token is expected, a mistake that lock libraries have shipped. A value type, which does not interpret its
/// bytes; printable() returns a readable form.
template<typename Role>
class TaggedBytes final
{
public:
    TaggedBytes() = default;
    explicit TaggedBytes(QByteArray bytes)
        : m_bytes(std::move(bytes))
    {}

    [[nodiscard]] const QByteArray &bytes() const { return m_bytes; }
    [[nodiscard]] bool isEmpty() const { return m_bytes.isEmpty(); }

    friend bool operator==(const TaggedBytes &a, const TaggedBytes &b) { return a.m_bytes == b.m_bytes; }
    friend bool operator<(const TaggedBytes &a, const TaggedBytes &b) { return a.m_bytes < b.m_bytes; }
    friend size_t qHash(const TaggedBytes &value, size_t seed = 0) { return ::qHash(value.m_bytes, seed); }

private:
    QByteArray m_bytes;
};

/// The name of a Redis key.
using Key = TaggedBytes<struct KeyRole>;

/// The value that a holder writes into a lock, as proof of ownership.
using OwnerToken = TaggedBytes<struct OwnerTokenRole>;

/// Returns the bytes as text; absent if they are not valid UTF-8.
[[nodiscard]] std::optional<QString> utf8Text(QByteArrayView bytes);

/// Returns the bytes as readable text: UTF-8 unchanged, and \xNN for each byte that cannot be displayed. These are
/// control characters, line ends, invisible characters (such as those that reverse the direction of writing), and bytes
/// that are not UTF-8. A backslash is unchanged (`App\Jobs`), unless it would read as the beginning of a \xNN; then it
/// is \x5c. Different keys therefore have different texts, and fromPrintable() restores the bytes.
[[nodiscard]] QString printable(QByteArrayView bytes);

/// Returns the bytes for which printable() gives this text; any other text gives its UTF-8. Never fails.
[[nodiscard]] QByteArray fromPrintable(QStringView text);

/// Returns the text of printable(bytes), cut to at most maximumLength characters. The last character is an ellipsis if
/// the text was cut. Reads only as many bytes as fit, so the value may have any size.
[[nodiscard]] QString printable(QByteArrayView bytes, qsizetype maximumLength);

} // namespace latchkey::base
