#pragma once

#include "core/playground/playground/preset.h"

#include <QPushButton>

namespace latchkey::ui::playground {

/// Returns the title of a preset in the current language.
[[nodiscard]] QString titleOf(const latchkey::playground::Preset &preset);
/// Returns the explanation of a preset in the current language.
[[nodiscard]] QString explanationOf(const latchkey::playground::Preset &preset);

/// A button with the menu of the presets. Owned by the header of the page. It does not start a preset.
class PresetButton final : public QPushButton
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PresetButton)

public:
    explicit PresetButton(QWidget *parent = nullptr);

Q_SIGNALS:
    void chosen(const latchkey::playground::Preset &preset);

private:
    /// Sets the texts of the menu in the current language.
    void retranslate();
};

} // namespace latchkey::ui::playground
