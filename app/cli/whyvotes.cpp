#include "app/cli/whyvotes.h"

#include "app/cli/colours.h"
#include "app/cli/output.h"
#include "app/cli/serveridentity.h"
#include "app/cli/servervotes.h"
#include "app/cli/whyoutput.h"
#include "app/help/commandline.h"
#include "core/foundation/base/duration.h"
#include "core/inspect/voting/votetexts.h"

#include <future>

namespace latchkey::cli {

using base::MonotonicTime;
using base::SystemClock;
using help::CommandLine;
using voting::LockVotes;
using voting::ServerReply;

namespace {

using Vote = LockVotes::Vote;

/// The state of the key on one server.
struct ServerAnswer
{
    net::Endpoint endpoint;
    base::Result<WhyAnswer> answer;
};

/// Asks all servers at once, so that a silent one does not delay the others. Servers behind ssh are asked one after
/// another in this thread, because the tunnels of the process belong to this thread.
std::vector<ServerAnswer> readAll(const WhyRequest &request, const std::vector<net::Endpoint> &servers)
{
    std::vector<std::future<base::Result<WhyAnswer>>> running;
    for (const net::Endpoint &server : servers) {
        WhyRequest one = request;
        one.endpoint = server;
        running.push_back(std::async(server.ssh ? std::launch::deferred : std::launch::async,
                                     [one = std::move(one)] { return read(one, one.limits.timeout); }));
    }
    std::vector<ServerAnswer> all;
    for (std::size_t i = 0; i < servers.size(); ++i)
        all.push_back({servers[i], running[i].get()});
    return all;
}

/// Returns the replies of the servers, which refer to the answers.
std::vector<ServerReply> repliesIn(const std::vector<ServerAnswer> &all)
{
    std::vector<ServerReply> replies;
    for (const ServerAnswer &one : all) {
        if (one.answer)
            replies.push_back({one.endpoint.display(), &one.answer->found});
        else
            replies.push_back({one.endpoint.display(), nullptr, one.answer.error().message()});
    }
    return replies;
}

/// Returns the self-description of a server. One that did not answer may still have replied as a cluster node does.
resp::ServerInfo descriptionOf(const ServerAnswer &one)
{
    if (one.answer)
        return one.answer->server;
    resp::ServerInfo server;
    const base::ErrorKind kind = one.answer.error().kind;
    if (kind == base::ErrorKind::ClusterDown || kind == base::ErrorKind::ClusterRedirect)
        server.mode = QStringLiteral("cluster");
    return server;
}

/// Returns an error if two of the servers are not independent.
std::optional<base::Error> whyDependent(const std::vector<ServerAnswer> &all)
{
    std::vector<voting::DescribedServer> servers;
    for (const ServerAnswer &one : all)
        servers.push_back({one.endpoint, descriptionOf(one)});
    return voting::whyDependent(servers);
}

/// Compares the servers that answered and do not describe themselves.
ServerIdentity compareUndescribed(const std::vector<ServerAnswer> &all, std::chrono::milliseconds timeout)
{
    std::vector<voting::DescribedServer> answered;
    for (const ServerAnswer &one : all) {
        if (one.answer)
            answered.push_back({one.endpoint, one.answer->server});
    }
    return ServerIdentity::compare(answered, timeout);
}

/// Returns the error with the name of the server, unless the error already contains it.
base::Error errorOf(const ServerAnswer &one)
{
    const base::Error &error = one.answer.error();
    return error.message().contains(one.endpoint.display()) ? error : error.during(one.endpoint.display());
}

/// Returns the coverage: a server that did not reply is a part that was not read.
events::Coverage coverageOf(const std::vector<ServerAnswer> &all)
{
    std::vector<events::Coverage::Parts> parts;
    for (const ServerAnswer &one : all) {
        if (one.answer) {
            parts.push_back(coverageOf(*one.answer).parts());
            continue;
        }
        events::Coverage::Parts unread;
        unread.isScanComplete = true;
        unread.databaseSize = 1;
        unread.now = SystemClock::instance().now();
        unread.denied.push_back({events::KeyRequest::Value, errorOf(one), true});
        parts.push_back(std::move(unread));
    }
    return events::Coverage(events::sumOf(parts));
}

/// Returns the first answer that votes for the holder.
const WhyAnswer *firstVote(const LockVotes &votes, const std::vector<ServerAnswer> &all)
{
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (votes.voteOf(i) == Vote::Holds)
            return &*all[i].answer;
    }
    return nullptr;
}

QString leftUntil(MonotonicTime end, MonotonicTime now)
{
    return base::displayDuration(std::chrono::floor<std::chrono::milliseconds>(end - now));
}

/// Returns the holder's name, or the value that names none, as a text.
QString holderText(const WhyAnswer &answer)
{
    const QByteArray holder = voting::holderIn(answer.found.recognition);
    return holder.isEmpty() ? CommandLine::tr("not recorded, value \"%1\"")
                                  .arg(base::printable(voting::valueIn(answer.found.sample), 200))
                            : base::printable(holder, 200);
}

/// Returns the text about one server.
QString serverText(const LockVotes &votes, std::size_t index, const ServerAnswer &one)
{
    switch (votes.voteOf(index)) {
    case Vote::Holds:
        return CommandLine::tr("votes for it, time left: %1").arg(timeLeftText(one.answer->found));
    case Vote::OtherHolder:
        return coloured(CommandLine::tr("has another holder, %1, time left: %2")
                            .arg(holderText(*one.answer), timeLeftText(one.answer->found)),
                        Colour::Problem);
    case Vote::NoKey:
        return coloured(CommandLine::tr("has no such key"), Colour::Caution);
    case Vote::Unknown:
        return coloured(CommandLine::tr("not known: %1").arg(one.answer.error().message()), Colour::Problem);
    }
    Q_UNREACHABLE();
}

void printVotes(const WhyRequest &request, const LockVotes &votes, const std::vector<ServerAnswer> &all)
{
    const MonotonicTime now = SystemClock::instance().now();
    printNamed(CommandLine::tr("key"), base::printable(request.key.bytes()));
    printNamed(CommandLine::tr("votes"), CommandLine::tr("%1 of %2, %3")
                                             .arg(votes.votes())
                                             .arg(votes.servers())
                                             .arg(voting::majorityText(votes).toString()));
    const WhyAnswer *first = firstVote(votes, all);
    if (first != nullptr)
        printNamed(CommandLine::tr("holder"), holderText(*first));
    if (const auto end = votes.majorityEnd())
        printNamed(CommandLine::tr("majority"),
                   end->isNever() ? CommandLine::tr("without expiry")
                                  : CommandLine::tr("ends in %1 unless renewed").arg(leftUntil(end->at(), now)));
    if (const auto until = votes.validUntil(now))
        printNamed(CommandLine::tr("valid"), *until > now
                                                 ? CommandLine::tr("for its holder: at most %1, the first expiry less "
                                                                   "the drift of the clocks")
                                                       .arg(leftUntil(*until, now))
                                                 : CommandLine::tr("for its holder: no longer"));
    for (std::size_t i = 0; i < all.size(); ++i)
        printNamed(CommandLine::tr("server"), all[i].endpoint.display() + u' ' + serverText(votes, i, all[i]));
    if (first == nullptr)
        return;
    const recognition::Recognition &recognised = first->found.recognition;
    if (!recognised.isLock())
        return printNamed(CommandLine::tr("kind"), CommandLine::tr("not recognised as a lock"));
    printKind(recognised, request.recogniser);
    printFindings(first->wrong, recognition::titleOf(recognised.best().dialect, request.recogniser.dialects()));
}

QJsonObject toJson(const WhyRequest &request, const LockVotes &votes, const std::vector<ServerAnswer> &all)
{
    const MonotonicTime now = SystemClock::instance().now();
    const WhyAnswer *first = firstVote(votes, all);
    const bool isGone = votes.count(Vote::NoKey) == votes.servers();
    const WhyAnswer none {};
    QJsonObject row = toJson(request, isGone ? &none : first);
    const auto end = votes.majorityEnd();
    row[QStringLiteral("pttl_ms")] = end ? QJsonValue(end->pttl(now)) : QJsonValue();
    row[QStringLiteral("votes")] = countsJson(votes, now);
    row[QStringLiteral("servers")] = serversJson(votes, repliesIn(all), now);
    row[QStringLiteral("coverage")] = events::toJson(coverageOf(all));
    return row;
}

} // namespace

ExitCode explainVotes(const WhyRequest &request, const std::vector<net::Endpoint> &servers)
{
    const std::vector<ServerAnswer> all = readAll(request, servers);
    if (const auto dependent = whyDependent(all))
        return printError(dependent->during(request.name));
    const ServerIdentity identity = compareUndescribed(all, request.limits.timeout);
    if (identity.dependence)
        return printError(identity.dependence->during(request.name));
    const LockVotes votes = voting::votesIn(repliesIn(all));
    if (request.isJson)
        printJson(toJson(request, votes, all));
    else
        printVotes(request, votes, all);
    std::fflush(stdout);
    const std::optional<bool> hasMajority = votes.hasMajority();
    if (!hasMajority && votes.votes() >= votes.quorum())
        printError(request.name + QStringLiteral(": ") + voting::majorityText(votes).toString());
    const WhyAnswer *first = firstVote(votes, all);
    const bool isUnchecked = first != nullptr && printUnchecked(request, *first);
    const ExitCode answer = !hasMajority || isUnchecked ? ExitCode::Error : *hasMajority ? ExitCode::Yes : ExitCode::No;
    if (identity.unknown)
        (void)printError(identity.unknown->during(request.name));
    return exitCodeFor(request.name, coverageOf(all), CoverageForm::Sentences,
                       identity.unknown ? ExitCode::Error : answer);
}

} // namespace latchkey::cli
