#pragma once

#include "ui/kit/i18n/retranslatingtranslator.h"

namespace latchkey::ui::i18n {

/// Replaces the texts of `before` with those of `after` in widgets, actions, tabs, rows of combo boxes and lists, and
/// headers of tables. Composed texts and texts with placeholders are not replaced. Their widgets are notified of the
/// new language (widgets::LanguageChangeNotifier) and set these texts again.
void retranslate(const RetranslatingTranslator &before, const RetranslatingTranslator &after);

} // namespace latchkey::ui::i18n
