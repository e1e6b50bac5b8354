#pragma once

#include <QString>

// The texts that the two panels of the race finder share.

namespace latchkey::ui::stories {

/// Formats a count: exact up to a readable size, then as an order of magnitude.
[[nodiscard]] QString grouped(double count);
[[nodiscard]] QString clientsText(int clients);

/// Returns the meaning of a promise in the terms of the glossary. Empty for an unknown promise.
[[nodiscard]] QString aboutPromise(const QString &promise);

} // namespace latchkey::ui::stories
