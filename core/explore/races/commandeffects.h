#pragma once

#include "core/explore/races/model.h"
#include "core/explore/races/ownership.h"
#include "core/explore/races/writedetector.h"

#include <unordered_map>

namespace latchkey::races {

/// Effect of a command or an expiry on all servers.
struct AppliedEffect
{
    ServersStateId after = 0;
    ReplyId reply = 0;
    LockChange change;
};

/// The effects of commands on the servers of a model, with the changes of lock and owners. Each is computed once.
///
/// An EffectCache knows the keys of one server. This class also knows their owners, and the former states that a
/// failover can restore. Owned by the Transitions. The model is not owned; new server states are added to it.
class CommandEffects final
{
public:
    /// `model`: not owned.
    explicit CommandEffects(Model &model);
    Q_DISABLE_COPY_MOVE(CommandEffects)

    /// Returns the effect of the command on the server. `conversationId`: that of conversationIdOf(); `noClient` for
    /// the command of a fault. Error: the server cannot be asked.
    [[nodiscard]] base::Result<AppliedEffect> execute(ServersStateId serversStateId, int conversationId, int server,
                                                      CommandId command);
    /// Returns the effect of a client's request. WAIT has no effect if its timeout is over, or if it waits for more
    /// replicas than the server has.
    [[nodiscard]] base::Result<AppliedEffect> executeRequest(ServersStateId serversStateId, ClientIndex client,
                                                             const GraphNode::Pending &request);

private:
    struct EffectKey
    {
        ServersStateId serversState;
        int conversationId;
        int server;
        CommandId command;
        friend bool operator==(const EffectKey &, const EffectKey &) = default;
    };
    struct EffectKeyHash
    {
        std::size_t operator()(const EffectKey &key) const
        {
            return qHashMulti(0, key.serversState, key.conversationId, key.server, key.command);
        }
    };

    void note(AppliedEffect &applied, ServersState &serversState, int server, ClientIndex client,
              const Effect &effect) const;
    [[nodiscard]] base::Result<void> noteForProgram(AppliedEffect &applied, ServersState &serversState,
                                                    const EffectKey &key, const Effect &effect);

    Model &m_model; // Not owned.
    WriteDetector m_probe;
    std::unordered_map<EffectKey, AppliedEffect, EffectKeyHash> m_effects;
};

} // namespace latchkey::races
