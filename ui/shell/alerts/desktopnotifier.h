#pragma once

#include <QObject>
#include <QString>

namespace latchkey::ui::alerts {

/// A sender of desktop notifications, over the interface org.freedesktop.Notifications of the D-Bus session bus.
///
/// A new notification replaces the previous one, so that many alerts do not cover the screen. Owned by the code that
/// notifies. It does not decide when to notify.
class DesktopNotifier final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(DesktopNotifier)

public:
    using QObject::QObject;

    /// Shows a notification. Title and text are plain text. `actionText`: text of the button that emits activated().
    void notify(const QString &title, const QString &text, const QString &actionText, bool hasSound);

Q_SIGNALS:
    /// Emitted when the user has clicked the notification or its button.
    void activated();
    /// Emitted when the desktop has shown the notification.
    void shown();
    /// Emitted when the desktop cannot show notifications. `why`: one sentence without a full stop, from the D-Bus.
    void failed(const QString &why);

private Q_SLOTS:
    void invoked(uint id, const QString &action);

private:
    void send(const QString &title, const QString &text, const QString &actionText, bool hasSound);

    uint m_id = 0; ///< ID of the last notification; 0: none.
    bool m_isListening = false;
};

} // namespace latchkey::ui::alerts
