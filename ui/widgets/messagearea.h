#pragma once

#include "ui/widgets/messages.h"

#include <QPointer>
#include <QWidget>

class QVBoxLayout;

namespace latchkey::ui::widgets {

/// Where messages are shown, whatever page they come from: above the lower edge of its parent, over what is there, so
/// that nothing under the pointer moves. A few at a time, the others wait until one of these has gone.
/// Owned by its parent, whose size it follows; messages and appearance are not owned.
class MessageArea final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(MessageArea)

public:
    static constexpr std::size_t mostShown = 3;

    MessageArea(Messages &messages, theme::Appearance &appearance, QWidget *parent);

Q_SIGNALS:
    /// A message that had the keyboard has gone: somebody else should have it now.
    void keyboardFreed();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    bool event(QEvent *event) override;

private:
    /// A message on screen.
    struct Shown
    {
        QString topic;
        QPointer<Banner> banner;
    };

    void refresh();
    void showMessage(Banner &banner, const Message &message);
    [[nodiscard]] Banner *bannerFor(const QString &topic);
    void expire(const QString &topic, std::chrono::milliseconds again);
    void place();

    Messages &m_messages;
    theme::Appearance &m_appearance;
    QVBoxLayout *m_layout;
    std::vector<Shown> m_shown;
};

} // namespace latchkey::ui::widgets
