#pragma once

#include "core/races/snapshot.h"
#include "core/resp/blockingconnection.h"
#include "core/resp/endpoint.h"

#include <map>
#include <memory>

namespace latchkey::races {

/// The connections over which a testbed's server tells what is published.
///
/// Who has subscribed to anything has a connection of its own for that, subscribed to the same; what comes there
/// between a question and the answer to a PING is what the question has published. Owned by the Testbed.
class Ears final
{
public:
    explicit Ears(resp::Endpoint endpoint)
        : m_endpoint(std::move(endpoint))
    {}

    /// Subscribes each to what its connection is, and forgets what has come by then. Errors of the server.
    [[nodiscard]] base::Result<void> arrange(const std::vector<ConnectionState> &connections);
    /// What the speaker sends where it listens; see resp::Subscriptions for the reply. Errors as arrange().
    [[nodiscard]] base::Result<resp::Reply> tell(const ConnectionState &speaker, const resp::Command &command);
    /// Puts what has been published since arrange() into the inboxes. Errors as arrange().
    [[nodiscard]] base::Result<void> hear(std::vector<ConnectionState> &connections);

private:
    struct Ear
    {
        std::unique_ptr<resp::BlockingConnection> connection;
        resp::Subscriptions subscriptions;
    };

    [[nodiscard]] base::Result<Ear *> earOf(int speaker);
    [[nodiscard]] static base::Result<void> turn(Ear &ear, const resp::Subscriptions &wanted);

    const resp::Endpoint m_endpoint;
    std::map<int, Ear> m_ears; ///< By speaker.
};

} // namespace latchkey::races
