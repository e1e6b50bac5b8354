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
/// Those on screen: soon after they have come there, every few seconds from then on, and soon where something has
/// happened to one of them or a field's time is over. Those off screen whose fields are known to end, so that what is
/// told of them stays true: where something has happened, a field's time is over, and once a minute. A few at a time,
/// within the budget. A server without the command is asked for it once per connection, and no more. Where an answer
/// has cost the connection, each of those that were asked together is asked by itself, and the one that costs another
/// is not asked again. Owned by the ServerWatcher; session, what is known, fan-out, budget and clock are not owned.
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
    /// When a hash was asked, and whether anything has happened to it since.
    struct Look
    {
        base::MonotonicTime asked;
        bool isTouched = false;
    };
    /// Whether anybody sees it.
    enum class Place : quint8 { OnScreen, OffScreen };

    [[nodiscard]] std::vector<base::Key> due(base::MonotonicTime now);
    [[nodiscard]] bool isDue(keys::KeyId id, const QByteArray &name, Place place, base::MonotonicTime now) const;
    [[nodiscard]] bool isOfNoUse(const QByteArray &name) const;
    void take(const FieldLifetimesRead &read);
    void suspect(const base::Error &error);

    const keys::KnownKeys &m_known; // Not owned.
    const FanOut &m_fanOut;         // Not owned.
    CommandBudget &m_budget;        // Not owned.
    const base::Clock &m_clock;     // Not owned.
    exchange::LoopDriver m_driver;
    FieldLifetimeSupport m_support;
    std::optional<exchange::LoopDriver::RunId> m_run; ///< While hashes are being asked.
    std::vector<base::Key> m_underWay;                ///< Which.
    QSet<QByteArray> m_suspects; ///< Were being asked when an answer was too large to take: asked one by one.
    QSet<QByteArray> m_refused;  ///< Of these, whose answer it was: never asked again.
    std::vector<keys::KeyId> m_attention;
    QHash<QByteArray, Look> m_asked; ///< Of hashes on screen, and of those whose fields are known to end.
    base::MonotonicTime m_nextOffScreen;
};

} // namespace latchkey::keyspace
