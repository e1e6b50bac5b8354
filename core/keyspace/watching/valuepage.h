#pragma once

#include "core/foundation/base/deadline.h"
#include "core/keyspace/keys/rawvalue.h"
#include "core/keyspace/watching/fieldlifetimes.h"
#include "core/redis/exchange/exchange.h"

#include <optional>

namespace latchkey::watching {

/// A request for a part of a value. A value type.
struct PageRequest
{
    static constexpr qint64 defaultBytes = 16LL * 1024;
    static constexpr qint64 defaultElements = 100;

    keys::KeyType type = keys::KeyType::Unknown; ///< Expected type; a key with another type is read from its beginning.
    qint64 from = 0;                             ///< First byte or element; hash or set: number read so far.
    QByteArray cursor;                           ///< Cursor of a hash, set or stream; empty: the beginning.
    qint64 limit = 0;                            ///< Maximum bytes of a string or elements of others; 0: default.

    friend bool operator==(const PageRequest &, const PageRequest &) = default;
};

/// A part of a value, as the server gave it. A value type.
struct ValuePage
{
    /// An element in two parts: field and value of a hash; member and score of a sorted set; id and all fields of a
    /// stream entry; index and value of a list element. The member of a set has no second part. Long parts are cut.
    struct Row
    {
        QByteArray name;
        QByteArray value;
        qint64 nameSize = 0; ///< Bytes of the whole part.
        qint64 valueSize = 0;
        std::optional<base::Deadline> end {}; ///< Lifetime of a hash field; never: no lifetime; absent: unknown.

        friend bool operator==(const Row &, const Row &) = default;
    };
    /// Maximum bytes kept of a part of an element.
    static constexpr qsizetype maxPartLength = 4096;

    keys::KeyType type = keys::KeyType::Unknown; ///< Unknown: no such key. Other: not readable.
    QByteArray typeName;                         ///< The type as TYPE reports it.
    std::optional<qint64> size;                  ///< Bytes or elements of the whole value; absent: not permitted.
    qint64 from = 0;                             ///< As in PageRequest.
    QByteArray bytes;                            ///< Content of a string.
    QList<Row> rows;                             ///< Elements of other types.
    std::optional<PageRequest> next;             ///< The next page; absent: no more.
    base::WallTime at;                           ///< Time of the read.

    /// Returns the number of bytes or elements on this page.
    [[nodiscard]] qint64 count() const { return type == keys::KeyType::String ? bytes.size() : rows.size(); }

    friend bool operator==(const ValuePage &, const ValuePage &) = default;
};

/// Reads one page of a value, and the size of the whole. It requests fewer elements if they are large and the server
/// reports their memory (MEMORY USAGE). The connection's own limits refuse anything larger. Pages of a UTF-8 string end
/// between characters. Lifetimes of hash fields are read too, unless the server is known to refuse them. Throws the
/// server's refusal.
[[nodiscard]] exchange::Exchange<ValuePage> readValuePage(base::Key key, PageRequest request,
                                                          FieldLifetimeSupport lifetimes = {});

} // namespace latchkey::watching
