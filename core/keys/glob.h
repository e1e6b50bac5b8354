#pragma once

#include <QByteArray>

namespace latchkey::keys {

/// A pattern as Redis' KEYS and SCAN MATCH understand it: `*`, `?`, `[abc]`, `[^a-z]`, and `\` before a character that
/// is meant as itself. It matches bytes, and whole keys. A value type. An empty pattern matches everything, as a filter
/// that nobody has filled in does.
class Glob final
{
public:
    Glob() = default;
    explicit Glob(QByteArray pattern);

    /// What somebody types into a filter. With `*` or `?` it is a pattern for the whole key, in which [a-z] is a set;
    /// else it is a part of the key, brackets and all. A backslash is always itself: keys have it more often than
    /// anybody wants to take a star's meaning away, and [*] does that.
    [[nodiscard]] static Glob fromFilter(const QByteArray &text);

    /// Matches this key and no other. An empty key cannot be told from no pattern.
    [[nodiscard]] static Glob exactly(const QByteArray &key);

    [[nodiscard]] bool matches(QByteArrayView key) const;
    [[nodiscard]] bool matchesEverything() const { return m_pattern.isEmpty() || m_pattern == "*"; }
    [[nodiscard]] const QByteArray &pattern() const { return m_pattern; }

    friend bool operator==(const Glob &, const Glob &) = default;

private:
    QByteArray m_pattern;
};

} // namespace latchkey::keys
