#include "app/cli/announcednodes.h"

#include "app/help/commandline.h"
#include "core/redis/net/sentinelsurvey.h"
#include "core/redis/net/slotroutes.h"

#include <QJsonObject>

namespace latchkey::cli {

using help::CommandLine;
using net::HostPort;
using Nodes = std::vector<AnnouncedNode>;

namespace {

/// Asks each sentinel. `used`: address of the primary that the connection leads to.
Nodes namedBySentinels(const net::Endpoint &endpoint, const HostPort &used, std::chrono::milliseconds timeout)
{
    Nodes nodes;
    for (const net::SurveyedSentinel &each : net::surveySentinels(endpoint, timeout)) {
        AnnouncedNode node {each.sentinel.display(), {}, {}, {}};
        if (!each.answer) {
            node.missing = each.answer.error();
        } else {
            const HostPort reached = endpoint.addresses.reached(each.answer->at);
            node.announced = net::hostPortText(each.answer->at);
            node.reachedAt = net::hostPortText(reached);
            if (reached != used)
                node.missing = base::Error {base::ErrorKind::Unreachable,
                                            CommandLine::tr("the sentinels disagree: the primary in use is %1; compare "
                                                            "what they monitor under this name")
                                                .arg(net::hostPortText(used))};
        }
        nodes.push_back(std::move(node));
    }
    return nodes;
}

/// Connects once to each node of the cluster.
Nodes reached(const net::Endpoint &endpoint, const resp::ClusterSlots &map, std::chrono::milliseconds timeout)
{
    Nodes nodes;
    std::vector<net::Endpoint> endpoints;
    for (const resp::NodeAddress &address : map.nodes()) {
        endpoints.push_back(net::SlotRoutes::endpointOf(endpoint, address));
        nodes.push_back({{},
                         net::hostPortText({address.host, address.port}),
                         net::hostPortText({endpoints.back().host, endpoints.back().port}),
                         {}});
    }
    const auto results = net::dialBlocking(endpoints, timeout);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!results[i])
            nodes[i].missing = results[i].error();
    }
    return nodes;
}

} // namespace

base::Result<Nodes> AnnouncedNode::find(const net::Endpoint &endpoint,
                                        net::DialResult<net::BlockingConnection> &dialled,
                                        std::chrono::milliseconds timeout)
{
    if (endpoint.sentinels)
        return namedBySentinels(endpoint, {dialled.endpoint.host, dialled.endpoint.port}, timeout);
    if (dialled.server.mode != u"cluster")
        return Nodes();
    const auto reply = dialled.connection->execute(resp::Command {"CLUSTER", "SLOTS"}, timeout);
    if (!reply)
        return base::failure(reply.error());
    const auto map = resp::ClusterSlots::fromReply(*reply);
    if (!map)
        return base::failure(map.error());
    return reached(endpoint, *map, timeout);
}

QString AnnouncedNode::text() const
{
    QString text = announced == reachedAt ? announced : CommandLine::tr("%1, reached at %2").arg(announced, reachedAt);
    if (!namedBy.isEmpty() && !announced.isEmpty())
        text = CommandLine::tr("%1 names %2").arg(namedBy, text);
    if (!missing)
        return text;
    return announced.isEmpty() ? missing->message() : CommandLine::tr("%1, not used: %2").arg(text, missing->message());
}

QJsonArray toJson(const Nodes &nodes)
{
    const auto orNull = [](const QString &text) { return text.isEmpty() ? QJsonValue() : QJsonValue(text); };
    QJsonArray all;
    for (const AnnouncedNode &node : nodes)
        all += QJsonObject {{QStringLiteral("named_by"), orNull(node.namedBy)},
                            {QStringLiteral("announced"), orNull(node.announced)},
                            {QStringLiteral("reached_at"), orNull(node.reachedAt)},
                            {QStringLiteral("why"), node.missing ? QJsonValue(node.missing->message()) : QJsonValue()}};
    return all;
}

} // namespace latchkey::cli
