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
    PutBack,    ///< Undoes Delete.
    SetEndBack, ///< Undoes SetEnd.
};

/// What has become of an act on one key.
struct ActedOn
{
    base::Key key;
    base::Result<keyspace::ActOutcome> outcome;
};

/// A sentence: of one key by its name, of several how many went which way, and the names of those that did not go as
/// wanted, as far as there is room. Empty for none.
[[nodiscard]] QString actedText(ActKind kind, std::span<const ActedOn> acted);

} // namespace latchkey::ui::inspector
