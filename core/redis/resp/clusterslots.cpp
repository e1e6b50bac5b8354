#include "core/redis/resp/clusterslots.h"

#include "core/redis/resp/keyslot.h"
#include "core/redis/resp/servererror.h"

#include <algorithm>

namespace latchkey::resp {

namespace {

tl::unexpected<base::Error> notSlots(const Reply &reply)
{
    return base::failure(
        base::ErrorKind::Protocol,
        base::Text(QT_TRANSLATE_NOOP("core", "the server's answer to CLUSTER SLOTS is not one (%1)"), reply.toText()));
}

/// Reads a node `[host, port, id, …]`. A nil host is the node that sent the reply; "?" is an unknown host name.
std::optional<ClusterSlots::Primary> nodeFrom(const Reply &node)
{
    const auto &parts = node.elements();
    if (parts.size() < 2 || !parts[1].isInteger())
        return std::nullopt;
    ClusterSlots::Primary primary;
    primary.address.host = QString::fromUtf8(parts[0].bytes());
    primary.address.port = static_cast<quint16>(parts[1].toInteger());
    if (parts.size() > 2)
        primary.id = parts[2].bytes();
    return primary;
}

} // namespace

std::optional<NodeAddress> NodeAddress::fromText(QByteArrayView text)
{
    const qsizetype colon = text.lastIndexOf(':');
    bool isNumber = false;
    const ushort port = colon < 0 ? 0 : text.sliced(colon + 1).toUShort(&isNumber);
    if (!isNumber || port == 0)
        return std::nullopt;
    return NodeAddress {QString::fromUtf8(text.first(colon)), port};
}

base::Result<ClusterSlots> ClusterSlots::fromReply(const Reply &reply)
{
    if (reply.isError())
        return base::failure(serverError(reply));
    if (!reply.isArray())
        return notSlots(reply);
    ClusterSlots map;
    for (const Reply &range : reply.elements()) {
        const auto &parts = range.elements();
        auto primary = parts.size() > 2 ? nodeFrom(parts[2]) : std::nullopt;
        if (!primary || !parts[0].isInteger() || !parts[1].isInteger())
            return notSlots(reply);
        auto known = std::ranges::find_if(map.m_primaries, [&](const Primary &each) {
            return each.address == primary->address && each.id == primary->id;
        });
        if (known == map.m_primaries.end())
            known = map.m_primaries.insert(known, std::move(*primary));
        for (std::size_t i = 2; i < parts.size(); ++i) {
            const auto node = nodeFrom(parts[i]);
            if (node && std::ranges::find(map.m_nodes, node->address) == map.m_nodes.end())
                map.m_nodes.push_back(node->address);
        }
        known->ranges.emplace_back(static_cast<int>(parts[0].toInteger()), static_cast<int>(parts[1].toInteger()));
    }
    for (Primary &primary : map.m_primaries)
        std::ranges::sort(primary.ranges);
    std::ranges::sort(map.m_primaries, {}, [](const Primary &each) { return each.ranges.front(); });
    return map;
}

int ClusterSlots::unserved() const
{
    int served = 0;
    for (const Primary &primary : m_primaries) {
        for (const auto &[first, last] : primary.ranges)
            served += last - first + 1;
    }
    return std::max(slotCount - served, 0);
}

std::optional<Redirect> Redirect::fromReply(const Reply &reply)
{
    if (!reply.isError())
        return std::nullopt;
    const QByteArrayList words = reply.bytes().split(' ');
    if (words.front() == "TRYAGAIN")
        return Redirect {Kind::TryAgain, -1, {}};
    const bool isMoved = words.front() == "MOVED";
    if ((!isMoved && words.front() != "ASK") || words.size() < 3)
        return std::nullopt;
    bool isNumber = false;
    const int slot = words[1].toInt(&isNumber);
    const auto address = NodeAddress::fromText(words[2]);
    if (!isNumber || !address)
        return std::nullopt;
    return Redirect {isMoved ? Kind::Moved : Kind::Ask, slot, *address};
}

} // namespace latchkey::resp
