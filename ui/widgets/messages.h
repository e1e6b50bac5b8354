#pragma once

#include "ui/widgets/banner.h"

#include <QObject>

#include <chrono>
#include <vector>

namespace latchkey::ui::widgets {

/// Something that has happened, in a sentence, with what can be done about it.
struct Message
{
    QString topic; ///< What it is about: a newer message about the same thing takes its place.
    Banner::Tone tone = Banner::Tone::Info;
    QString text;                       ///< Plain text.
    QString actionText;                 ///< Empty: nothing can be done.
    std::function<void()> action;       ///< The message goes when it is chosen.
    std::chrono::milliseconds stays {}; ///< Zero: until it is closed or its cause is over.
};

/// What the window has to say at the moment. Pages say it and say when its cause is over; where and how it is shown is
/// the MessageArea's affair.
/// Owned by the main window. It keeps nothing that was closed: it is no history.
class Messages final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Messages)

public:
    using QObject::QObject;

    void say(Message message);
    /// The cause of what was said about this is over, or somebody has closed it. No effect where nothing was said.
    void settle(const QString &topic);

    /// The oldest first.
    [[nodiscard]] const std::vector<Message> &all() const { return m_all; }

Q_SIGNALS:
    void changed();

private:
    std::vector<Message> m_all;
};

} // namespace latchkey::ui::widgets
