#pragma once

#include "core/keyspace/eventsource.h"
#include "core/keyspace/observation.h"
#include "core/resp/subscription.h"

#include <QTimer>

namespace latchkey::keyspace {

/// Hears from a server which keys have changed, without changing a setting of it.
///
/// By keyspace notifications where the server has them on; else by client tracking, whose notices are redirected to a
/// second connection; else not at all, and polling has to do. An event only says that something has happened to a key:
/// what it is now is asked then, because an event says little and may be late. Its word is handed on all the same, in
/// the order in which the server said it. Of a flush a server has no event, but a client that tracks is told: so with
/// notifications tracking is on as well, of no key.
/// Owned by a ServerNode; the session, fan-out, clock and random source are not owned.
class ServerEvents final : public EventSource
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerEvents)

public:
    ServerEvents(resp::Session &session, const FanOut &fanOut, const base::Clock &clock, base::RandomSource &random,
                 QObject *parent = nullptr);
    ~ServerEvents() override;

    [[nodiscard]] Means means() const override { return m_means; }
    [[nodiscard]] const std::optional<base::Error> &denial() const override { return m_denial; }
    /// Commands sent over the second connection.
    [[nodiscard]] quint64 pushCommandsSent() const { return m_push.commandsSent(); }

    /// By a PING behind the messages, whose answer comes after them.
    void confirm() override;

Q_SIGNALS:
    /// Something has happened to these keys.
    void touched(const QList<QByteArray> &keys);
    /// All keys of some database have gone at once.
    void flushed();

private:
    void sessionChanged();
    void askConfiguration();
    void configured(const resp::Reply &reply);
    void listen(Means means);
    void subscriptionBegun();
    void subscriptionRefused(const base::Error &error);
    void track(qint64 clientId);
    void hearFlushes();
    void sendConfirmation();
    void stop(const std::optional<base::Error> &denial);
    void setDenial(const std::optional<base::Error> &denial);
    void setMeans(Means means, bool tellsOfFlushes = false);
    void announce(const QList<QByteArray> &keys, const QByteArray &event);
    void heard(const QByteArray &channel, const resp::Reply &payload);
    void ask(const resp::Commands &commands, std::function<void(const resp::Replies &)> handle);

    resp::Session &m_session;   // Not owned.
    const FanOut &m_fanOut;     // Not owned.
    const base::Clock &m_clock; // Not owned.
    resp::Session m_push;
    resp::Subscription m_subscription;
    QTimer m_check;
    QTimer m_confirmation;
    base::MonotonicTime m_confirmed; ///< When that was last asked for.
    bool m_isConfirming = false;
    bool m_isToldOfFlushes = false;
    bool m_mayHearFlushes = true; ///< The channel that tells of them is not denied.
    Means m_wanted = Means::None;
    Means m_means = Means::None;
    std::optional<base::Error> m_denial;
    quint64 m_run = 0; ///< Answers over an earlier connection are not for this one.
};

/// What a user has to be permitted, beside reading, for changes to be told of by tracking: rules for ACL SETUSER.
[[nodiscard]] QByteArrayList trackingRules();

/// Whether notify-keyspace-events has all that is needed to hear of every change of a key: keyevent events of all
/// classes.
[[nodiscard]] bool tellsOfAllKeys(const QByteArray &notifyKeyspaceEvents);

} // namespace latchkey::keyspace
