// status: checks whether a server replies, and whether this user may read its keys.

#include "app/cli/announcednodes.h"
#include "app/cli/command.h"
#include "app/cli/option.h"
#include "app/cli/output.h"
#include "app/cli/serversurvey.h"
#include "app/help/commandline.h"
#include "app/help/helptext.h"
#include "core/foundation/base/duration.h"
#include "core/inspect/inspection/servercheck.h"
#include "core/redis/net/dialer.h"
#include "core/redis/net/sentinelanswer.h"
#include "core/redis/resp/clusterslots.h"
#include "core/redis/resp/replicationinfo.h"
#include "core/redis/resp/servererror.h"

#include <algorithm>

namespace latchkey::cli {

using help::CommandLine;

namespace {

/// The state of the cluster, as the node reports it.
struct ClusterState
{
    QString state;                   ///< "ok" or "fail"; empty: the node does not report it.
    std::optional<qint64> primaries; ///< Number of primaries with slots; absent: unknown.

    [[nodiscard]] static ClusterState fromInfo(const QByteArray &info)
    {
        ClusterState found;
        for (const QByteArray &line : info.split('\n')) {
            const QByteArray value = line.sliced(line.indexOf(':') + 1).trimmed();
            if (line.startsWith("cluster_state:"))
                found.state = QString::fromUtf8(value);
            else if (line.startsWith("cluster_size:"))
                found.primaries = value.toLongLong();
        }
        return found;
    }
};

/// A server that replies, and the requests that it refuses.
struct StatusAnswer
{
    resp::ServerInfo server;
    std::chrono::nanoseconds roundTrip {};
    std::optional<qint64> keys; ///< Absent: unknown.
    std::vector<events::Coverage::Denial> denied;
    std::optional<net::HostPort> primary;             ///< Named by sentinels; absent without sentinels.
    std::optional<resp::ReplicationInfo> replication; ///< Absent if the server does not report it.
    std::optional<qint64> replicasToWrite;            ///< min-replicas-to-write; absent: unknown.
    std::optional<ClusterState> cluster;              ///< Absent: the server is no node of a cluster.
    std::optional<ServerSurvey> survey;               ///< With --full.

    /// With --full: the servers that the cluster or the sentinels name, or why they are not known.
    base::Result<std::vector<AnnouncedNode>> nodes;

    [[nodiscard]] bool isRestricted() const
    {
        return !denied.empty() || (survey && !survey->refusals().empty()) || !nodes
            || std::ranges::any_of(*nodes, [](const AnnouncedNode &node) { return node.missing.has_value(); });
    }
};

/// Returns the value of one setting from the reply to CONFIG GET; absent: refused or unknown.
std::optional<qint64> settingIn(const resp::Reply &reply)
{
    return reply.elements().size() == 2 ? std::optional(reply.elements()[1].bytes().toLongLong()) : std::nullopt;
}

/// Sends each request once.
base::Result<StatusAnswer> askForRights(const net::Endpoint &endpoint, std::chrono::milliseconds timeout, bool isFull)
{
    auto dialled = net::dialBlocking(endpoint, timeout);
    if (!dialled)
        return base::failure(dialled.error());
    const std::vector<inspection::PermissionProbe> probes = inspection::permissionProbes();
    resp::Commands commands;
    for (const inspection::PermissionProbe &each : probes)
        commands.push_back(each.command);
    commands.push_back({"DBSIZE"});
    commands.push_back({"INFO", "replication"});
    commands.push_back({"CONFIG", "GET", "min-replicas-to-write"});
    if (dialled->server.mode == u"cluster")
        commands.push_back({"CLUSTER", "INFO"});
    const auto replies = dialled->connection->execute(commands, timeout);
    if (!replies)
        return base::failure(replies.error());
    const auto others = replies->begin() + static_cast<std::ptrdiff_t>(probes.size());
    StatusAnswer answer {dialled->server, dialled->roundTrip, {}, {}, {}, {}, {}, {}, {}, {}};
    if (endpoint.sentinels)
        answer.primary = net::HostPort {dialled->endpoint.host, dialled->endpoint.port};
    if (others[0].isInteger())
        answer.keys = others[0].toInteger();
    answer.replication = resp::ReplicationInfo::fromInfo(others[1].bytes());
    answer.replicasToWrite = settingIn(others[2]);
    if (dialled->server.mode == u"cluster")
        answer.cluster = ClusterState::fromInfo(others[3].isError() ? QByteArray() : others[3].bytes());
    answer.denied = inspection::refusalsIn(std::span(*replies).first(probes.size()));
    if (isFull) {
        answer.nodes = AnnouncedNode::find(endpoint, *dialled, timeout);
        auto survey = ServerSurvey::make(endpoint, *dialled, timeout);
        if (!survey)
            return base::failure(survey.error());
        answer.survey = std::move(*survey);
    }
    return answer;
}

QJsonValue replicasJson(const std::optional<resp::ReplicationInfo> &replication)
{
    if (!replication)
        return {};
    QJsonArray replicas;
    for (const auto &replica : replication->replicas)
        replicas += QJsonObject {{QStringLiteral("address"), replica.address},
                                 {QStringLiteral("state"), replica.state},
                                 {QStringLiteral("behind_bytes"), replica.behind},
                                 {QStringLiteral("silent_s"), static_cast<qint64>(replica.silent.count())}};
    return replicas;
}

QJsonValue textOrNull(const QString &text)
{
    return text.isEmpty() ? QJsonValue() : QJsonValue(text);
}

QJsonValue clusterJson(const std::optional<ClusterState> &cluster)
{
    if (!cluster)
        return {};
    return QJsonObject {
        {QStringLiteral("state"), textOrNull(cluster->state)},
        {QStringLiteral("primaries"), cluster->primaries ? QJsonValue(*cluster->primaries) : QJsonValue()}};
}

/// Returns the link of a replica to its primary.
QJsonValue replicaOfJson(const std::optional<resp::ReplicationInfo> &replication)
{
    if (!replication || !replication->primary)
        return {};
    return QJsonObject {{QStringLiteral("address"), replication->primary->address},
                        {QStringLiteral("link"), QLatin1String(replication->primary->isUp ? "up" : "down")}};
}

QJsonObject toJson(const net::Endpoint &endpoint, const StatusAnswer &answer)
{
    QJsonArray denied;
    for (const events::Coverage::Denial &denial : answer.denied)
        denied += QJsonObject {{QStringLiteral("question"), events::requestName(denial.request)},
                               {QStringLiteral("some_keys"), denial.isOfSomeKeys},
                               {QStringLiteral("why"), denial.why.message()}};
    QJsonObject object {
        {QStringLiteral("outcome"), answer.isRestricted() ? QStringLiteral("restricted") : QStringLiteral("ok")},
        {QStringLiteral("server"), endpoint.display()},
        {QStringLiteral("product"), textOrNull(answer.server.product)},
        {QStringLiteral("version"), textOrNull(answer.server.version.toString())},
        {QStringLiteral("mode"), textOrNull(answer.server.mode)},
        {QStringLiteral("keys"), answer.keys ? QJsonValue(*answer.keys) : QJsonValue()},
        {QStringLiteral("round_trip_us"),
         static_cast<qint64>(std::chrono::ceil<std::chrono::microseconds>(answer.roundTrip).count())},
        {QStringLiteral("denied"), denied},
        {QStringLiteral("primary"), answer.primary ? QJsonValue(net::hostPortText(*answer.primary)) : QJsonValue()},
        {QStringLiteral("replicas"), replicasJson(answer.replication)},
        {QStringLiteral("replica_of"), replicaOfJson(answer.replication)},
        {QStringLiteral("cluster"), clusterJson(answer.cluster)},
        {QStringLiteral("min_replicas_to_write"),
         answer.replicasToWrite ? QJsonValue(*answer.replicasToWrite) : QJsonValue()},
    };
    if (!answer.survey)
        return object;
    QJsonObject full = answer.survey->toJson();
    full.insert(QStringLiteral("nodes"), answer.nodes ? QJsonValue(toJson(*answer.nodes)) : QJsonValue());
    object.insert(QStringLiteral("full"), full);
    return object;
}

QString lineOf(const net::Endpoint &endpoint, const StatusAnswer &answer)
{
    QStringList parts;
    if (const QString server = answer.server.display(); !server.isEmpty())
        parts += server;
    if (answer.keys)
        parts +=
            (answer.cluster ? CommandLine::tr("keys of this node: %1") : CommandLine::tr("keys: %1")).arg(*answer.keys);
    parts += CommandLine::tr("round trip: %1").arg(base::millisecondsText(answer.roundTrip));
    if (answer.primary)
        parts += CommandLine::tr("primary: %1").arg(net::hostPortText(*answer.primary));
    return endpoint.display() + QStringLiteral("  ") + parts.join(QStringLiteral(", "));
}

/// Returns a line about the cluster of which the server is one node.
QStringList clusterLines(const StatusAnswer &answer)
{
    if (!answer.cluster)
        return {};
    const QString unknown = CommandLine::tr("unknown");
    return {CommandLine::tr("one node of a cluster, primaries: %1, cluster state: %2")
                .arg(answer.cluster->primaries ? QString::number(*answer.cluster->primaries) : unknown,
                     answer.cluster->state.isEmpty() ? unknown : answer.cluster->state)};
}

/// Returns the lines of --full about the servers that the cluster or the sentinels name.
QStringList nodeLines(const net::Endpoint &endpoint, const StatusAnswer &answer)
{
    constexpr qsizetype column = 11;
    const QString title =
        help::padded(endpoint.sentinels ? CommandLine::tr("sentinel") : CommandLine::tr("node"), column);
    if (!answer.nodes)
        return {title + CommandLine::tr("not known: %1").arg(answer.nodes.error().message())};
    QStringList lines;
    for (const AnnouncedNode &node : *answer.nodes)
        lines += title + node.text();
    return lines;
}

/// Returns a line for each replica, and one for the setting that makes writes depend on replicas.
QStringList replicaLines(const StatusAnswer &answer)
{
    QStringList lines;
    if (answer.replication && answer.replication->primary)
        lines += answer.replication->primary->isUp
                   ? CommandLine::tr("replica of %1").arg(answer.replication->primary->address)
                   : CommandLine::tr("replica of %1, and the link to it is down: keys may be missing or out of date")
                         .arg(answer.replication->primary->address);
    if (!answer.replication || answer.replication->replicas.empty())
        return lines;
    for (const auto &replica : answer.replication->replicas)
        lines += CommandLine::tr("replica %1  %2, %3 bytes behind, last confirmation %4 s ago")
                     .arg(replica.address, replica.state)
                     .arg(replica.behind)
                     .arg(replica.silent.count());
    lines += answer.replicasToWrite ? QStringLiteral("min-replicas-to-write %1").arg(*answer.replicasToWrite)
                                    : CommandLine::tr("min-replicas-to-write is not known");
    return lines;
}

ExitCode runStatus(const Arguments &arguments)
{
    const auto endpoint = arguments.endpoint();
    if (!endpoint)
        return printError(endpoint.error());
    const auto answer = askForRights(*endpoint, arguments.timeout(), arguments.isSet("full"));
    if (!answer)
        return printError(answer.error().during(QStringLiteral("status")));
    if (arguments.wantsJson())
        printJson(toJson(*endpoint, *answer));
    else
        printLine(
            (QStringList {lineOf(*endpoint, *answer)} + clusterLines(*answer) + replicaLines(*answer)).join(u'\n'));
    if (answer->survey && !arguments.wantsJson())
        printLine((answer->survey->lines() + nodeLines(*endpoint, *answer)).join(u'\n'));
    std::fflush(stdout);
    const auto isDown = [](const events::Coverage::Denial &denial) {
        return denial.why.kind == base::ErrorKind::ClusterDown;
    };
    if (const auto down = std::ranges::find_if(answer->denied, isDown); down != answer->denied.end())
        return printError(down->why.during(QStringLiteral("status"))); // Of all keys: not a matter of rights.
    for (const events::Coverage::Denial &denial : answer->denied)
        printError(denial.isOfSomeKeys ? QStringLiteral("status: ") + denial.sentence().toString()
                                       : CommandLine::tr("status: %1 is refused: %2")
                                             .arg(events::requestName(denial.request), denial.why.message()));
    return answer->isRestricted() ? ExitCode::No : ExitCode::Yes;
}

} // namespace

Command statusCommand()
{
    return {
        "status",
        {"", 0, 0},
        QT_TRANSLATE_NOOP("CommandLine", "checks that a server answers and may be looked at"),
        QT_TRANSLATE_NOOP(
            "CommandLine",
            R"help(Connects, logs in, and asks once each what ls and watch ask: SCAN, PTTL, TYPE and a value of each type. Prints one line with the server, its version, the number of its keys and the round trip, and one for each replica with its state, the bytes that it has not confirmed, and the time since its last confirmation. A replica is named with its primary and the state of the link, and a node of a cluster with the state of the cluster: the number of keys is then that of this node. Nothing is written. The key latchkey:status is asked about; it need not exist. So a user with rights to some keys only is restricted.

{options}

With --json {outcome: "ok"|"restricted", server, product, version, mode, keys, round_trip_us, denied:
[{question, some_keys, why}], primary, replicas: [{address, state, behind_bytes, silent_s}], replica_of: {address, link: "up"|"down"}, cluster: {state, primaries}, min_replicas_to_write}. product, version, mode, keys, replicas and min_replicas_to_write are null if the server does not say them; so are replica_of for a primary, and cluster for a server that is no node of one. primary is the address that the sentinels of the URL name, or null. With --full also
full: {user, sees: {keys, expiry, types, values, changes, clients, cost}, changes_by: "notifications"|"tracking"|"polling", notify_keyspace_events, look_commands, look_server_us, missing: [{subject, command, why, permit}], permit, nodes: [{named_by, announced, reached_at, why}]}. nodes are those of the cluster, or the primary by each sentinel (named_by): the announced address, the one after the map of the URL, and why it is not used, or null; nodes is null if the cluster does not say them. permit is the ACL SETUSER line for what is missing, or null.
Exit code: 0 the server answers and refuses nothing; 1 the server answers, but refuses a question, usually because the user has not the rights (with --full any command), or with --full a node of the cluster or a sentinel cannot be reached, or the sentinels disagree; standard error names each refused question; 2 wrong usage; 3 no connection, no login, no answer, or a cluster that is down.

Examples:
  latchkey-cli status
  latchkey-cli status --full
  latchkey-cli status --json -u rediss://db.example | jq .round_trip_us
)help"),
        {makeOption(
            "full", "",
            CommandLine::tr("also ask every other command that looking sends, and print what this user sees, what "
                            "looking costs, what is missing and the ACL rules that permit it, and connect to each node "
                            "of the cluster and each sentinel; nothing is written"))},
        runStatus,
    };
}

} // namespace latchkey::cli
