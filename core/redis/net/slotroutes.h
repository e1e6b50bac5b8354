#pragma once

#include "core/redis/net/endpoint.h"
#include "core/redis/resp/clusterslots.h"
#include "core/redis/resp/command.h"

#include <QHash>

#include <chrono>

namespace latchkey::net {

/// The routes of commands to the nodes of a cluster: the node that serves each slot, as far as it is known.
///
/// Every command goes to the entry, the server of the URL, until a node redirects it (`MOVED`, `ASK`). So a server that
/// is not a cluster needs no request, and a user without the right to `CLUSTER` reaches every key. A command without
/// keys goes to the node of the last command with a key, because both belong to the same recipe: `SCRIPT LOAD`,
/// `MULTI`. Owned by a driver, one for each of its servers; it performs no I/O.
class SlotRoutes final
{
public:
    explicit SlotRoutes(Endpoint entry);

    [[nodiscard]] const Endpoint &entry() const { return m_entry; }
    /// Returns the endpoint of a node, with the user, TLS, SSH and proxy of the entry. Its address is the announced
    /// one, or the one that the address map of the entry gives for it.
    [[nodiscard]] static Endpoint endpointOf(const Endpoint &entry, const resp::NodeAddress &address);

    /// Sets whether the server is a cluster node, as reported by INFO.
    void setCluster(bool isCluster) { m_isCluster = isCluster; }
    /// Returns why the command cannot be executed: its keys are in different slots of a cluster. Absent if no reason is
    /// known. To be called before the command is sent.
    [[nodiscard]] std::optional<base::Error> refusal(const resp::Command &command) const;

    /// Returns the endpoint to send the command to.
    [[nodiscard]] Endpoint endpointFor(const resp::Command &command);
    /// Returns the endpoint that serves a key, as far as it is known.
    [[nodiscard]] const Endpoint &endpointOfKey(const QByteArray &key) const;
    /// Stores the primaries of all slots.
    void learn(const resp::ClusterSlots &primaries);
    /// Removes an endpoint that cannot be reached any more, because a replica may have taken over its slots. The next
    /// commands go to the entry. Returns whether the endpoint was known.
    bool forget(const Endpoint &endpoint);

    /// The parameters to repeat a redirected command.
    struct RedirectTarget
    {
        Endpoint endpoint;
        bool isAsking = false;              ///< `ASKING` precedes the command.
        std::chrono::milliseconds pause {}; ///< Wait before the command is sent.
    };
    /// Processes the reply of an endpoint to a command. Returns the parameters to repeat the command, which was not
    /// executed. Absent if the reply is the answer.
    [[nodiscard]] std::optional<RedirectTarget> take(const resp::Command &command, const Endpoint &endpoint,
                                                     const resp::Reply &reply);

private:
    [[nodiscard]] std::size_t indexOf(const Endpoint &endpoint);

    const Endpoint m_entry;
    bool m_isCluster = false;
    std::vector<Endpoint> m_endpoints; ///< All nodes ever known, so that their indices stay valid.
    QHash<int, std::size_t> m_bySlot;  ///< Index of the endpoint that serves a slot.
    std::optional<std::size_t> m_last; ///< Place of the last command with a key; absent: the entry.
};

/// Returns the error of a node that cannot be reached at the address announced by its cluster.
[[nodiscard]] base::Error unreachableNode(const Endpoint &endpoint, const base::Error &error);

} // namespace latchkey::net
