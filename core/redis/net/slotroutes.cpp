#include "core/redis/net/slotroutes.h"

#include "core/redis/resp/keyslot.h"

#include <algorithm>

namespace latchkey::net {

using base::Text;
using namespace std::chrono_literals;

namespace {

/// Wait before a command is repeated while its keys are on two nodes.
constexpr auto migrationPause = 20ms;

} // namespace

SlotRoutes::SlotRoutes(Endpoint entry)
    : m_entry(std::move(entry))
{}

Endpoint SlotRoutes::endpointOf(const Endpoint &entry, const resp::NodeAddress &address)
{
    if (!address.host.isEmpty())
        return entry.announcing({address.host, address.port});
    if (entry.transport == Endpoint::Transport::Tcp)
        return entry.announcing({entry.host, address.port});
    Endpoint endpoint = entry;
    endpoint.port = address.port;
    return endpoint;
}

std::optional<base::Error> SlotRoutes::refusal(const resp::Command &command) const
{
    if (!m_isCluster)
        return std::nullopt;
    const std::vector<QByteArray> keys = resp::keysOf(command);
    const auto other = std::ranges::find_if(
        keys, [&keys](const QByteArray &key) { return resp::slotOf(key) != resp::slotOf(keys.front()); });
    if (other == keys.end())
        return std::nullopt;
    return base::Error {
        base::ErrorKind::CrossSlot,
        Text(QT_TRANSLATE_NOOP("core",
                               "the server is a cluster, and the keys \"%1\" and \"%2\" are in different slots; "
                               "nothing was sent; a key with a hash tag such as {name} keeps them together"),
             base::printable(keys.front(), 100), base::printable(*other, 100))};
}

Endpoint SlotRoutes::endpointFor(const resp::Command &command)
{
    if (m_endpoints.empty())
        return m_entry;
    if (const std::vector<QByteArray> keys = resp::keysOf(command); !keys.empty()) {
        const auto found = m_bySlot.constFind(resp::slotOf(keys.front()));
        m_last = found == m_bySlot.cend() ? std::nullopt : std::optional(*found);
    }
    return m_last ? m_endpoints[*m_last] : m_entry;
}

const Endpoint &SlotRoutes::endpointOfKey(const QByteArray &key) const
{
    const auto found = m_bySlot.constFind(resp::slotOf(key));
    return found == m_bySlot.cend() ? m_entry : m_endpoints[*found];
}

std::size_t SlotRoutes::indexOf(const Endpoint &endpoint)
{
    const auto found = std::ranges::find(m_endpoints, endpoint);
    if (found == m_endpoints.end()) {
        m_endpoints.push_back(endpoint);
        return m_endpoints.size() - 1;
    }
    return static_cast<std::size_t>(found - m_endpoints.begin());
}

void SlotRoutes::learn(const resp::ClusterSlots &primaries)
{
    for (const resp::ClusterSlots::Primary &primary : primaries.primaries()) {
        const std::size_t index = indexOf(endpointOf(m_entry, primary.address));
        for (const auto &[first, last] : primary.ranges) {
            for (int slot = first; slot <= last; ++slot)
                m_bySlot.insert(slot, index);
        }
    }
}

bool SlotRoutes::forget(const Endpoint &endpoint)
{
    const auto found = std::ranges::find(m_endpoints, endpoint);
    if (found == m_endpoints.end())
        return false;
    const auto index = static_cast<std::size_t>(found - m_endpoints.begin());
    m_bySlot.removeIf([index](const auto &each) { return each.value() == index; });
    if (m_last == index)
        m_last.reset();
    return true;
}

std::optional<SlotRoutes::RedirectTarget> SlotRoutes::take(const resp::Command &command, const Endpoint &endpoint,
                                                           const resp::Reply &reply)
{
    const auto redirect = resp::Redirect::fromReply(reply);
    if (!redirect)
        return std::nullopt;
    switch (redirect->kind) {
    case resp::Redirect::Kind::Moved: {
        const Endpoint owner = endpointOf(endpoint, redirect->address);
        m_last = indexOf(owner);
        m_bySlot.insert(redirect->slot, *m_last);
        return RedirectTarget {owner, false, 0ms};
    }
    case resp::Redirect::Kind::Ask:
        return RedirectTarget {endpointOf(endpoint, redirect->address), true, 0ms};
    case resp::Redirect::Kind::TryAgain:
        return RedirectTarget {endpointFor(command), false, migrationPause}; // The route is determined again.
    }
    Q_UNREACHABLE();
}

base::Error unreachableNode(const Endpoint &endpoint, const base::Error &error)
{
    return {error.kind,
            Text(QT_TRANSLATE_NOOP("core", "the cluster names the node %1 for this key, and that address cannot be "
                                           "reached: %2"),
                 endpoint.display(), error.text)};
}

} // namespace latchkey::net
