#pragma once

#include <QString>

// What the race finder's two panels say alike.

namespace latchkey::ui::stories {

/// A count for people: exact while that can be read, then its order of magnitude.
[[nodiscard]] QString grouped(double count);
[[nodiscard]] QString clientsText(int clients);

/// What a run has shown: the finder says it in English, to whoever reads its JSON.
[[nodiscard]] QString spokenComplaint(const QString &complaint);

/// What the promise means, in the words of the glossary; empty of one that is not known here.
[[nodiscard]] QString aboutPromise(const QString &promise);

} // namespace latchkey::ui::stories
