#pragma once

#include "core/recipes/locks/catalogue.h"
#include "ui/kit/theme/appearance.h"

#include <QComboBox>

namespace latchkey::ui::playground {

/// A combo box with all lock recipes of the catalogue, with titles, and a mark on flawed recipes. The closed box shows
/// the id of the recipe; its tool tip shows summary and flaw. Owned by its card. The appearance is not owned.
class RecipeBox final : public QComboBox
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RecipeBox)

public:
    explicit RecipeBox(theme::Appearance &appearance, QWidget *parent = nullptr);

    [[nodiscard]] const locks::Recipe &recipe() const;
    /// Selects a recipe. Ignores an unknown id.
    void choose(const QString &id);

protected:
    void changeEvent(QEvent *event) override;

private:
    void retranslateRecipes();
};

} // namespace latchkey::ui::playground
