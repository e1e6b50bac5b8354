#pragma once

#include <QString>

namespace latchkey::ui::widgets {

/// Returns an error message as a sentence with a capital. The first word is unchanged if its spelling is fixed, such as
/// a URL or an option.
[[nodiscard]] QString sentence(const QString &message);
/// Returns the same sentence with the full stop of the current language.
[[nodiscard]] QString fullSentence(const QString &message);

} // namespace latchkey::ui::widgets
