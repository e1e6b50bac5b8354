#pragma once

#include "core/playground/playground/clientprotocol.h"
#include "ui/kit/theme/appearance.h"

#include <QWidget>

class QCheckBox;
class QLineEdit;
class QPushButton;

namespace latchkey::ui::playground {

class KeyField;
class RecipeBox;

/// A form for an order to a client: recipe, key, lease, wait time, and whether the client repeats automatically. Owned
/// by its card. The appearance is not owned.
class LockForm final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LockForm)

public:
    LockForm(theme::Appearance &appearance, QPushButton &acquire, QWidget *parent = nullptr);

    [[nodiscard]] const locks::Recipe &recipe() const;
    [[nodiscard]] base::Key key() const;
    /// Returns the order. Error (Usage): a field is missing or invalid.
    [[nodiscard]] base::Result<latchkey::playground::AcquireOrder> order() const;
    [[nodiscard]] base::Result<base::Lease> lease() const;
    /// Returns how long the client holds the lock in an automatic round. Error: Usage.
    [[nodiscard]] base::Result<std::chrono::milliseconds> work() const;
    [[nodiscard]] bool isAutomatic() const;

    /// Shows an order that was not given with this form. `withTimes`: whether to overwrite the time fields.
    void show(const latchkey::playground::AcquireOrder &order, bool withTimes);
    /// Enables the fields of the next order, and of the next extension.
    void setUsable(bool canOrder, bool canExtend);
    /// Returns a summary: `token · lock:demo · 10s`.
    [[nodiscard]] QString line() const;
    /// Moves the keyboard focus to the first field to fill in.
    void takeFocus();

Q_SIGNALS:
    void changed();
    /// Emitted when Enter is pressed in a field.
    void submitted();

private:
    void setUpLayout(QPushButton &acquire);
    void applyAppearance();

    theme::Appearance &m_appearance; // Not owned.
    RecipeBox *m_recipe;
    KeyField *m_key;
    QLineEdit *m_lease;
    QLineEdit *m_wait;
    QLineEdit *m_work;
    QCheckBox *m_automatic;
};

} // namespace latchkey::ui::playground
