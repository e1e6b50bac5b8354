#pragma once

#include "core/foundation/files/jsonnode.h"
#include "core/playground/scenarios/scenario.h"

namespace latchkey::scenarios {

/// Names that a step of a file may refer to, and its default values.
struct StepContext
{
    QStringList clients;
    int servers = 1;
    int replicas = 0; ///< Number of replicas of each server.
    base::Key key;
    QString recipe;
    std::optional<caches::GuardPolicy> policy;
    QString alternative;      ///< The alternative that is being read.
    QStringList alternatives; ///< Names of all alternatives.
};

// Invalid input throws a base::Failure with its position; see JsonNode.

[[nodiscard]] ScenarioStep stepFrom(const files::JsonNode &node, const StepContext &context);
[[nodiscard]] std::vector<StepExpectation> expectationsFrom(const files::JsonNode &node, const StepContext &context);

/// Returns whether an object belongs to the alternative that is being read. `node`: the object's member `in`; if it is
/// missing, the object belongs to every alternative.
[[nodiscard]] bool isIn(const files::JsonNode &node, const StepContext &context);
/// Reads the guard policy; absent if the file has none.
[[nodiscard]] std::optional<caches::GuardPolicy> policyFrom(const files::JsonNode &node);
/// Reads the name of one of the clients.
[[nodiscard]] QString clientFrom(const files::JsonNode &node, const StepContext &context);
/// Reads the index of a server; default: 0.
[[nodiscard]] int serverFrom(const files::JsonNode &node, const StepContext &context);
/// Reads the index of a replica; default: 0. A story without replicas is refused.
[[nodiscard]] int replicaFrom(const files::JsonNode &node, const StepContext &context);
/// Reads fields such as `{"name": "value", …}`.
[[nodiscard]] std::map<QByteArray, QByteArray> fieldsFrom(const files::JsonNode &node);

} // namespace latchkey::scenarios
