#pragma once

#include "ui/speech/phrasebook.h"

namespace latchkey::ui::speech {

/// Says in the words of after what widgets, actions, and the rows of boxes and headers of tables say in the words of
/// before. What is composed of several texts, or has a place filled in, is not found here: its widget hears of the new
/// language (widgets::LanguageWatch) and words it again.
void reword(const Phrasebook &before, const Phrasebook &after);

} // namespace latchkey::ui::speech
