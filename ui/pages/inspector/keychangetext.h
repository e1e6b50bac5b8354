#pragma once

#include "core/keyspace/watching/conditionalchanges.h"

#include <QCoreApplication>

#include <span>

// The texts of the Inspector about changes of keys, as functions from results to texts.

namespace latchkey::ui::inspector {

/// The translation context of these texts.
struct KeyChangeText
{
    Q_DECLARE_TR_FUNCTIONS(KeyChangeText)
};

enum class KeyChangeKind : quint8 {
    Delete,
    SetExpiry,
    Release,
    Restore,       ///< Undoes Delete and Release.
    RestoreExpiry, ///< Undoes SetExpiry.
};

/// The result of a change of one key.
struct KeyChangeResult
{
    base::Key key;
    base::Result<watching::ChangeOutcome> outcome;
};

/// Returns a sentence about the results. A single key is named. For several keys, the sentence counts the results and
/// names the keys that failed, as far as there is room. `leftOut`: number of keys not handled because the run was
/// cancelled. Empty if there are no results.
[[nodiscard]] QString resultText(KeyChangeKind kind, std::span<const KeyChangeResult> results, int leftOut = 0);

/// Returns the progress of reading the keys before the question.
[[nodiscard]] QString readProgressText(int done, int all);

/// Returns the progress of a change of many keys: "Deleting: 12 of 100".
[[nodiscard]] QString progressText(KeyChangeKind kind, int done, int all);

/// Returns the sentence that the lock was not released, and why. `reason`: a sentence without its full stop.
[[nodiscard]] QString notReleasedText(const base::Key &key, const QString &reason);

} // namespace latchkey::ui::inspector
