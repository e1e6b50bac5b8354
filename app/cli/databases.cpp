#include "app/cli/databases.h"

#include "app/cli/missingparts.h"
#include "app/cli/output.h"
#include "app/help/commandline.h"
#include "core/redis/exchange/blockingdriver.h"

#include <QCoreApplication>
#include <QEvent>

#include <algorithm>
#include <optional>
#include <vector>

namespace latchkey::cli {

using help::CommandLine;

namespace {

exchange::Exchange<QByteArray> readKeyspaceInfo()
{
    const resp::Command question {QByteArrayLiteral("INFO"), QByteArrayLiteral("keyspace")};
    const resp::Reply reply = co_await question;
    co_return reply.bytes();
}

/// Returns the databases in this text, in ascending order. Absent if the text has no section Keyspace, as from a server
/// that does not support the section.
std::optional<std::vector<int>> databasesIn(const QByteArray &info)
{
    std::vector<int> databases;
    bool hasSection = false;
    for (const QByteArray &line : info.split('\n')) {
        hasSection = hasSection || line.trimmed() == "# Keyspace";
        const qsizetype colon = line.indexOf(':');
        if (!line.startsWith("db") || colon < 0)
            continue;
        bool isNumber = false;
        if (const int database = line.mid(2, colon - 2).toInt(&isNumber); isNumber)
            databases.push_back(database);
    }
    if (!hasSection)
        return std::nullopt;
    std::ranges::sort(databases);
    return databases;
}

/// Returns the databases with keys. Error: no connection, or the server refuses INFO.
base::Result<std::vector<int>> requestDatabases(const net::Endpoint &endpoint, std::chrono::milliseconds timeout)
{
    net::Endpoint server = endpoint;
    server.database = 0; // INFO needs no database, and SELECT may be refused.
    exchange::BlockingDriver driver({server}, timeout);
    if (const auto connected = driver.connect(); !connected)
        return base::failure(connected.error());
    if (driver.serverInfo(0)->mode == u"cluster")
        return std::vector<int> {0}; // Returned even if this node has no key, because another node may have keys.
    const auto info = driver.run(readKeyspaceInfo());
    if (!info)
        return base::failure(info.error().during(QStringLiteral("INFO keyspace")));
    if (const auto databases = databasesIn(*info))
        return *databases;
    return base::failure(base::ErrorKind::Protocol,
                         CommandLine::tr("INFO keyspace: the reply has no section Keyspace"));
}

} // namespace

ExitCode listDatabases(const net::Endpoint &endpoint, std::chrono::milliseconds timeout, LsPrinter &printer,
                       const std::function<ExitCode(const net::Endpoint &)> &list)
{
    auto databases = requestDatabases(endpoint, timeout);
    if (!databases) {
        printer.begin(false);
        printer.end();
        return printMissing({QStringLiteral("ls"), events::Coverage({}), databases.error()}, printer.coverageForm());
    }
    ExitCode exitCode = ExitCode::Yes;
    printer.begin(!databases->empty());
    // A server answers INFO even while it refuses every key, as MASTERDOWN and LOADING. The listing of a database shows
    // whether there are really no keys.
    if (databases->empty())
        databases->push_back(0);
    for (const int database : *databases) {
        net::Endpoint listed = endpoint;
        listed.database = database;
        printer.setDatabase(database);
        if (const ExitCode one = list(listed); one != ExitCode::Yes)
            exitCode = one;
        // A late request to end this event loop must not end the loop of the next listing.
        QCoreApplication::sendPostedEvents(QCoreApplication::instance(), QEvent::MetaCall);
        if (isOutputLost())
            break;
    }
    printer.end();
    return exitCode;
}

} // namespace latchkey::cli
