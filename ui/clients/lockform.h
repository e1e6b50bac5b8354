#pragma once

#include "core/playground/clientprotocol.h"
#include "ui/theme/appearance.h"

#include <QWidget>

class QCheckBox;
class QLineEdit;
class QPushButton;

namespace latchkey::ui::clients {

class KeyField;
class RecipeBox;

/// What a client is to do: by which recipe, on which key, for how long, and whether it goes on by itself.
/// Owned by its card; the appearance is not owned.
class LockForm final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LockForm)

public:
    LockForm(theme::Appearance &appearance, QPushButton &acquire, QWidget *parent = nullptr);

    [[nodiscard]] const locks::Recipe &recipe() const;
    [[nodiscard]] base::Key key() const;
    /// All of it as an order. Error (Usage): what is missing or cannot be read.
    [[nodiscard]] base::Result<playground::AcquireOrder> order() const;
    [[nodiscard]] base::Result<base::Lease> lease() const;
    /// How long the client works while it is inside, where it goes on by itself. Error: Usage.
    [[nodiscard]] base::Result<std::chrono::milliseconds> work() const;
    [[nodiscard]] bool isAutomatic() const;

    /// What somebody else has ordered. withTimes: how long, too; else these fields are left to the user.
    void show(const playground::AcquireOrder &order, bool withTimes);
    /// Whether what is ordered next can be changed now, and how long the next extension is.
    void setUsable(bool canOrder, bool canExtend);
    /// `token · lock:demo · 10s`
    [[nodiscard]] QString line() const;
    /// Puts the keyboard into the first thing that one would fill in.
    void enter();

Q_SIGNALS:
    void changed();
    /// Enter was pressed in a field.
    void submitted();

private:
    void arrange(QPushButton &acquire);
    void applyAppearance();

    theme::Appearance &m_appearance; // Not owned.
    RecipeBox *m_recipe;
    KeyField *m_key;
    QLineEdit *m_lease;
    QLineEdit *m_wait;
    QLineEdit *m_work;
    QCheckBox *m_automatic;
};

} // namespace latchkey::ui::clients
