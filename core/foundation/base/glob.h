#pragma once

#include <QByteArray>

namespace latchkey::base {

/// A pattern as in KEYS and SCAN MATCH of Redis: `*`, `?`, `[abc]`, `[^a-z]`, and `\` to escape the next character. It
/// matches bytes and whole keys. An empty pattern matches everything, like an empty filter field. A value type.
class Glob final
{
public:
    Glob() = default;
    explicit Glob(QByteArray pattern);

    /// Creates a pattern from the text of a filter field. With `*` or `?` the text is a pattern for the whole key, and
    /// [a-z] is a set. Otherwise the text is a part of the key, including its brackets. A backslash is always literal,
    /// because keys contain backslashes more often than a star must be escaped; [*] matches a star.
    [[nodiscard]] static Glob fromFilter(const QByteArray &text);

    /// Creates a pattern that matches only this key. An empty key gives the empty pattern, which matches everything.
    [[nodiscard]] static Glob exactly(const QByteArray &key);

    [[nodiscard]] bool matches(QByteArrayView key) const;
    [[nodiscard]] bool matchesEverything() const { return m_pattern.isEmpty() || m_pattern == "*"; }
    [[nodiscard]] const QByteArray &pattern() const { return m_pattern; }

    friend bool operator==(const Glob &, const Glob &) = default;

private:
    QByteArray m_pattern;
};

} // namespace latchkey::base
