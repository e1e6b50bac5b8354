#pragma once

#include <QString>
#include <QStringList>

namespace latchkey::schedules {

/// The writes that a server has saved when it restarts.
enum class Persistence : quint8 {
    None,     ///< The server restarts empty.
    EverySec, ///< The server restarts with the state of its last fsync and lacks some of its last writes.
    Always,   ///< The server restarts with all its writes.
};

/// Returns the id of the option --persistence: `everysec`.
[[nodiscard]] QString persistenceId(Persistence persistence);

/// The maximum number of server faults of each kind in one schedule, if the promise permits them, and their extent.
struct ServerFaultLimits
{
    static constexpr int maxCount = 10; ///< Maximum of each number.

    int failovers = 1;
    int restarts = 1;
    int clockJumps = 1;
    int partitions = 1;
    int lostWrites = 1; ///< Maximum number of writes that are lost by a failover or by a restart with EverySec.
    Persistence persistence = Persistence::None;
    bool restartsAfterLease = false; ///< Whether a restarted server stays away until all leases are over.

    /// Returns the options of `explore` for these promises, with their values. Empty for promises without server
    /// faults.
    [[nodiscard]] QStringList argumentsFor(const QStringList &promises) const;
};

/// Returns the limits of those faults that the promises permit: `1 failover, 2 restarts`. Empty without such faults.
[[nodiscard]] QString limitsText(const QStringList &promises, const ServerFaultLimits &limits);

} // namespace latchkey::schedules
