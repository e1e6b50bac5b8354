#include "app/cli/servervotes.h"

#include "app/cli/output.h"
#include "core/foundation/files/json.h"

namespace latchkey::cli {

using base::MonotonicTime;
using voting::LockVotes;
using voting::ServerReply;

namespace {

using Vote = LockVotes::Vote;

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
