#pragma once

#include "ui/kit/theme/appearance.h"

#include <QFrame>

#include <functional>

class QLabel;
class QPushButton;

namespace latchkey::ui::widgets {

/// A banner with a plain-text message and an optional action. It stays until it is closed. Screen readers read it when
/// it appears. Owned by its parent. The appearance is not owned. A MessageArea shows messages of several causes.
class Banner final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Banner)

public:
    /// The severity of a message.
    enum class Tone : quint8 { Info, Warning, Critical };

    explicit Banner(theme::Appearance &appearance, QWidget *parent = nullptr);

    /// Shows a message. `actionText`: empty without an action.
    void show(Tone tone, const QString &text, const QString &actionText = {}, std::function<void()> action = {});
    [[nodiscard]] QString text() const;

Q_SIGNALS:
    /// Emitted when the user has closed the banner or has chosen the action.
    void dismissed();

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    void dismiss();
    void applyAppearance();

    theme::Appearance &m_appearance;
    Tone m_tone = Tone::Info;
    std::function<void()> m_action;
    QLabel *m_icon;
    QLabel *m_text;
    QPushButton *m_actionButton;
    QPushButton *m_close;
};

} // namespace latchkey::ui::widgets
