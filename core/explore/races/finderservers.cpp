#include "core/explore/races/finderservers.h"

#include "core/explore/races/narration.h"

namespace latchkey::races {

using base::ErrorKind;
using base::failure;
using base::Result;
using namespace std::chrono_literals;

FinderServers::~FinderServers() = default;

Result<std::unique_ptr<FinderServers>> FinderServers::open(const Subject &subject)
{
    std::unique_ptr<FinderServers> opened(new FinderServers);
    auto &clock = opened->m_clock;
    const ExternalProgram *program = subject.program.get();
    if (program != nullptr && program->isClockControlled()) {
        auto created = shim::ServerClock::create(program->clockLibrary(), Attempt::startOfTime());
        if (!created)
            return failure(std::move(created.error()));
        clock = std::move(*created);
    }
    std::vector<net::Endpoint> endpoints;
    for (int i = 0; i < subject.servers; ++i) {
        auto server = std::make_unique<privateserver::PrivateServer>();
        if (clock)
            server->setLaunchHook([clock = clock.get()](process::Launch &launch) { clock->show(launch); });
        if (auto started = server->startAndWait(); !started)
            return failure(std::move(started.error()));
        if (clock && !clock->usesOnlyVirtualClock(static_cast<pid_t>(server->processId())))
            return failure(ErrorKind::Local, QT_TRANSLATE_NOOP("core", "the race finder's server does not go by the "
                                                                       "clock that it was given"));
        endpoints.push_back(server->endpoint());
        opened->m_servers.push_back(std::move(server));
    }
    auto effectCache = clock              ? EffectCache::open(endpoints.front(), 1ms, clock.get())
                     : program != nullptr ? EffectCache::open(endpoints.front(), 100ms)
                                          : EffectCache::open(endpoints.front());
    if (!effectCache)
        return failure(std::move(effectCache.error()));
    opened->m_effectCache = std::move(*effectCache);
    opened->m_replay = std::make_unique<ScheduleReplay>(endpoints, clock.get());
    return opened;
}

Result<schedules::RecordedSchedule> FinderServers::replayed(Transitions &transitions, const Schedule &schedule)
{
    auto recorded = narrate(transitions, schedule);
    if (!recorded)
        return recorded;
    auto played = transitions.model().subject().program ? validate(transitions, schedule, *recorded)
                                                        : m_replay->play(transitions, schedule, *recorded);
    if (!played)
        return failure(std::move(played.error()));
    return recorded;
}

/// Replays the schedule with new processes as clients, and then replays its server commands on a real server.
Result<void> FinderServers::validate(Transitions &transitions, const Schedule &schedule,
                                     const schedules::RecordedSchedule &recorded)
{
    if (auto validated = transitions.model().subject().program->validate(transitions, schedule); !validated)
        return validated;
    if (auto quiet = m_effectCache->leaveServer(); !quiet) // PUBLISH returns the number of subscribers.
        return quiet;
    return m_replay->playRecorded(recorded);
}

} // namespace latchkey::races
