#pragma once

#include "core/locks/catalogue.h"
#include "ui/theme/appearance.h"

#include <QComboBox>

namespace latchkey::ui::clients {

/// The choice of a lock recipe: every one of the catalogue, with its title, and a mark on those that have a flaw.
/// Closed it shows the recipe's id, its tool tip what the recipe does and what is wrong with it.
/// Owned by its card; the appearance is not owned.
class RecipeBox final : public QComboBox
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RecipeBox)

public:
    explicit RecipeBox(theme::Appearance &appearance, QWidget *parent = nullptr);

    [[nodiscard]] const locks::Recipe &recipe() const;
    /// Nothing happens where there is no such recipe.
    void choose(const QString &id);

protected:
    void changeEvent(QEvent *event) override;

private:
    void wordRecipes();
};

} // namespace latchkey::ui::clients
