#pragma once

#include "core/keyspace/budget/commandcosts.h"
#include "core/keyspace/events/observation.h"
#include "core/keyspace/keys/knownkeys.h"
#include "core/keyspace/watching/rawvalues.h"
#include "core/redis/net/requestscope.h"

#include <QObject>
#include <QSet>

#include <functional>
#include <span>

namespace latchkey::watching {

/// A reader of values together with their time left, so that both belong to one hold.
///
/// PTTL is sent before and after the value, in one pipeline. If both answers mean the same expiry, the value belongs to
/// it; if not, the key is read again. An unknown type is read first. Meant for the rows on screen, not for all keys: a
/// read of a value counts as a use for the server's eviction, which PTTL does not. The memory of a collection is read
/// before its elements are read for the first time. If its elements are huge, or if a read of it has ended the
/// connection before, only their number is read. Owned by the ValueQueue; known keys and dispatcher are not owned. One
/// batch at a time.
class ValueReader final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ValueReader)

public:
    enum class Part : quint8 { Types, Values };

    ValueReader(const keys::KnownKeys &known, const events::ObservationDispatcher &dispatcher,
                QObject *parent = nullptr);
    ~ValueReader() override;

    [[nodiscard]] bool isReading() const { return m_isReading; }
    /// Reads these keys, or only their types. Does nothing during a batch or without keys.
    void read(net::Connection &connection, const std::vector<QByteArray> &names, Part what,
              events::Source source = events::Source::Read);
    /// Drops the current batch, without finished().
    void stop();
    /// Sets whether idle times are asked for; see events::areIdleTimesTrue(). Default: false.
    void setAsksIdleTimes(bool asks) { m_asksIdleTimes = asks; }
    /// Sets the estimates for spent(); not owned. Null: each command counts as one.
    void setCosts(const budget::CommandCosts *costs) { m_costs = costs; }
    /// Returns the cost of the commands sent so far.
    [[nodiscard]] const budget::CommandCost &spent() const { return m_spent; }

    /// Returns the number of keys of the last batch whose value was read.
    [[nodiscard]] int readCount() const { return m_readCount; }

Q_SIGNALS:
    /// Emitted when the batch is complete. Not emitted if the connection was lost.
    void finished();
    /// Emitted for an existing key whose type or value the user may not read.
    void refused(const QByteArray &name);

private:
    struct ValueRequest
    {
        base::Key key;
        keys::KeyType type = keys::KeyType::Unknown;
        qint64 length = 0;    ///< Number of elements; only if weighed.
        bool isHeavy = false; ///< Only the number of elements is read.

        [[nodiscard]] ReadSize readSize() const;
    };

    void typesRead(const net::Connection::Delivery &delivery);
    [[nodiscard]] bool isToBeWeighed(const ValueRequest &wanted) const;
    [[nodiscard]] bool isIdleTimeNeeded(const ValueRequest &wanted) const;
    void requestIdleTimes();
    void idleTimesReceived(const std::vector<std::size_t> &which, const net::Connection::Delivery &delivery);
    void weigh();
    void weighed(const std::vector<std::size_t> &which, const net::Connection::Delivery &delivery);
    [[nodiscard]] bool isHeavy(const ValueRequest &wanted, const resp::Reply &usage) const;
    void readValues();
    void valuesRead(const net::Connection::Delivery &delivery);
    /// Adds the observations of a key from its replies; returns false if its expiry changed meanwhile.
    [[nodiscard]] bool learn(const ValueRequest &wanted, std::span<const resp::Reply> replies,
                             const net::Connection::Delivery &delivery, events::Observations &observations) const;
    void noteOutcome(const ValueRequest &wanted, std::span<const resp::Reply> replies);
    [[nodiscard]] static resp::Commands commandsFor(const ValueRequest &wanted);
    void suspect();
    void send(const resp::Commands &commands, std::function<void(const net::Connection::Delivery &)> handle);
    void finish();

    const keys::KnownKeys &m_known;                    // Not owned.
    const events::ObservationDispatcher &m_dispatcher; // Not owned.
    net::RequestScope m_requests;
    std::vector<ValueRequest> m_wanted;
    Part m_what = Part::Values;
    events::Source m_source = events::Source::Read;
    int m_triesLeft = 0;
    int m_readCount = 0;
    bool m_isReading = false;
    bool m_asksIdleTimes = false;
    bool m_isIdleTimeDenied = false;               ///< Valid for this connection.
    bool m_isWeighingDenied = false;               ///< Valid for this connection.
    QSet<QByteArray> m_suspects;                   ///< Keys of a batch with an answer too large to accept.
    const budget::CommandCosts *m_costs = nullptr; // Not owned.
    budget::CommandCost m_spent;
};

} // namespace latchkey::watching
