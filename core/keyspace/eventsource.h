#pragma once

#include "core/resp/subscription.h"

#include <QObject>
#include <QTimer>

namespace latchkey::keyspace {

/// Hears from a server which keys have changed, without changing a setting of it.
///
/// By keyspace notifications where the server has them on; else by client tracking, whose notices are redirected to a
/// second connection; else not at all, and polling has to do. An event only says that something has happened to a key:
/// what it is now is asked then, because an event says little and may be late.
/// Owned by whoever watches the server; the session, clock and random source are
/// not owned.
class EventSource final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(EventSource)

public:
    enum class Means : quint8 {
        None,          ///< Nothing is heard: not yet, or the server does not allow it.
        Notifications, ///< notify-keyspace-events
        Tracking,      ///< CLIENT TRACKING … BCAST
    };
    Q_ENUM(Means)

    EventSource(resp::Session &session, const base::Clock &clock, base::RandomSource &random,
                QObject *parent = nullptr);
    ~EventSource() override;

    [[nodiscard]] Means means() const { return m_means; }
    /// Why nothing is heard; absent while something is, or while it is not known yet.
    [[nodiscard]] const std::optional<base::Error> &denial() const { return m_denial; }
    /// Commands sent over the second connection.
    [[nodiscard]] quint64 pushCommandsSent() const { return m_push.commandsSent(); }

Q_SIGNALS:
    void meansChanged();
    /// Something has happened to these keys.
    void touched(const QList<QByteArray> &keys);
    /// All keys have gone at once.
    void flushed();

private:
    void sessionChanged();
    void askConfiguration();
    void configured(const resp::Reply &reply);
    void listen(Means means);
    void subscriptionBegun();
    void track(qint64 clientId);
    void stop(const std::optional<base::Error> &denial);
    void setMeans(Means means);
    void heard(const QByteArray &channel, const resp::Reply &payload);
    void ask(const resp::Commands &commands, std::function<void(const resp::Replies &)> handle);

    resp::Session &m_session; // Not owned.
    resp::Session m_push;
    resp::Subscription m_subscription;
    QTimer m_check;
    Means m_wanted = Means::None;
    Means m_means = Means::None;
    std::optional<base::Error> m_denial;
    quint64 m_run = 0; ///< Answers over an earlier connection are not for this one.
};

/// Whether notify-keyspace-events has all that is needed to hear of every change of a key: keyevent events of all
/// classes.
[[nodiscard]] bool tellsOfAllKeys(const QByteArray &notifyKeyspaceEvents);

} // namespace latchkey::keyspace
