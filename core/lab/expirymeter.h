#pragma once

#include "core/base/deadline.h"
#include "core/lab/lateness.h"
#include "core/lab/plan.h"
#include "core/resp/session.h"
#include "core/resp/subscription.h"

#include <QTimer>

#include <queue>

namespace latchkey::lab {

/// Measures when the keys of a plan end: when each is due, when it is gone to a reader, and when the server says so.
///
/// Each key is asked for its end (PTTL) once its writer is through with it, which makes a Deadline with the uncertainty
/// of that round trip. Those that are to be read are asked for again from that moment on until they are gone; of the
/// others the server's own word is waited for, by a keyspace notification. A few dozen keys at a time, so that nothing
/// stands still for it, however many there are.
/// Owned by the LabRun; clock and random source are not owned. It writes nothing.
class ExpiryMeter final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ExpiryMeter)

public:
    /// What has become of one key.
    struct Fate
    {
        enum class Kind : quint8 {
            NotAsked,
            Absent,  ///< It was not there: nothing had been written, or its time was over before it was asked for.
            Endless, ///< It had no lifetime.
            Empty,   ///< Likewise, and what it held was no data.
            Ending,  ///< It had one.
        };
        Kind kind = Kind::NotAsked;
        bool isOver = false; ///< It was gone to a reader, or the server has said so.
        base::Deadline due = base::Deadline::never();
        base::MonotonicTime gone; ///< When that was known first; of Ending, where it is over.
    };

    ExpiryMeter(const resp::Endpoint &server, Plan plan, const base::Clock &clock, base::RandomSource &random);
    ~ExpiryMeter() override;

    void start();
    /// The writes of all keys below this number have ended or stand still.
    void setWritten(int keys);
    /// Nothing more will be written.
    void setWriterGone();
    /// What has been measured stays; nothing more is.
    void stop();

    /// Of the keys that have been written so far, by their numbers.
    [[nodiscard]] const std::vector<Fate> &fates() const { return m_fates; }
    /// Of any key of the plan.
    [[nodiscard]] Fate fateOf(int key) const
    {
        const auto place = static_cast<std::size_t>(key);
        return place < m_fates.size() ? m_fates[place] : Fate();
    }
    [[nodiscard]] const Lateness &toReader() const { return m_toReader; }
    [[nodiscard]] const Lateness &toEvent() const { return m_toEvent; }
    /// From a question to its answer, of those that told when keys are due.
    [[nodiscard]] const Lateness &roundTrips() const { return m_roundTrips; }
    /// Whether the server tells of keys that have expired.
    [[nodiscard]] bool hearsEvents() const { return m_hears; }
    [[nodiscard]] int measured() const { return m_asked; }
    [[nodiscard]] int over() const { return m_over; }
    /// Keys that had a lifetime.
    [[nodiscard]] int ending() const { return m_ending; }
    /// Of those that were left to the server, how many it has said nothing of in good time.
    [[nodiscard]] int silent() const { return m_silent; }

Q_SIGNALS:
    void ready();
    /// Every key has come to its end, or has none.
    void finished();
    void failed(const latchkey::base::Error &error);

private:
    using Keys = std::vector<int>;
    using Ask = std::pair<base::MonotonicTime, int>;

    void sessionChanged();
    void beReady();
    void measureOn();
    void measured(const Keys &keys, const resp::Connection::Delivery &delivery);
    void learn(int key, qint64 left, const resp::Connection::Delivery &delivery);
    void learnEnd(int key, std::chrono::milliseconds left, const resp::Connection::Delivery &delivery);
    [[nodiscard]] bool isToBeRead(int key) const;
    void askFields();
    void askedFields(const Keys &keys, const resp::Connection::Delivery &delivery);
    void lookInside();
    void lookedInside(const Keys &keys, const resp::Connection::Delivery &delivery);
    void readDue();
    void read(const Keys &keys, const resp::Connection::Delivery &delivery);
    void heard(const QByteArray &key);
    void giveUpWaiting();
    void checkFinished();
    using Then = void (ExpiryMeter::*)(const Keys &, const resp::Connection::Delivery &);
    void ask(const Keys &keys, const QByteArray &command, Then then);
    void ask(const Keys &keys, const std::function<resp::Command(int key)> &commandFor, Then then);
    void scheduleRead();
    void fail(const base::Error &error);

    const Plan m_plan;
    const base::Clock &m_clock; // Not owned.
    resp::Session m_session;
    resp::Session m_push;
    resp::Subscription m_subscription;
    std::vector<Fate> m_fates;
    int m_written = 0;
    int m_asked = 0;
    bool m_isMeasuring = false;
    bool m_isWriterGone = false;
    bool m_isReady = false;
    bool m_hears = false;
    bool m_isOver = false;
    Keys m_toLookInto; ///< Endless, and whether what they hold is data is not known.
    bool m_isLooking = false;
    Keys m_toAskFields; ///< Without a lifetime, and whether their fields have one is not known.
    bool m_isAskingFields = false;
    std::priority_queue<Ask, std::vector<Ask>, std::greater<>> m_toRead;
    int m_readsUnderWay = 0;
    int m_ending = 0;
    int m_over = 0;
    int m_silent = 0;
    base::MonotonicTime m_lastDue;
    QTimer m_read;
    QTimer m_patience;
    Lateness m_toReader;
    Lateness m_toEvent;
    Lateness m_roundTrips;
};

} // namespace latchkey::lab
