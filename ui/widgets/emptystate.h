#pragma once

#include "ui/theme/appearance.h"

#include <QWidget>

#include <functional>

class QLabel;
class QPushButton;

namespace latchkey::ui::widgets {

/// What stands where there is nothing to show: why, and what to do about it.
/// Lies over its parent, whose size it follows. The appearance is not owned.
class EmptyState final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(EmptyState)

public:
    EmptyState(theme::Appearance &appearance, QWidget *parent);

    /// actionText: empty for none.
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
