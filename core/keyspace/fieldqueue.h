#pragma once

#include "core/exchange/loopdriver.h"
#include "core/keys/knownkeys.h"
#include "core/keyspace/commandbudget.h"
#include "core/keyspace/fieldlifetimes.h"
#include "core/keyspace/observation.h"
#include "core/resp/session.h"

#include <QSet>

#include <optional>

namespace latchkey::keyspace {

/// Which hashes are asked when their fields end, and when.
///
/// Only those on screen: soon after they have come there, every few seconds from then on, and at once where something
/// has happened to one of them or a field's time is over. A few at a time, within the budget. A server without the
/// command is asked for it once per connection, and no more. A hash whose answer has cost the connection
/// is not asked again.
/// Owned by the ServerWatcher; session, what is known, fan-out, budget and clock are not owned.
class FieldQueue final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(FieldQueue)

public:
    FieldQueue(resp::Session &session, const keys::KnownKeys &known, const FanOut &fanOut, CommandBudget &budget,
               const base::Clock &clock, QObject *parent = nullptr);
    ~FieldQueue() override;

    /// The connection is another one, or there is none: what was found of its server is forgotten.
    void restart();
    /// The keys on screen.
    void setAttention(const std::vector<keys::KeyId> &ids) { m_attention = ids; }
    /// Something has happened to these keys.
    void touched(const QList<QByteArray> &names);
    /// Asks what is due.
    void tick(base::MonotonicTime now);

    [[nodiscard]] const FieldLifetimeSupport &support() const { return m_support; }

private:
    [[nodiscard]] std::vector<base::Key> due(base::MonotonicTime now);
    [[nodiscard]] base::MonotonicTime dueAt(keys::KeyId id, base::MonotonicTime asked) const;
    void take(const FieldLifetimesRead &read);
    void suspect(const base::Error &error);

    const keys::KnownKeys &m_known; // Not owned.
    const FanOut &m_fanOut;         // Not owned.
    CommandBudget &m_budget;        // Not owned.
    exchange::LoopDriver m_driver;
    FieldLifetimeSupport m_support;
    std::optional<exchange::LoopDriver::RunId> m_run; ///< While hashes are being asked.
    std::vector<base::Key> m_underWay;                ///< Which.
    QSet<QByteArray> m_suspects; ///< Were being asked when an answer was too large to take: never asked again.
    std::vector<keys::KeyId> m_attention;
    QHash<QByteArray, base::MonotonicTime> m_asked; ///< Of hashes on screen: when, if nothing has happened since.
};

} // namespace latchkey::keyspace
