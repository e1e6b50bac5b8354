#pragma once

#include "core/playground/playground/breakpointdriver.h"
#include "core/playground/playground/clientprotocol.h"
#include "core/playground/playground/clientsessions.h"
#include "core/playground/playground/offsetclock.h"
#include "core/playground/playground/replyloss.h"
#include "core/recipes/locks/leasewatchdog.h"
#include "core/redis/exchange/loopdriver.h"

#include <QObject>

#include <deque>
#include <memory>
#include <vector>

namespace latchkey::playground {

/// A client of a server. It executes orders in sequence and reports each result. Immediate orders are executed at once
/// and not answered.
///
///     Connecting → (connected or failed) → Waiting ⇄ Working      any of them → finished
///
/// A client holds at most one lock and believes the results of its own operations. If the recipe requires renewal, the
/// client renews its lease. If contenders may shorten the lock's expiry, the client checks the hold at each
/// locks::pollInterval(). The client does neither while it executes a release or extend, and releases nothing when it
/// ends. `latchkey-cli actor` connects it to standard input and output; ClientProcess is the other end. Owned by that
/// command. Clock and random source are not owned.
class PlaygroundClient final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PlaygroundClient)

public:
    /// `servers`: one, or several for a recipe that uses several.
    PlaygroundClient(const std::vector<net::Endpoint> &servers, const base::Clock &clock, base::RandomSource &random,
                     QObject *parent = nullptr);
    ~PlaygroundClient() override;

    /// Connects. The first report has the result.
    void start();
    /// Queues an order, a line of JSON. The order is executed, or answered with an error, in its turn. An order with
    /// isImmediate() is executed at once.
    void order(const QByteArray &line);
    /// Announces the end of the input. Queued orders are still executed.
    void endOrders();

Q_SIGNALS:
    void reported(const latchkey::playground::ClientReport &report);
    /// Emitted after a quit order, or after the last order.
    void finished();

private:
    /// Sends the result of the connection and begins to execute orders.
    void begin(ClientReport report);
    void execute();
    void handle(AcquireOrder &order);
    void handle(const ReleaseOrder &order);
    void handle(const ExtendOrder &order);
    void handle(const QuitOrder &order);
    void handle(PutOrder &order);
    void handle(GetOrder &order);
    void handle(const RecomputeOrder &order);
    void handle(const SendOrder &order);
    void handle(const WriteOrder &order);
    void handle(const ResumeOrder &order);
    void handle(const ClockOrder &order);
    void handle(const LoseReplyOrder &order);
    void handle(ReconnectOrder order);
    /// Runs an exchange with the recipe's cache, and keeps the cache alive until the end.
    template<typename Order, typename Exchanging>
    void withCache(Order &order, Exchanging exchanging);
    void perform(exchange::Exchange<OperationResult> operation);
    void acquired(const base::Result<locks::Acquisition> &acquisition);
    void released(const base::Result<locks::ReleaseOutcome> &outcome);
    void extended(base::Lease lease, const base::Result<locks::Extension> &extension);
    void finishOrder();

    /// Renews or checks the hold until the next release or extend. Does neither after a ResumeOrder with sendsOneByOne.
    void keep();
    void lose(const locks::Loss &loss);

    [[nodiscard]] ClientReport about(ClientReport::Event event) const;
    [[nodiscard]] ClientReport failureReport(const base::Error &error) const;
    /// Reports that an order is not possible in the current state.
    void refuse(const base::Text &reason);
    void sendReport(ClientReport report);
    void reportHold(ClientReport::Event event, const std::optional<locks::FencingToken> &fencing = {});
    void reportWireEntry(const exchange::TranscriptEntry &entry);

    const base::Clock &m_clock; // Not owned.
    OffsetClock m_ownClock;     ///< Clock that recipes read.
    ClientSessions m_sessions;
    exchange::LoopDriver m_driver;
    BreakpointDriver m_breakpoints; ///< Used for orders only. Renewals and checks of the lock are never paused.
    locks::LeaseWatchdog m_watchdog;
    ReplyLoss m_loss;
    std::deque<QByteArray> m_orders;
    bool m_mayBegin = false; ///< Whether orders are processed. Orders are answered with an error if no server is ready.
    bool m_isLastOrder = false;
    bool m_isWorking = false; ///< Whether an order is being executed.
    bool m_isStepped = false; ///< Whether the commands of a pipeline are sent one by one.
    bool m_isFinished = false;
    const locks::Recipe *m_recipe = nullptr; // Not owned: the catalogue's.
    std::unique_ptr<locks::Lock> m_lock;     ///< Null unless the client holds or acquires a lock.
    std::unique_ptr<caches::Cache> m_cache;  ///< Null unless a cache operation is running.
    std::optional<locks::FencingToken> m_fencing;
    base::Key m_key;
    base::OwnerToken m_token;
    std::optional<base::Lease> m_lease;
    base::MonotonicTime m_validUntil;
};

} // namespace latchkey::playground
