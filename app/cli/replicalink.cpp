#include "app/cli/replicalink.h"

#include "app/cli/exitcode.h"
#include "app/help/commandline.h"
#include "core/redis/exchange/blockingdriver.h"

namespace latchkey::cli {

using help::CommandLine;

std::optional<QString> brokenLinkText(const resp::ReplicationInfo &replication)
{
    if (!replication.primary || replication.primary->isUp)
        return std::nullopt;
    return CommandLine::tr(
               "the server is a replica, and its link to the primary %1 is down: keys may be missing or out "
               "of date")
        .arg(replication.primary->address);
}

exchange::Exchange<std::optional<QString>> readBrokenLink()
{
    const resp::Command question {QByteArrayLiteral("INFO"), QByteArrayLiteral("replication")};
    const exchange::Answer reply = co_await exchange::tentatively(question);
    if (!reply)
        co_return std::nullopt;
    const auto replication = resp::ReplicationInfo::fromInfo(reply->bytes());
    co_return replication ? brokenLinkText(*replication) : std::nullopt;
}

void printBrokenLink(const QString &command, const net::Endpoint &server, std::chrono::milliseconds timeout)
{
    exchange::BlockingDriver driver({server}, timeout);
    if (!driver.connect())
        return;
    if (const auto broken = driver.run(readBrokenLink()); broken && *broken)
        printError(command + QStringLiteral(": ") + **broken);
}

} // namespace latchkey::cli
