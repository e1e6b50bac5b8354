#include "app/cli/stalereplica.h"

#include "core/keyspace/events/coverage.h"
#include "core/redis/resp/replicationinfo.h"

namespace latchkey::cli {

using base::Error;
using exchange::Answer;
using exchange::Batch;
using exchange::Exchange;
using namespace std::chrono_literals;

namespace {

Exchange<std::optional<Error>> askStaleness(int servers)
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
    return driver.run(askStaleness(servers)).value_or(std::nullopt);
}

base::Result<void> refuseStaleAnswer(exchange::BlockingDriver &driver, int servers)
{
    const auto stale = readStaleness(driver, servers);
    if (!stale)
        return {};
    const events::Coverage::Gap interval {{}, {}, *stale, {}};
    return base::failure(Error {stale->kind, interval.sentence({})});
}

} // namespace latchkey::cli
