#pragma once

#include "core/races/model.h"

namespace latchkey::races {

/// Plays a schedule from the start on real servers, with a real connection for each client, and holds what happens
/// against what the search has worked out.
///
/// The search asks its server every question once and puts the answers together. That it did so rightly is not assumed:
/// every counterexample, and a random sample of what holds, is played again here, step by step, without a single
/// remembered answer.
class Replay final
{
public:
    /// servers: as many as the subject has, of the finder's own: they are emptied.
    explicit Replay(std::vector<resp::Endpoint> servers);

    /// Error (Protocol) at the first reply or key that differs from what the model says.
    [[nodiscard]] base::Result<void> play(Model &model, const Schedule &schedule);

private:
    using Connection = std::unique_ptr<resp::BlockingConnection>;

    [[nodiscard]] base::Result<resp::BlockingConnection *> connectionTo(int server, ClientIndex client);
    [[nodiscard]] base::Result<void> empty(Model &model);
    [[nodiscard]] base::Result<void> compare(Model &model, const State &state, int server, const QString &after);

    const std::vector<resp::Endpoint> m_servers;
    std::map<std::pair<int, ClientIndex>, Connection> m_connections;
};

} // namespace latchkey::races
