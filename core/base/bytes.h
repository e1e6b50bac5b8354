#pragma once

#include <QByteArray>
#include <QHash>
#include <QString>

#include <optional>

namespace latchkey::base {

/// Bytes that play one role, such as a key or an owner's token.
///
/// Redis keys and values are bytes, NUL and invalid UTF-8 included, and a key must never be passed where a token is
/// meant: lock libraries have shipped exactly that mistake. The role makes it a compile error.
/// A value type; it does not interpret its bytes. For people, see printable().
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

/// What a holder writes into a lock so that it can later prove that the lock is its own.
using OwnerToken = TaggedBytes<struct OwnerTokenRole>;

/// The bytes as text, if they are UTF-8.
[[nodiscard]] std::optional<QString> utf8Text(QByteArrayView bytes);

/// The bytes as text for people: UTF-8 as it is, and \xNN for each byte that a screen cannot show: of control
/// characters, line ends and invisible characters such as those that turn the direction of writing, and of what is not
/// UTF-8. A backslash is itself (`App\Jobs`), unless it would read as the beginning of a \xNN: then it is \x5c.
/// So two different keys have different texts, and fromPrintable() reads a text back.
[[nodiscard]] QString printable(QByteArrayView bytes);

/// The bytes for which printable() gives this text; any other text stands for its UTF-8. Never fails.
[[nodiscard]] QByteArray fromPrintable(QStringView text);

/// printable(), cut to at most maximumLength characters with an ellipsis in place of what is missing. Looks only at as
/// many bytes as it can show, so it may be given a value of any size.
[[nodiscard]] QString printable(QByteArrayView bytes, qsizetype maximumLength);

} // namespace latchkey::base
