#pragma once

#include "core/explore/races/effectcache.h"
#include "core/explore/races/schedulereplay.h"
#include "core/explore/races/transitions.h"
#include "core/explore/shim/serverclock.h"
#include "core/redis/privateserver/privateserver.h"

namespace latchkey::races {

/// The private servers of a finder: they compute the effects of commands for the search, and replay its schedules.
///
/// A program with a virtual clock gets servers with the same clock. Owned by the Finder; ends its servers.
class FinderServers final
{
public:
    /// Starts the servers for the subject. For a program, call after its open(). Error (Local): no server can be
    /// started, or its clock cannot be controlled.
    [[nodiscard]] static base::Result<std::unique_ptr<FinderServers>> open(const Subject &subject);
    ~FinderServers();
    Q_DISABLE_COPY_MOVE(FinderServers)

    [[nodiscard]] EffectCache &effectCache() { return *m_effectCache; }
    [[nodiscard]] const EffectCache &effectCache() const { return *m_effectCache; }
    /// Returns the schedule as a story, after a successful replay. A program's schedule is first repeated with new
    /// processes as clients. Errors as those of Finder::step().
    [[nodiscard]] base::Result<schedules::RecordedSchedule> replayed(Transitions &transitions,
                                                                     const Schedule &schedule);

private:
    FinderServers() = default;
    [[nodiscard]] base::Result<void> validate(Transitions &transitions, const Schedule &schedule,
                                              const schedules::RecordedSchedule &recorded);

    std::unique_ptr<shim::ServerClock> m_clock; ///< Null: the servers use the machine's clock. Outlives the servers.
    std::vector<std::unique_ptr<privateserver::PrivateServer>> m_servers;
    std::unique_ptr<EffectCache> m_effectCache;
    std::unique_ptr<ScheduleReplay> m_replay;
};

} // namespace latchkey::races
