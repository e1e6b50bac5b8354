#pragma once

#include "core/keyspace/budget/commandbudget.h"
#include "core/keyspace/events/observation.h"
#include "core/keyspace/keys/knownkeys.h"
#include "core/keyspace/watching/fieldlifetimes.h"
#include "core/redis/exchange/loopdriver.h"
#include "core/redis/net/session.h"

#include <QSet>

#include <optional>

namespace latchkey::watching {

/// A queue of hashes with field lifetimes to read.
///
/// A hash on screen is read soon after it appears, then every few seconds, and soon after a change or the end of a
/// field. A hash off screen is read only if some of its fields are known to end. It is read after a change, after the
/// end of a field, and once a minute. Only a few hashes are read at a time, within the budget.
///
/// A server without HPTTL is asked once per connection. An answer too large to accept ends the connection. Then each
/// hash of that batch is read alone, and a hash that ends another connection is not read again. Owned by the
/// ServerWatcher; session, known keys, dispatcher, budget and clock are not owned.
class FieldQueue final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(FieldQueue)

public:
    FieldQueue(net::Session &session, const keys::KnownKeys &known, const events::ObservationDispatcher &dispatcher,
               budget::CommandBudget &budget, const base::Clock &clock, QObject *parent = nullptr);
    ~FieldQueue() override;

    /// Discards the known properties of the server, because the connection was replaced or lost.
    void restart();
    /// Sets the keys on screen.
    void setVisibleKeys(const std::vector<keys::KeyId> &ids) { m_visibleKeys = ids; }
    /// Marks these keys as changed.
    void keysChanged(const QList<QByteArray> &names);
    /// Reads the hashes that are due.
    void tick(base::MonotonicTime now);

    [[nodiscard]] const FieldLifetimeSupport &support() const { return m_support; }

private:
    /// The time of the last read of a hash, and whether it has changed since.
    struct LastRead
    {
        base::MonotonicTime asked;
        bool isTouched = false;
    };
    /// Position of a hash: on screen or not.
    enum class Visibility : quint8 { OnScreen, OffScreen };

    [[nodiscard]] std::vector<base::Key> due(base::MonotonicTime now);
    [[nodiscard]] bool isDue(keys::KeyId id, const QByteArray &name, Visibility visibility,
                             base::MonotonicTime now) const;
    [[nodiscard]] bool isNotWorthReading(const QByteArray &name) const;
    void take(const FieldLifetimesRead &read);
    void suspect(const base::Error &error);

    const keys::KnownKeys &m_known;                    // Not owned.
    const events::ObservationDispatcher &m_dispatcher; // Not owned.
    budget::CommandBudget &m_budget;                   // Not owned.
    const base::Clock &m_clock;                        // Not owned.
    exchange::LoopDriver m_driver;
    FieldLifetimeSupport m_support;
    std::optional<exchange::LoopDriver::RunId> m_run; ///< Set while hashes are being read.
    std::vector<base::Key> m_underWay;                ///< The hashes being read.
    QSet<QByteArray> m_suspects; ///< Hashes of a batch with an answer too large to accept; each is read alone.
    QSet<QByteArray> m_refused;  ///< Hashes with an answer too large to accept; never read again.
    std::vector<keys::KeyId> m_visibleKeys;
    QHash<QByteArray, LastRead> m_reads; ///< Hashes on screen, and hashes with fields known to end.
    base::MonotonicTime m_nextOffScreen;
};

} // namespace latchkey::watching
