#pragma once

#include "core/foundation/files/jsonnode.h"
#include "core/playground/scenarios/scenario.h"

#include <QSet>

#include <set>

namespace latchkey::scenarios {

/// The state of clients and servers after the steps of an alternative that were read so far.
///
/// The validator detects steps that cannot happen, as far as this is possible without playing. Owned by the reader of a
/// file.
class ScenarioValidator final
{
public:
    /// Applies a step. Throws base::Failure (Usage), with the location in the file, if the step is impossible.
    void check(const ScenarioStep &step, const files::JsonNode &node);

private:
    /// Known state of one client.
    struct Client
    {
        QString crashedIn; ///< Step in which the client crashed; empty while it is alive.
        QString busySince; ///< Step that left the client busy or held, without an awaited answer; empty if the client
                           ///< is free.
        bool isPaused = false;
        bool hasTried = false;   ///< Whether the client has tried to acquire a lock.
        QString tokenlessRecipe; ///< Recipe of that lock, if the recipe's keys do not identify the holder; else empty.
        QStringList outcomes;    ///< Possible outcomes of the client's last order.
    };

    void followReplicas(const ScenarioStep &step, const files::JsonNode &node);
    void followServers(const ScenarioStep &step, const files::JsonNode &node);
    static void followSignal(Client &client, Signal signal, const ScenarioStep &step, const files::JsonNode &node);
    static void followWaiting(Client &client, const ScenarioStep &step, const files::JsonNode &node);
    static void followOrder(Client &client, const ScenarioStep &step, const files::JsonNode &node);
    void checkHolders(const ScenarioStep &step, const files::JsonNode &node);
    static void checkOutcome(const ScenarioStep &step, const files::JsonNode &node, const Client &client);

    std::map<QString, Client> m_clients;
    QSet<int> m_stopped;                      ///< Indexes of the stopped servers.
    std::set<std::pair<int, int>> m_cut;      ///< Replicas that are cut off, with their servers.
    std::set<std::pair<int, int>> m_promoted; ///< Promoted replicas.
};

} // namespace latchkey::scenarios
