#pragma once

#include "core/playground/lab/plan.h"
#include "core/redis/exchange/loopdriver.h"
#include "core/redis/net/session.h"

#include <deque>

namespace latchkey::lab {

/// A writer of all keys of a plan. It runs in the process that the lab kills.
///
/// The writer writes many keys at a time over one connection. A write with Plan::isCrashed() pauses after
/// Plan::crashAfter commands until the process ends, so its next command is never sent. The writer reports its
/// progress, so that written keys can be measured while it writes further ones. Owned by the process. Clock and random
/// source are not owned.
class BulkWriter final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(BulkWriter)

public:
    BulkWriter(const net::Endpoint &server, Plan plan, const base::Clock &clock, base::RandomSource &random);
    ~BulkWriter() override;

    void start();

Q_SIGNALS:
    /// Emitted when the writes of all keys below this number have ended or are paused.
    void wrote(int keys);
    /// Emitted when all writes have ended or are paused. `pausedWrites`: number of paused writes.
    void allSettled(int pausedWrites);
    void failed(const latchkey::base::Error &error);

private:
    struct Write;

    void sessionChanged(net::Session::State state);
    void begin();
    void proceed(int key);
    void execute(int key);
    void settle(int key, bool isPaused);
    void fail(const base::Error &error);

    const Plan m_plan;
    net::Session m_session;
    exchange::LoopDriver m_driver;
    std::map<int, std::unique_ptr<Write>> m_writes; ///< Active and paused writes.
    int m_next = 0;
    int m_underWay = 0;
    int m_pausedWrites = 0;
    std::vector<bool> m_settled;
    int m_settledBelow = 0;
    int m_reportedKeys = 0;
    bool m_hasFailed = false;
};

} // namespace latchkey::lab
