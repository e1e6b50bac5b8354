#pragma once

#include "core/keyspace/guardedacts.h"

#include <QCoreApplication>

#include <span>

// What the Inspector says of what was done to keys, as functions from what has become of it to words.

namespace latchkey::ui::inspector {

/// The context in which these words are translated.
struct ActText
{
    Q_DECLARE_TR_FUNCTIONS(ActText)
};

enum class ActKind : quint8 {
    Delete,
    SetEnd,
    Release,
    PutBack,    ///< Undoes Delete and Release.
    SetEndBack, ///< Undoes SetEnd.
};

/// What has become of an act on one key.
struct ActedOn
{
    base::Key key;
    base::Result<keyspace::ActOutcome> outcome;
};

/// A sentence: of one key by its name, of several how many went which way, and the names of those that did not go as
/// wanted, as far as there is room. leftOut: keys that were not come to, as it was cancelled. Empty for none.
[[nodiscard]] QString actedText(ActKind kind, std::span<const ActedOn> acted, int leftOut = 0);

/// How far the look at the keys is before anything is asked.
[[nodiscard]] QString lookingText(int done, int all);

/// How far an act on many keys is: "Deleting: 12 of 100".
[[nodiscard]] QString progressText(ActKind kind, int done, int all);

/// That it was not released, and why; reason: a sentence without its full stop.
[[nodiscard]] QString notReleasedText(const base::Key &key, const QString &reason);

} // namespace latchkey::ui::inspector
