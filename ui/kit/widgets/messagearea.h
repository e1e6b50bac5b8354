#pragma once

#include "ui/kit/widgets/messages.h"

#include <QPointer>
#include <QWidget>

class QVBoxLayout;

namespace latchkey::ui::widgets {

/// The area that shows the messages of all pages, above the lower edge of its parent. It covers other widgets, so that
/// no widget under the pointer moves. It shows at most `maxShown` messages; further ones wait. Owned by its parent,
/// and follows the size of the parent. Messages and appearance are not owned.
class MessageArea final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(MessageArea)

public:
    static constexpr std::size_t maxShown = 3;

    MessageArea(Messages &messages, theme::Appearance &appearance, QWidget *parent);

Q_SIGNALS:
    /// Emitted when a message with the keyboard focus was removed, so that another widget can take the focus.
    void focusReleased();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    bool event(QEvent *event) override;

private:
    /// A visible message.
    struct VisibleMessage
    {
        QString topic;
        QPointer<Banner> banner;
    };

    void refresh();
    void showMessage(Banner &banner, const BannerMessage &message);
    [[nodiscard]] Banner *bannerFor(const QString &topic);
    void expire(const QString &topic, std::chrono::milliseconds again);
    void moveToParentEdge();

    Messages &m_messages;
    theme::Appearance &m_appearance;
    QVBoxLayout *m_layout;
    std::vector<VisibleMessage> m_shown;
};

} // namespace latchkey::ui::widgets
