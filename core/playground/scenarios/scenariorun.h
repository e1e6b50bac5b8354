#pragma once

#include "core/playground/scenarios/extendedttls.h"
#include "core/playground/scenarios/keptkeys.h"
#include "core/playground/scenarios/scenario.h"
#include "core/playground/scenarios/scenarioclients.h"
#include "core/playground/scenarios/scenarioservers.h"

#include <QTimer>

#include <chrono>
#include <functional>

namespace latchkey::playground {
class SequenceRecorder;
}

namespace latchkey::scenarios {

/// The servers and clients of a story that is being played, for the parts of the player.
///
/// The player attaches them when it prepares the story, and detaches them when the verdict is final or the story is
/// restarted. No reply and no delayed call arrives after that. Owned by the player; its contents are not owned.
class ScenarioRun final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ScenarioRun)

public:
    using QObject::QObject;

    void attach(const Scenario &scenario, ScenarioServers &servers, ScenarioClients &clients,
                playground::SequenceRecorder &recorder);
    void detach();
    [[nodiscard]] bool isAttached() const { return m_servers != nullptr; }

    // Valid while attached:
    [[nodiscard]] const Scenario &scenario() const { return *m_scenario; }
    [[nodiscard]] ScenarioServers &servers() const { return *m_servers; }
    [[nodiscard]] ScenarioClients &clients() const { return *m_clients; }
    [[nodiscard]] playground::SequenceRecorder &recorder() const { return *m_recorder; }
    /// Returns the extended TTLs, which are used if Scenario::extendsTtls is set.
    [[nodiscard]] ExtendedTtls &extendedTtls() { return m_extendedTtls; }

    /// Returns the keys that later server faults restore.
    [[nodiscard]] KeptKeys &keptKeys() { return m_keptKeys; }

    /// Sends a request to the servers. A failure is reported by failed().
    template<typename T>
    void execute(exchange::Exchange<T> question, std::function<void(const T &)> done)
    {
        if (!isAttached())
            return;
        m_servers->driver().run<T>(std::move(question),
                                   [this, asked = m_servers, done = std::move(done)](const base::Result<T> &answer) {
                                       if (m_servers != asked)
                                           return;
                                       if (answer)
                                           done(*answer);
                                       else
                                           Q_EMIT failed(answer.error());
                                   });
    }
    /// Calls a function after this time.
    void later(std::chrono::milliseconds time, std::function<void()> what);

Q_SIGNALS:
    void failed(const latchkey::base::Error &error);

private:
    const Scenario *m_scenario = nullptr;
    ScenarioServers *m_servers = nullptr;
    ScenarioClients *m_clients = nullptr;
    playground::SequenceRecorder *m_recorder = nullptr;
    ExtendedTtls m_extendedTtls;
    KeptKeys m_keptKeys;
};

} // namespace latchkey::scenarios
