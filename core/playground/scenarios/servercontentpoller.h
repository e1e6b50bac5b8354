#pragma once

#include "core/playground/scenarios/expectationchecker.h"
#include "core/playground/scenarios/scenariorun.h"

namespace latchkey::scenarios {

/// A poller of the servers' content, for a diagram: it records the keys of the recorder while a story is played.
///
/// Owned by the player. The run and the clock are not owned. It reports no failure: the step under way detects it.
class ServerContentPoller final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerContentPoller)

public:
    ServerContentPoller(ScenarioRun &run, const base::Clock &clock);

    void start();
    void stop();

private:
    void poll();
    void record(const std::vector<ObservedKey> &keys);

    ScenarioRun &m_run;
    const base::Clock &m_clock;
    bool m_isPending = false; ///< Whether replies of the last poll are still missing.
    QTimer m_timer;
};

} // namespace latchkey::scenarios
