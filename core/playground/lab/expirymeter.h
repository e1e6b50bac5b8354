#pragma once

#include "core/foundation/base/deadline.h"
#include "core/playground/lab/delaystatistics.h"
#include "core/playground/lab/plan.h"
#include "core/redis/net/session.h"
#include "core/redis/net/subscription.h"

#include <QTimer>

#include <queue>

namespace latchkey::lab {

/// A meter of the expiry of a plan's keys. For each key it measures the due time, and the time at which a reader or the
/// server's notification confirms the expiry.
///
/// After the write, PTTL returns the key's expiry, as a Deadline with the uncertainty of that round trip. From its
/// deadline on, a key with Plan::isRead() is polled until the key is gone. For the other keys, the meter waits for a
/// keyspace notification. If the server sends none, for example for a hash that ends with its fields, these keys are
/// polled too. The meter handles a few dozen keys at a time, so that a large number of keys never blocks the event
/// loop. The meter writes nothing to the server. Owned by the LabRun. Clock and random source are not owned.
class ExpiryMeter final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ExpiryMeter)

public:
    /// The measured result for one key.
    struct KeyOutcome
    {
        enum class Kind : quint8 {
            NotRequested,
            Absent,     ///< The key did not exist: it was never written, or it had expired before the first request.
            Persistent, ///< The key has no TTL.
            Empty,      ///< The key has no TTL, and holds no data.
            Ending,     ///< The key has a TTL.
        };
        Kind kind = Kind::NotRequested;
        bool isOver = false; ///< Whether a reader or a notification has confirmed the expiry.
        base::Deadline due = base::Deadline::never();
        base::MonotonicTime gone; ///< Time of that confirmation; valid for an expired key of kind Ending.
    };

    ExpiryMeter(const net::Endpoint &server, Plan plan, const base::Clock &clock, base::RandomSource &random);
    ~ExpiryMeter() override;

    void start();
    /// Sets the number below which the writes of all keys have ended or are paused.
    void setWritten(int keys);
    /// Records that the writer has ended and no more keys will be written.
    void setWriterGone();
    /// Stops measuring, and keeps the results.
    void stop();

    /// Returns the results of the keys written so far, by key number.
    [[nodiscard]] const std::vector<KeyOutcome> &outcomes() const { return m_outcomes; }
    /// Returns the result of any key of the plan.
    [[nodiscard]] KeyOutcome outcomeOf(int key) const
    {
        const auto index = static_cast<std::size_t>(key);
        return index < m_outcomes.size() ? m_outcomes[index] : KeyOutcome();
    }
    /// Returns the delays from the due time to the confirmation by a reader, and by a notification.
    [[nodiscard]] const DelayStatistics &readDelays() const { return m_toReader; }
    [[nodiscard]] const DelayStatistics &eventDelays() const { return m_toEvent; }
    /// Returns the round-trip times of the requests that read the deadlines.
    [[nodiscard]] const DelayStatistics &roundTrips() const { return m_roundTrips; }
    /// Returns whether the server sends notifications of expired keys. Valid after ready().
    [[nodiscard]] bool receivesEvents() const { return m_receivesEvents; }
    /// Returns the number of keys whose TTL was requested; over() returns the number of confirmed expiries.
    [[nodiscard]] int measured() const { return m_asked; }
    [[nodiscard]] int over() const { return m_over; }
    /// Returns the number of keys with a TTL.
    [[nodiscard]] int ending() const { return m_ending; }
    /// Returns the number of unread keys for which no notification arrived in time.
    [[nodiscard]] int silent() const { return m_silent; }

Q_SIGNALS:
    void ready();
    /// Emitted when the writer is gone and every key has expired or has no TTL.
    void finished();
    void failed(const latchkey::base::Error &error);

private:
    using Keys = std::vector<int>;
    using Ask = std::pair<base::MonotonicTime, int>;

    void sessionChanged();
    void setReady();
    void measureNext();
    void measured(const Keys &keys, const net::Connection::Delivery &delivery);
    void learn(int key, qint64 left, const net::Connection::Delivery &delivery);
    void learnEnd(int key, std::chrono::milliseconds left, const net::Connection::Delivery &delivery);
    [[nodiscard]] bool isToBeRead(int key) const;
    void requestFieldTtls();
    void fieldTtlsReceived(const Keys &keys, const net::Connection::Delivery &delivery);
    void readContents();
    void contentsReceived(const Keys &keys, const net::Connection::Delivery &delivery);
    void readDue();
    void read(const Keys &keys, const net::Connection::Delivery &delivery);
    void received(const QByteArray &key);
    void readUnreportedKeys();
    void checkFinished();
    using Then = void (ExpiryMeter::*)(const Keys &, const net::Connection::Delivery &);
    void request(const Keys &keys, const QByteArray &command, Then then);
    void request(const Keys &keys, const std::function<resp::Command(int key)> &commandFor, Then then);
    void scheduleRead();
    void fail(const base::Error &error);

    const Plan m_plan;
    const base::Clock &m_clock; // Not owned.
    net::Session m_session;
    net::Session m_push;
    net::Subscription m_subscription;
    std::vector<KeyOutcome> m_outcomes;
    int m_written = 0;
    int m_asked = 0;
    bool m_isMeasuring = false;
    bool m_isWriterGone = false;
    bool m_isReady = false;
    bool m_receivesEvents = false;
    bool m_isOver = false;
    Keys m_keysToInspect; ///< Keys without a TTL that may or may not hold data.
    bool m_isInspecting = false;
    Keys m_toAskFields; ///< Keys without a TTL whose fields may have one.
    bool m_isAskingFields = false;
    std::priority_queue<Ask, std::vector<Ask>, std::greater<>> m_toRead;
    int m_readsUnderWay = 0;
    int m_ending = 0;
    int m_over = 0;
    int m_silent = 0;
    base::MonotonicTime m_lastDue;
    QTimer m_readTimer;
    QTimer m_timeout;
    DelayStatistics m_toReader;
    DelayStatistics m_toEvent;
    DelayStatistics m_roundTrips;
};

} // namespace latchkey::lab
