#pragma once

#include <QByteArray>
#include <QHash>

#include <vector>

namespace latchkey::recognition {

/// A pattern for the names of similar keys, derived from one key and its siblings: `job:*:lock` for
/// `job:import-1:lock`, if there is a `job:mail:lock` too.
///
/// A sibling has as many parts as the key, and some of them are equal. The part that differs in most siblings while all
/// others are equal is variable. A further part is variable only if siblings differ there and the part contains a
/// digit, because `job:import-1:data` is no reason to ignore the part `lock`. Created for one proposal.
class SiblingNames final
{
public:
    explicit SiblingNames(const QByteArray &key);

    /// Adds the name of another key; a name that is no sibling is ignored.
    void add(QByteArrayView name);
    /// Returns the pattern, in the language of wholeKey(). Without siblings: namesLike(key).
    [[nodiscard]] QByteArray pattern() const;

private:
    [[nodiscard]] bool isIdentifier(std::size_t part) const;
    [[nodiscard]] quint64 variableParts() const;

    const QByteArray m_key;
    char m_separator = ':';
    std::vector<QByteArray> m_parts;
    QHash<quint64, qint64> m_counts; ///< Number of siblings by their differing parts, one bit per part.
};

} // namespace latchkey::recognition
