#include "core/inspect/detection/clientlist.h"
#include "tests/fuzz/target.h"

#include <algorithm>

namespace latchkey::fuzz {

/// Checks that lines of CLIENT LIST are read separately as they are read together. A list is incomplete if and only if
/// a line is left out.
void fuzzClients(QByteArrayView bytes)
{
    using detection::ClientList;
    const QByteArray reply = bytes.toByteArray();
    const ClientList together = ClientList::fromReply(reply);
    ClientList alone;
    for (const QByteArray &line : reply.split('\n')) {
        const ClientList one = ClientList::fromReply(line);
        require(one.clients.size() <= 1, "a line is no more than one client");
        require(line.trimmed().isEmpty() || one.isComplete != one.clients.empty(), "a line is a client or is left out");
        alone.clients.insert(alone.clients.end(), one.clients.begin(), one.clients.end());
        alone.isComplete = alone.isComplete && one.isComplete;
    }
    require(alone.clients == together.clients && alone.isComplete == together.isComplete,
            "lines are read alone as together");
    require(std::ranges::all_of(together.clients, [](const auto &client) { return client.idle.count() >= 0; }),
            "no time is negative");
}

} // namespace latchkey::fuzz
