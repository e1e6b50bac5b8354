#pragma once

#include "core/races/transitions.h"
#include "core/stories/player.h"

namespace latchkey::races {

/// Plays a schedule from the start on real servers, with a real connection for each client, and holds what happens
/// against what the search has worked out.
///
/// The search asks its server every question once and puts the answers together. That it did so rightly is not assumed:
/// every counterexample, and a random sample of what holds, is played again here as a story, step by step, without a
/// single remembered answer: the servers are compared with the model's, and so is what the recipe wants to do next.
class Replay final
{
public:
    /// servers: as many as the subject has, of the finder's own: they are emptied.
    /// clock: that they go by, not owned; null: by the machine's.
    explicit Replay(std::vector<resp::Endpoint> servers, shim::ServerClock *clock = nullptr);

    /// Error (Protocol) at the first reply or key that differs from what the transitions say.
    /// story: the schedule's, as narrate() tells it.
    [[nodiscard]] base::Result<void> play(Transitions &transitions, const Schedule &schedule,
                                          const stories::Story &story);

    /// The story by itself, as anybody can play it, who knows nothing of what is explored. Error (Protocol): a server
    /// answers otherwise than it tells.
    [[nodiscard]] base::Result<void> tell(const stories::Story &story) const;

private:
    [[nodiscard]] base::Result<void> connect();
    [[nodiscard]] static base::Result<void> playStep(stories::Player &player, const stories::Step &step,
                                                     const Move &move, Attempt *attempt);
    [[nodiscard]] base::Result<void> compare(const Model &model, const State &state, const base::Text &after);

    const std::vector<resp::Endpoint> m_servers;
    shim::ServerClock *const m_clock;                                   ///< Not owned; may be null.
    std::vector<std::unique_ptr<resp::BlockingConnection>> m_observers; ///< One for each server, once connected.
};

} // namespace latchkey::races
