#include "app/cli/servervotes.h"

#include "app/cli/output.h"
#include "app/help/commandline.h"
#include "core/foundation/files/json.h"

#include <algorithm>

namespace latchkey::cli {

using base::MonotonicTime;
using detection::KeyExamination;
using detection::LockVotes;
using help::CommandLine;

namespace {

using Vote = LockVotes::Vote;

LockVotes::Reply replyOf(const KeyExamination *found)
{
    LockVotes::Reply reply;
    reply.isKnown = found != nullptr;
    if (found == nullptr || !found->exists)
        return reply;
    const QByteArray holder = holderIn(*found);
    reply.isNamed = !holder.isEmpty();
    reply.holder = reply.isNamed ? holder : valueIn(*found);
    reply.deadline = found->deadline;
    reply.isExpiryKnown = found->sample.isExpiryKnown;
    return reply;
}

QLatin1String voteId(Vote vote)
{
    switch (vote) {
    case Vote::Holds:
        return QLatin1String("holds");
    case Vote::OtherHolder:
        return QLatin1String("other-holder");
    case Vote::NoKey:
        return QLatin1String("no-key");
    case Vote::Unknown:
        return QLatin1String("unknown");
    }
    Q_UNREACHABLE();
}

QJsonObject serverJson(Vote vote, const LockVotes::Reply &reply, const ServerReply &server, MonotonicTime now)
{
    QJsonObject object {{QStringLiteral("server"), server.server}, {QStringLiteral("vote"), voteId(vote)}};
    const bool isExpiryKnown = reply.holder && reply.isExpiryKnown;
    object[QStringLiteral("pttl_ms")] = isExpiryKnown ? QJsonValue(reply.deadline.pttl(now)) : QJsonValue();
    object[QStringLiteral("holder")] = QJsonValue();
    if (reply.holder && reply.isNamed)
        files::insertBytes(object, QStringLiteral("holder"), *reply.holder);
    object[QStringLiteral("why")] = reply.isKnown ? QJsonValue() : QJsonValue(server.why);
    return object;
}

} // namespace

std::optional<base::Error> whyDependent(const std::vector<DescribedServer> &servers)
{
    for (auto one = servers.begin(); one != servers.end(); ++one) {
        if (one->info.mode == u"cluster")
            return base::Error {base::ErrorKind::Usage,
                                CommandLine::tr("%1 is a node of a cluster, and its nodes are not independent servers: "
                                                "give the URL of one node")
                                    .arg(one->endpoint.display())};
        const auto same = std::ranges::find_if(servers.begin(), one, [&](const DescribedServer &other) {
            return !one->info.runId.isEmpty() && other.info.runId == one->info.runId;
        });
        if (same != one)
            return base::Error {base::ErrorKind::Usage, CommandLine::tr("%1 and %2 are the same server")
                                                            .arg(same->endpoint.display(), one->endpoint.display())};
    }
    return std::nullopt;
}

QByteArray holderIn(const KeyExamination &found)
{
    QByteArrayList holders;
    for (const recognition::Holder &holder : found.recognition.decoded.holders)
        holders += holder.bytes;
    return holders.join(' ');
}

QByteArray valueIn(const KeyExamination &found)
{
    const auto &value = found.sample.value;
    return value ? value->parts.join(' ') : QByteArray();
}

LockVotes votesIn(const std::vector<ServerReply> &replies)
{
    std::vector<LockVotes::Reply> votes;
    for (const ServerReply &reply : replies)
        votes.push_back(replyOf(reply.found));
    return LockVotes(std::move(votes));
}

QString majorityText(const LockVotes &votes)
{
    const std::optional<bool> hasMajority = votes.hasMajority();
    if (!hasMajority && votes.votes() >= votes.quorum())
        return CommandLine::tr("a majority has this value, which names no holder");
    if (!hasMajority)
        return CommandLine::tr("a majority needs %1, and not all servers are known").arg(votes.quorum());
    return *hasMajority ? CommandLine::tr("a majority")
                        : CommandLine::tr("no majority, which needs %1").arg(votes.quorum());
}

QJsonObject countsJson(const LockVotes &votes, MonotonicTime now)
{
    const auto until = votes.validUntil(now);
    const std::optional<bool> hasMajority = votes.hasMajority();
    return {{QStringLiteral("votes"), static_cast<qint64>(votes.votes())},
            {QStringLiteral("servers"), static_cast<qint64>(votes.servers())},
            {QStringLiteral("quorum"), static_cast<qint64>(votes.quorum())},
            {QStringLiteral("majority"), hasMajority ? QJsonValue(*hasMajority) : QJsonValue()},
            {QStringLiteral("valid_ms"), until ? millisecondsUntil(*until, now) : QJsonValue()}};
}

QJsonArray serversJson(const LockVotes &votes, const std::vector<ServerReply> &replies, MonotonicTime now)
{
    QJsonArray servers;
    for (std::size_t i = 0; i < replies.size(); ++i)
        servers += serverJson(votes.voteOf(i), votes.reply(i), replies[i], now);
    return servers;
}

} // namespace latchkey::cli
