#pragma once

#include "core/keyspace/keys/key.h"

#include <QHash>
#include <QString>

namespace latchkey::keys {

/// Conclusions about a key, in addition to the data from the server. Only a few keys have conclusions. A value type.
struct KeyAnalysis
{
    QString kind;                  ///< Kind of lock, as an ID; empty: not a known kind.
    QString title;                 ///< Name of the kind, the same in every language.
    bool isCertain = false;        ///< True if another kind is unlikely.
    QByteArray holder;             ///< Holder named in the value; empty without one.
    bool isHolderRecorded = false; ///< True if the kind's values name the holder, not only that the lock is held.
    qint64 count = 0;              ///< Number of holds or holders; 0 if that has no meaning for the kind.
    int findings = 0;              ///< Number of findings.
    int severity = 0;              ///< Severity of the gravest finding: 1 is a warning, 2 an error; 0 without findings.
    QByteArray clientName {};      ///< Name of the client that is inferred to be the holder; empty: unknown or none.
    QByteArray clientAddress {};   ///< Address of that client; empty: unknown, or one of several connections.

    [[nodiscard]] bool isEmpty() const { return *this == KeyAnalysis(); }
    friend bool operator==(const KeyAnalysis &, const KeyAnalysis &) = default;
};

using AnalysisByKey = QHash<KeyId, KeyAnalysis>;

} // namespace latchkey::keys
