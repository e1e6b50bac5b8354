#pragma once

#include <QString>

namespace latchkey::ui::widgets {

/// An error's message as a sentence of its own: with a capital, unless it begins with something that is spelt as it is,
/// a URL or an option.
[[nodiscard]] QString sentence(const QString &message);
/// The same with the full stop of the language of now.
[[nodiscard]] QString fullSentence(const QString &message);

} // namespace latchkey::ui::widgets
