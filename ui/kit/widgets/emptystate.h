#pragma once

#include "ui/kit/theme/appearance.h"

#include <QWidget>

#include <functional>

class QLabel;
class QPushButton;

namespace latchkey::ui::widgets {

/// A placeholder for an empty view, with the reason and an optional action. It covers its parent and follows its size.
/// Owned by its parent. The appearance is not owned.
class EmptyState final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(EmptyState)

public:
    EmptyState(theme::Appearance &appearance, QWidget *parent);

    /// Shows the placeholder. `actionText`: empty without an action.
    void show(const QString &icon, const QString &title, const QString &text, const QString &actionText = {},
              std::function<void()> action = {});
    [[nodiscard]] QString title() const;

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void applyAppearance();

    theme::Appearance &m_appearance;
    QString m_iconName;
    std::function<void()> m_action;
    QLabel *m_icon;
    QLabel *m_title;
    QLabel *m_text;
    QPushButton *m_actionButton;
};

} // namespace latchkey::ui::widgets
