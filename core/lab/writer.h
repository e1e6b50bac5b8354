#pragma once

#include "core/exchange/loopdriver.h"
#include "core/lab/plan.h"
#include "core/resp/session.h"

#include <deque>

namespace latchkey::lab {

/// Writes the keys of a plan, in the process that is killed for it.
///
/// Many at a time, over one connection. A write that is to be cut short stands still after so many commands, until the
/// process is no more: what it would have sent next is never sent. Progress is told as it comes, so that what has been
/// written can be measured meanwhile.
/// Owned by the process; clock and random source are not owned.
class Writer final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Writer)

public:
    Writer(const resp::Endpoint &server, Plan plan, const base::Clock &clock, base::RandomSource &random);
    ~Writer() override;

    void start();

Q_SIGNALS:
    /// Of all keys below this number the write has ended or stands still.
    void wrote(int keys);
    /// Of all keys: nothing moves any more.
    void stood(int heldWrites);
    void failed(const latchkey::base::Error &error);

private:
    struct Write;

    void sessionChanged(resp::Session::State state);
    void begin();
    void proceed(int key);
    void carryOut(int key);
    void settle(int key, bool isHeld);
    void fail(const base::Error &error);

    const Plan m_plan;
    resp::Session m_session;
    exchange::LoopDriver m_driver;
    std::map<int, std::unique_ptr<Write>> m_writes; ///< Those under way, and those that stand still.
    int m_next = 0;
    int m_underWay = 0;
    int m_held = 0;
    std::vector<bool> m_settled;
    int m_settledBelow = 0;
    int m_told = 0;
    bool m_hasFailed = false;
};

} // namespace latchkey::lab
