#pragma once

#include "core/exchange/loopdriver.h"
#include "core/locks/holdkeeper.h"
#include "core/playground/aheadclock.h"
#include "core/playground/clientprotocol.h"
#include "core/playground/gate.h"
#include "core/playground/replyloss.h"
#include "core/resp/session.h"

#include <QObject>
#include <QTimer>

#include <deque>
#include <memory>
#include <vector>

namespace latchkey::playground {

/// One client of a server: it is given orders, carries them out one after the other, and reports what came of each.
///
///     Connecting → (the server lets it in, or fails to) → Waiting ⇄ Working      any of them → finished
///
/// It holds at most one lock, believes what its own operations told it, and where the recipe asks for that it renews
/// what it holds; where contenders may give its lock an earlier end, it looks at that, at each third of the lease. Not
/// while an order about it is carried out. It releases nothing when it goes. `latchkey-cli actor`
/// puts it behind standard input and output, which makes it a process; see ClientProcess for the other end of that.
/// Owned by the command; clock and random source are not owned.
class Actor final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Actor)

public:
    /// servers: one, or those of a recipe that uses several.
    Actor(const std::vector<resp::Endpoint> &servers, const base::Clock &clock, base::RandomSource &random,
          QObject *parent = nullptr);
    ~Actor() override;

    /// Connects; the first report says what came of it.
    void start();
    /// Its next order, a line of JSON. It is carried out, or answered with what is wrong with it, when its turn comes;
    /// what is aside at once.
    void order(const QByteArray &line);
    /// There will be no more orders: those that there are are still carried out.
    void endOrders();

Q_SIGNALS:
    void reported(const latchkey::playground::ClientReport &report);
    /// It was told to quit, or has carried out its last order.
    void finished();

private:
    void sessionChanged(resp::Session::State state);
    void become(ClientReport report, bool isReady);
    void carryOut();
    void handle(AcquireOrder &order);
    void handle(const ReleaseOrder &order);
    void handle(const ExtendOrder &order);
    void handle(const QuitOrder &order);
    void handle(PutOrder &order);
    void handle(GetOrder &order);
    void handle(const RecomputeOrder &order);
    void handle(const SendOrder &order);
    void handle(const WriteOrder &order);
    void handle(const GoOrder &order);
    void handle(const ClockOrder &order);
    void handle(const LoseReplyOrder &order);
    /// With the recipe's cache, which is kept meanwhile.
    template<typename Order, typename Exchanging>
    void withCache(Order &order, Exchanging exchanging);
    void perform(exchange::Exchange<Upshot> deed);
    void acquired(const base::Result<locks::Acquisition> &acquisition);
    void released(const base::Result<locks::ReleaseOutcome> &outcome);
    void extended(base::Lease lease, const base::Result<locks::Extension> &extension);
    void finishOrder();

    /// Renews its hold, or looks at it, until the next order about it. Does neither for a client that is let go singly.
    void keep();
    void lose(const locks::Loss &loss);

    [[nodiscard]] ClientReport about(ClientReport::Event event) const;
    [[nodiscard]] ClientReport failureReport(const base::Error &error) const;
    void tell(ClientReport report);
    void tellHold(ClientReport::Event event, const std::optional<locks::FencingNumber> &fencing = {});
    void tellWire(const exchange::TranscriptEntry &entry);

    const base::Clock &m_clock; // Not owned.
    AheadClock m_ownClock;      ///< What it goes by, where a recipe asks for the time.
    const std::vector<std::unique_ptr<resp::Session>> m_sessions;
    exchange::LoopDriver m_driver;
    Gate m_gate; ///< For what it is told to do; what it does of itself, to keep its lock, is not held.
    locks::HoldKeeper m_keeper;
    ReplyLoss m_loss;
    QTimer m_knock;
    std::deque<QByteArray> m_orders;
    bool m_isReady = false;  ///< A server has let it in.
    bool m_mayBegin = false; ///< Or there is a reason why not: orders are answered.
    bool m_isLastOrder = false;
    bool m_isWorking = false; ///< On an order.
    bool m_isStepped = false; ///< It is let go singly.
    bool m_isFinished = false;
    const locks::Recipe *m_recipe = nullptr; // Not owned: the catalogue's.
    std::unique_ptr<locks::Lock> m_lock;     ///< While it holds one, or tries to.
    std::unique_ptr<caches::Cache> m_cache;  ///< While it reads or writes one.
    std::optional<locks::FencingNumber> m_fencing;
    base::Key m_key;
    base::OwnerToken m_token;
    std::optional<base::Lease> m_lease;
    base::MonotonicTime m_validUntil;
};

} // namespace latchkey::playground
