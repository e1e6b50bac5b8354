#include "core/playground/scenarios/scenariorun.h"

namespace latchkey::scenarios {

void ScenarioRun::attach(const Scenario &scenario, ScenarioServers &servers, ScenarioClients &clients,
                         playground::SequenceRecorder &recorder)
{
    m_scenario = &scenario;
    m_servers = &servers;
    m_clients = &clients;
    m_recorder = &recorder;
    m_extendedTtls = {};
    m_keptKeys = {};
}

void ScenarioRun::detach()
{
    m_servers = nullptr;
}

void ScenarioRun::later(std::chrono::milliseconds time, std::function<void()> what)
{
    QTimer::singleShot(time, Qt::PreciseTimer, m_servers, [this, asked = m_servers, what = std::move(what)] {
        if (m_servers == asked)
            what();
    });
}

} // namespace latchkey::scenarios
