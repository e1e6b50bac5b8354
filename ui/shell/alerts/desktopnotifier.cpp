#include "ui/shell/alerts/desktopnotifier.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>

namespace latchkey::ui::alerts {

namespace {

const QString service = QStringLiteral("org.freedesktop.Notifications");
const QString path = QStringLiteral("/org/freedesktop/Notifications");
const QString defaultAction = QStringLiteral("default");

QDBusMessage callOf(const char *method)
{
    return QDBusMessage::createMethodCall(service, path, service, QLatin1String(method));
}

} // namespace

void DesktopNotifier::notify(const QString &title, const QString &text, const QString &actionText, bool hasSound)
{
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!m_isListening)
        m_isListening =
            bus.connect(service, path, service, QStringLiteral("ActionInvoked"), this, SLOT(invoked(uint, QString)));
    // Only some desktops interpret the text as markup. Only for these, the text must be escaped.
    auto *capabilities = new QDBusPendingCallWatcher(bus.asyncCall(callOf("GetCapabilities")), this);
    connect(capabilities, &QDBusPendingCallWatcher::finished, this, [=, this] {
        capabilities->deleteLater();
        const QDBusPendingReply<QStringList> reply = *capabilities;
        if (reply.isError())
            return Q_EMIT failed(reply.error().message());
        const bool isMarkup = reply.value().contains(QStringLiteral("body-markup"));
        send(title, isMarkup ? text.toHtmlEscaped() : text, actionText, hasSound);
    });
}

void DesktopNotifier::send(const QString &title, const QString &text, const QString &actionText, bool hasSound)
{
    QVariantMap hints {{QStringLiteral("desktop-entry"), QStringLiteral("latchkey")}};
    if (hasSound)
        hints[QStringLiteral("sound-name")] = QStringLiteral("dialog-warning");
    else
        hints[QStringLiteral("suppress-sound")] = true;
    constexpr int defaultTime = -1; // The desktop chooses the display time.
    QDBusMessage call = callOf("Notify");
    call.setArguments({QStringLiteral("Latchkey"), m_id, QStringLiteral("latchkey"), title, text,
                       QStringList {defaultAction, actionText}, hints, defaultTime});
    auto *answer = new QDBusPendingCallWatcher(QDBusConnection::sessionBus().asyncCall(call), this);
    connect(answer, &QDBusPendingCallWatcher::finished, this, [this, answer] {
        answer->deleteLater();
        const QDBusPendingReply<uint> reply = *answer;
        if (reply.isError())
            return Q_EMIT failed(reply.error().message());
        m_id = reply.value();
        Q_EMIT shown();
    });
}

void DesktopNotifier::invoked(uint id, const QString & /*action*/)
{
    if (id == m_id)
        Q_EMIT activated();
}

} // namespace latchkey::ui::alerts
