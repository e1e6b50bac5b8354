#pragma once

#include "core/keys/key.h"

#include <QHash>
#include <QString>

namespace latchkey::keys {

/// What somebody has worked out about a key, beside what the server says of it: a small value for the few keys that
/// have any. A value type.
struct Facts
{
    QString kind;                  ///< Which kind of lock it is, as an id; empty: none that is known.
    QString title;                 ///< The kind's name, the same in every language.
    bool isCertain = false;        ///< It is hardly anything else.
    QByteArray holder;             ///< Whose it is, as the key's value says it; empty where it does not.
    bool isHolderRecorded = false; ///< The value says whose it is; another kind of value says only that it is held.
    qint64 count = 0;              ///< How often it is held, or by how many; 0 where that means nothing.
    int findings = 0;              ///< How many things are wrong with it.

    [[nodiscard]] bool isEmpty() const { return *this == Facts(); }
    friend bool operator==(const Facts &, const Facts &) = default;
};

using FactsByKey = QHash<KeyId, Facts>;

} // namespace latchkey::keys
