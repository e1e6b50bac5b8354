#pragma once

#include "core/base/deadline.h"

#include <QByteArray>
#include <QList>

#include <algorithm>
#include <optional>

namespace latchkey::keys {

/// When the fields of a hash end that have a lifetime of their own, as far as they were asked.
///
/// Such a lifetime is the field's and not the key's: PTTL says nothing of it. The key ends with its last field, so a
/// hash without a TTL stays for ever only if some field does. Of a large hash a part is asked, of which the first to
/// end are kept. A value type.
struct FieldEnds
{
    struct Field
    {
        QByteArray name; ///< All of it: longer ones are not asked.
        base::Deadline deadline;

        friend bool operator==(const Field &, const Field &) = default;
    };
    /// So many are kept.
    static constexpr qsizetype mostKept = 100;
    /// A field with a longer name, in bytes, is not asked.
    static constexpr qsizetype longestName = 1024;

    QList<Field> first;     ///< The first to end, the earliest in front; each has an end.
    qint64 endingCount = 0; ///< How many of those asked have a lifetime.
    qint64 askedCount = 0;
    qint64 size = 0;      ///< Of the hash, in fields; fields that have ended and were not removed yet are among them.
    bool isWhole = false; ///< Every field was asked that the server shows.
    base::Deadline last = base::Deadline::never(); ///< Of those asked that have a lifetime, the last to end.

    /// No field is known to have a lifetime.
    [[nodiscard]] bool isEmpty() const { return endingCount == 0; }
    /// Never where none is known to end.
    [[nodiscard]] base::Deadline firstEnd() const
    {
        return first.isEmpty() ? base::Deadline::never() : first.front().deadline;
    }
    /// When the key ends because its last field does; never where some field stays, or may.
    [[nodiscard]] base::Deadline wholeEnd() const
    {
        return isWhole && endingCount > 0 && endingCount == askedCount ? last : base::Deadline::never();
    }
    /// How many fields with a lifetime are not among the first.
    [[nodiscard]] qint64 moreEnding() const { return endingCount - first.size(); }
    /// How many fields were not asked.
    [[nodiscard]] qint64 unasked() const { return isWhole ? 0 : std::max<qint64>(0, size - askedCount); }
    /// The end of this field; absent where it is not among the first.
    [[nodiscard]] std::optional<base::Deadline> endOf(const QByteArray &field) const;
    /// Whether it tells anything that these do not: other fields, other ends, or the same ones measured much better.
    /// Null: nothing is known, so that only a field that ends is news.
    [[nodiscard]] bool isNewsTo(const FieldEnds *known) const;
    /// Whether the field is known to stay until somebody ends it; else it ends, or may.
    [[nodiscard]] bool isKnownToStay(const QByteArray &field) const
    {
        return isWhole && moreEnding() == 0 && !endOf(field);
    }

    friend bool operator==(const FieldEnds &, const FieldEnds &) = default;
};

} // namespace latchkey::keys
