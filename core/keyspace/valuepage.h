#pragma once

#include "core/base/deadline.h"
#include "core/exchange/exchange.h"
#include "core/keys/rawvalue.h"
#include "core/keyspace/fieldlifetimes.h"

#include <optional>

namespace latchkey::keyspace {

/// Which part of a value is wanted. A value type.
struct PageWish
{
    static constexpr qint64 usualBytes = 16LL * 1024;
    static constexpr qint64 usualElements = 100;

    keys::KeyType type = keys::KeyType::Unknown; ///< That the key had; one that has another by now is begun anew.
    qint64 from = 0;                             ///< Its first byte or element; of a hash or set: as read so far.
    QByteArray cursor;                           ///< Where a hash, set or stream goes on; empty: at the beginning.
    qint64 most = 0;                             ///< Bytes of a string, elements of what else; 0: as many as usual.

    friend bool operator==(const PageWish &, const PageWish &) = default;
};

/// A part of a value, as the server gave it. A value type.
struct ValuePage
{
    /// An element: of a hash field and value, of a sorted set member and score, of a stream its id and all of its
    /// fields, of a list its number; of a set there is no second one. Of what is long the beginning.
    struct Row
    {
        QByteArray name;
        QByteArray value;
        qint64 nameSize = 0; ///< Bytes, of all of it.
        qint64 valueSize = 0;
        std::optional<base::Deadline> end {}; ///< Of a hash's field: its own lifetime; never where it has none; absent:
                                              ///< that is not known.

        friend bool operator==(const Row &, const Row &) = default;
    };
    /// So much is kept of what an element holds.
    static constexpr qsizetype longestPart = 4096;

    keys::KeyType type = keys::KeyType::Unknown; ///< Unknown: there is no such key. Other: it cannot be read.
    QByteArray typeName;                         ///< As TYPE said it.
    std::optional<qint64> size;                  ///< Bytes or elements of the whole value; absent: not allowed to know.
    qint64 from = 0;                             ///< As PageWish has it.
    QByteArray bytes;                            ///< Of a string.
    QList<Row> rows;                             ///< Of what else.
    std::optional<PageWish> next;                ///< Absent: there is no more.
    base::WallTime at;                           ///< When it was read.

    /// How many bytes or elements there are here.
    [[nodiscard]] qint64 count() const { return type == keys::KeyType::String ? bytes.size() : rows.size(); }

    friend bool operator==(const ValuePage &, const ValuePage &) = default;
};

/// Reads a part of a value, and how much there is. It asks for no more than a page, and for fewer elements where they
/// are large, as far as the server tells (MEMORY USAGE); what is larger still is refused by the connection's own
/// limits. Pages of a string end between characters where they are UTF-8. Of a hash it asks for the lifetimes of the
/// fields as well, unless the server is known to refuse that. Throws what the server does not allow.
[[nodiscard]] exchange::Exchange<ValuePage> readValuePage(base::Key key, PageWish wish,
                                                          FieldLifetimeSupport lifetimes = {});

} // namespace latchkey::keyspace
