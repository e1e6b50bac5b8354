#pragma once

#include "core/keyspace/events/observation.h"
#include "core/keyspace/watching/eventdelaymeter.h"
#include "core/keyspace/watching/eventsource.h"
#include "core/keyspace/watching/flushcounter.h"
#include "core/redis/net/requestscope.h"
#include "core/redis/net/subscription.h"

#include <QTimer>

#include <functional>

namespace latchkey::watching {

/// A receiver of the change events of a server. It changes no setting of the server.
///
/// The receiver uses keyspace notifications if the server has them on, else client tracking with redirection to a
/// second connection. Without both, polling has to find the changes, and only flushes are counted. An event is only a
/// reason to ask about the key, because an event may be late and has no value or expiry. The event name is delivered in
/// the server's order. The server reports a flush only to a tracking client. So with notifications, client tracking
/// without any key is on as well. Owned by a ServerNode; session, dispatcher, clock and random source are not owned.
class ServerEvents final : public EventSource
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerEvents)

public:
    ServerEvents(net::Session &session, const events::ObservationDispatcher &dispatcher, const base::Clock &clock,
                 base::RandomSource &random, QObject *parent = nullptr);
    ~ServerEvents() override;

    [[nodiscard]] Mechanism mechanism() const override { return m_mechanism; }
    [[nodiscard]] const std::optional<base::Error> &denial() const override { return m_denial; }
    /// Returns the number of commands sent over the second connection.
    [[nodiscard]] quint64 pushCommandsSent() const { return m_push.commandsSent(); }

    /// Returns the time up to which all changes have been reported; after mechanism() has become None.
    [[nodiscard]] base::MonotonicTime reportedUntil() const { return m_reportedUntil; }

    [[nodiscard]] std::optional<std::chrono::nanoseconds> delay() const override { return m_delay.delay(); }

    /// Sets a function that returns whether the server is a replica. A replica removes all keys at a full
    /// resynchronisation, and announces this as a flush. So the flush of a replica ends no hold as flushed.
    void setIsReplica(std::function<bool()> isReplica) { m_isReplica = std::move(isReplica); }

    /// Notes that the event loop is running; to be called many times a second.
    void recordLoopTurn() { m_delay.recordLoopTurn(); }

    /// Sends PING, which is answered after all earlier messages. Without events, counts the flushes.
    void confirm() override;

Q_SIGNALS:
    /// Emitted when these keys have changed.
    void keysChanged(const QList<QByteArray> &keys);
    /// Emitted after FLUSHDB or FLUSHALL of any database and, if flushes are counted, also after SWAPDB.
    void flushed();

private:
    void sessionChanged();
    void readLast();
    void requestConfiguration();
    void configured(const resp::Reply &reply, base::MonotonicTime asked);
    void listen(Mechanism mechanism);
    void subscriptionBegun();
    void subscriptionRefused(const base::Error &error);
    void track(qint64 clientId);
    void requestFlushEvents();
    void sendConfirmation();
    void pingSubscriber();
    void deliverCoverage();
    void stop(const std::optional<base::Error> &denial);
    void setDenial(const std::optional<base::Error> &denial);
    void setMechanism(Mechanism mechanism, bool reportsFlushes = false);
    void endReports(base::MonotonicTime until);
    [[nodiscard]] base::MonotonicTime provenUntil() const;
    void announce(const QList<QByteArray> &keys, const QByteArray &event);
    void received(const QByteArray &channel, const resp::Reply &payload);
    void send(const resp::Commands &commands, std::function<void(const resp::Replies &)> handle);

    net::Session &m_session;                           // Not owned.
    const events::ObservationDispatcher &m_dispatcher; // Not owned.
    const base::Clock &m_clock;                        // Not owned.
    net::Session m_push;
    net::Subscription m_subscription;
    EventDelayMeter m_delay;
    FlushCounter m_flushCounter; ///< Started while events are denied.
    QTimer m_check;
    QTimer m_retry; ///< Active after a denial.
    std::chrono::milliseconds m_retryWait {};
    QTimer m_confirmation;
    base::MonotonicTime m_confirmed;     ///< Time of the last confirmation request.
    base::MonotonicTime m_confirmedUpTo; ///< Time of the last confirmation request that was answered.
    base::MonotonicTime m_wasOnAt;       ///< Last request that found notifications switched on.
    base::MonotonicTime m_reportedUntil;
    base::MonotonicTime m_lastReceived; ///< Time of the last announcement, or of the loss of the connection.
    bool m_isConfirming = false;
    bool m_isReadingLast = false; ///< Whether the connection was lost and its earlier announcements are still being
                                  ///< read.
    bool m_hasFlushEvents = false;
    bool m_mayReceiveFlushes = true; ///< Whether the channel for flushes is not denied.
    Mechanism m_wanted = Mechanism::None;
    Mechanism m_denied = Mechanism::None; ///< Mechanism of the last denial.
    Mechanism m_mechanism = Mechanism::None;
    std::optional<base::Error> m_denial;
    std::function<bool()> m_isReplica; ///< Empty: the server is none.
    net::RequestScope m_requests;
};

/// Returns the ACL SETUSER rules that client tracking needs in addition to the rules for reading.
[[nodiscard]] QByteArrayList trackingRules();

/// Returns whether this setting of notify-keyspace-events reports every change of a key: keyevent events of all
/// classes.
[[nodiscard]] bool reportsAllKeys(const QByteArray &notifyKeyspaceEvents);

} // namespace latchkey::watching
