#pragma once

#include "core/foundation/base/deadline.h"

#include <QByteArray>
#include <QList>

#include <algorithm>
#include <optional>

namespace latchkey::keys {

/// The expiries of the fields of a hash, as far as they were requested.
///
/// A field's TTL does not show in the key's PTTL. The key ends with its last field, so a hash without a TTL stays
/// forever only if a field has no TTL. Only a part of a large hash is requested, and the fields that expire first are
/// kept. A value type.
struct FieldDeadlines
{
    struct Field
    {
        QByteArray name; ///< The complete name; fields with longer names are not requested.
        base::Deadline deadline;

        friend bool operator==(const Field &, const Field &) = default;
    };
    /// Maximum number of kept fields.
    static constexpr qsizetype maxFields = 100;
    /// Maximum length of the name of a requested field, in bytes.
    static constexpr qsizetype maxNameLength = 1024;

    QList<Field> first;     ///< Fields with an end, the earliest first.
    qint64 endingCount = 0; ///< Number of requested fields with a TTL.
    qint64 readCount = 0;
    qint64 size = 0;      ///< Number of fields of the hash, including expired fields that are not removed yet.
    bool isWhole = false; ///< Whether every field that the server shows was requested.
    base::Deadline last = base::Deadline::never(); ///< The latest end of the requested fields with a TTL.

    /// Returns whether no field is known to have a TTL.
    [[nodiscard]] bool isEmpty() const { return endingCount == 0; }
    /// Returns the earliest end of a field; never if no field is known to end.
    [[nodiscard]] base::Deadline firstEnd() const
    {
        return first.isEmpty() ? base::Deadline::never() : first.front().deadline;
    }
    /// Returns when the key ends because its last field ends; never if some field stays or may stay.
    [[nodiscard]] base::Deadline wholeEnd() const
    {
        return isWhole && endingCount > 0 && endingCount == readCount ? last : base::Deadline::never();
    }
    /// Returns the number of fields with a TTL that are not in `first`.
    [[nodiscard]] qint64 moreEnding() const { return endingCount - first.size(); }
    /// Returns the number of fields that were not requested.
    [[nodiscard]] qint64 unreadCount() const { return isWhole ? 0 : std::max<qint64>(0, size - readCount); }
    /// Returns the end of this field; absent if it is not in `first`.
    [[nodiscard]] std::optional<base::Deadline> endOf(const QByteArray &field) const;
    /// Returns whether this differs from `known`: other fields, other ends, or the same ends measured much more
    /// precisely. If `known` is null, only a field with a TTL is news.
    [[nodiscard]] bool differsFrom(const FieldDeadlines *known) const;
    /// Returns whether the field is known to have no TTL. False if it has one or may have one.
    [[nodiscard]] bool isKnownToStay(const QByteArray &field) const
    {
        return isWhole && moreEnding() == 0 && !endOf(field);
    }

    friend bool operator==(const FieldDeadlines &, const FieldDeadlines &) = default;
};

} // namespace latchkey::keys
