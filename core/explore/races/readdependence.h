#pragma once

#include "core/explore/races/commandeffects.h"

namespace latchkey::races {

struct ClientStep;

/// The dependence of an overwriting step of a program on the client's earlier reads of the shared resource.
///
/// The commands do not show from which read a written value was computed. The client's graph therefore provides the
/// command that the client would have sent after another reply to the read. Owned by the Transitions. Model and effects
/// are not owned; new nodes are added to the client's graph.
class ReadDependence final
{
public:
    /// `model`, `effects`: not owned.
    ReadDependence(Model &model, CommandEffects &effects);
    Q_DISABLE_COPY_MOVE(ReadDependence)

    /// Determines on which reads an overwriting step depends. `access`: the step's access to the resource; updated.
    /// `state`: the state before the step. Error: the server cannot be asked.
    [[nodiscard]] base::Result<void> update(ResourceAccess &access, const State &state, ClientIndex client,
                                            const ClientStep &step);

private:
    /// A read of the resource by a client.
    struct EarlierRead
    {
        NodeId node = ClientGraph::root; ///< Node after the read.
        ClientGraph::Answer answer;
        std::vector<NodeId> since; ///< Nodes after that, the latest first.
        bool isOfProperty = false; ///< Whether the read does not return the value.
    };

    [[nodiscard]] std::vector<EarlierRead> readsBefore(const State &state, ClientIndex client, NodeId node) const;
    [[nodiscard]] base::Result<std::optional<bool>> sendsAfter(ClientIndex client, const ClientStep &step,
                                                               const EarlierRead &read, ReplyId reply);
    [[nodiscard]] base::Result<std::optional<bool>> sendsAfterCurrent(const State &state, ClientIndex client,
                                                                      const ClientStep &step, const EarlierRead &read);
    [[nodiscard]] base::Result<bool> dependsOnEarlierRead(const State &state, ClientIndex client,
                                                          const ClientStep &step);
    [[nodiscard]] base::Result<bool> ignoresLastRead(const State &state, ClientIndex client, const ClientStep &step);

    Model &m_model;            // Not owned.
    CommandEffects &m_effects; // Not owned.
};

} // namespace latchkey::races
