#pragma once

#include "core/explore/schedules/recordedschedule.h"
#include "core/foundation/base/error.h"

#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace latchkey::schedules {

/// Returns the error of a request that failed, or that the server answered with an error reply.
[[nodiscard]] base::Result<void> successOf(const base::Result<resp::Reply> &reply);

/// The faults of servers in a played schedule: a failover or a restart that loses writes, and a jump of the clock.
///
/// Each fault is simulated on the running server, by commands: the server gets back the keys that it had before the
/// first lost step. The keys are therefore saved before each such step. Owned by the SchedulePlayer. The schedule is
/// not owned. It ends no connections.
class ServerFaults final
{
public:
    /// A function that sends a command to a server over a connection that belongs to no client.
    using Ask = std::function<base::Result<resp::Reply>(int server, const resp::Command &command)>;

    ServerFaults(const RecordedSchedule &schedule, Ask ask);
    Q_DISABLE_COPY_MOVE(ServerFaults)

    /// Forgets the saved keys.
    void restart() { m_kept.clear(); }
    /// Keeps the keys of the server, if a later fault loses the writes of the step at this position.
    [[nodiscard]] base::Result<void> keepState(int server, std::size_t position);
    /// Gives the server the keys that it has after the fault.
    [[nodiscard]] base::Result<void> fail(const ScheduleStep &step);
    /// Deletes all keys with a lifetime.
    [[nodiscard]] base::Result<void> jumpClock(int server);
    /// Shortens the lifetimes in the kept states.
    void advance(std::chrono::milliseconds time);
    /// Removes an expired key from the kept states, unless the key expires later there. Does nothing in a schedule with
    /// times, where advance() ends the key.
    void forgetEndedKey(int server, const QByteArray &key, qint64 left);

private:
    /// A key of a former state of a server.
    struct KeptKey
    {
        QByteArray key;
        QByteArray dump; ///< Output of DUMP.
        qint64 left = 0; ///< Remaining milliseconds; negative: no lifetime.
    };

    const Ask m_ask;
    const bool m_hasTime;                              ///< Whether time passes in the schedule.
    std::set<std::pair<int, std::size_t>> m_firstLost; ///< Servers, and the first step that a fault of each loses.
    /// Keys of each server before such a step.
    std::map<std::pair<int, std::size_t>, std::vector<KeptKey>> m_kept;
};

} // namespace latchkey::schedules
