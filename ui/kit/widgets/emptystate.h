#pragma once

#include "ui/kit/theme/appearance.h"

#include <QWidget>

#include <functional>
#include <vector>

class QLabel;
class QPushButton;
class QVBoxLayout;

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
    /// An additional action, shown as a less prominent button below the first one.
    struct Choice
    {
        QString name; ///< Object name of the button.
        QString text;
        QString toolTip;
        std::function<void()> action;
    };
    /// Sets the other actions; to be called before show().
    void setChoices(std::vector<Choice> choices);
    [[nodiscard]] QString title() const;

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void applyAppearance();
    /// Covers the parent, and wraps the text to its width.
    void fit();

    theme::Appearance &m_appearance;
    QString m_iconName;
    std::function<void()> m_action;
    QLabel *m_icon;
    QLabel *m_title;
    QLabel *m_text;
    QPushButton *m_actionButton;
    QVBoxLayout *m_choiceLayout;
    std::vector<Choice> m_choices;
    std::vector<QPushButton *> m_choiceButtons;
};

} // namespace latchkey::ui::widgets
