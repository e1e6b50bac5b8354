#pragma once

#include "ui/kit/widgets/banner.h"

#include <QObject>

#include <chrono>
#include <vector>

namespace latchkey::ui::widgets {

/// A message about an event, with an optional action.
struct BannerMessage
{
    QString topic; ///< Subject of the message; a newer message with the same topic replaces it.
    Banner::Tone tone = Banner::Tone::Info;
    QString text;                       ///< Plain text.
    QString actionText;                 ///< Empty without an action.
    std::function<void()> action;       ///< Called when the user chooses the action; the message is removed.
    std::chrono::milliseconds stays {}; ///< Display time; zero: until the message is closed or its cause is over.
};

/// The current messages of the window. Pages add a message, and remove it when its cause is over; the MessageArea
/// displays them. Closed messages are not kept. Owned by the main window.
class Messages final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Messages)

public:
    using QObject::QObject;

    /// Adds a message. Replaces the message with the same topic, if there is one.
    void show(BannerMessage message);
    /// Removes the message with this topic, because its cause is over or the user has closed it. No effect without a
    /// message.
    void remove(const QString &topic);

    /// Returns all messages, the oldest first.
    [[nodiscard]] const std::vector<BannerMessage> &all() const { return m_all; }

Q_SIGNALS:
    void changed();

private:
    std::vector<BannerMessage> m_all;
};

} // namespace latchkey::ui::widgets
