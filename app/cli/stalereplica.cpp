#include "app/cli/stalereplica.h"

#include "app/cli/output.h"
#include "app/help/commandline.h"
#include "core/keyspace/events/coverage.h"
#include "core/redis/resp/replicationinfo.h"

#include <QJsonObject>

namespace latchkey::cli {

using base::Error;
using exchange::Answer;
using exchange::Batch;
using exchange::Exchange;
using help::CommandLine;
using namespace std::chrono_literals;

namespace {

Exchange<std::optional<Error>> requestStaleness(int servers)
{
    const resp::Command question {QByteArrayLiteral("INFO"), QByteArrayLiteral("replication")};
    Batch questions;
    if (servers > 1)
        questions = Batch().within(2s);
    for (int server = 0; server < servers; ++server)
        questions.add(question, server);
    const exchange::Answers answers = co_await std::move(questions);
    for (const Answer &answer : answers) {
        const auto replication = answer ? resp::ReplicationInfo::fromInfo(answer->bytes()) : std::nullopt;
        if (auto stale = replication ? replication->staleness() : std::nullopt)
            co_return stale;
    }
    co_return std::nullopt;
}

} // namespace

std::optional<Error> readStaleness(exchange::BlockingDriver &driver, int servers)
{
    const auto &server = driver.serverInfo(0);
    if (server && server->mode == u"cluster")
        return std::nullopt;
    return driver.run(requestStaleness(servers)).value_or(std::nullopt);
}

base::Result<void> refuseStaleAnswer(exchange::BlockingDriver &driver, int servers)
{
    const auto stale = readStaleness(driver, servers);
    if (!stale)
        return {};
    const events::Coverage::Gap interval {{}, {}, *stale, {}};
    return base::failure(Error {stale->kind, interval.sentence({})});
}

ExitCode printStale(const QString &name, const base::Error &stale, bool wantsJson)
{
    if (wantsJson)
        printJson(QJsonObject {{QStringLiteral("outcome"), QStringLiteral("unknown")}});
    printError(stale.during(name).message()
               + CommandLine::tr("; whether the lock is held is unknown, and nothing was changed"));
    return exitCodeFor(stale);
}

} // namespace latchkey::cli
