#pragma once

#include "ui/theme/appearance.h"

#include <QFrame>

#include <functional>

class QLabel;
class QPushButton;

namespace latchkey::ui::widgets {

/// A sentence about something that has happened, as plain text, with what can be done about it; until it is closed. A
/// screen reader reads it out when it appears.
/// Owned by its parent; the appearance is not owned. Where messages of several causes meet is the MessageArea.
class Banner final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Banner)

public:
    enum class Tone : quint8 { Info, Warning, Critical };

    explicit Banner(theme::Appearance &appearance, QWidget *parent = nullptr);

    /// actionText: empty for none.
    void show(Tone tone, const QString &text, const QString &actionText = {}, std::function<void()> action = {});
    [[nodiscard]] QString text() const;

Q_SIGNALS:
    /// The user has closed it or chosen what it offers.
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
