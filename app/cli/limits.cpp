#include "app/cli/limits.h"

#include "app/cli/savedsecrets.h"

#include <algorithm>

namespace latchkey::cli {

base::Result<Limits> Limits::from(const Arguments &arguments, const net::Endpoint &server)
{
    Limits limits;
    limits.timeout = arguments.timeout();
    if (arguments.isSet("limit")) {
        const auto limit = budget::CommandLimit::parse(arguments.text("limit"));
        if (!limit)
            return base::failure(limit.error().during(QStringLiteral("--limit")));
        limits.watching = *limit;
        limits.firstScan = *limit;
        return limits;
    }
    limits.firstScan = budget::defaultFirstScanLimit(server, isSavedAsProduction(server, arguments.texts("server")));
    return limits;
}

void Limits::applyTo(watching::Watcher &watcher) const
{
    watcher.setLimit(watching);
    watcher.setFirstScanLimit(firstScan);
}

void Limits::applyTo(net::Session &session) const
{
    session.setTiming({.dialTimeout = timeout, .pingTimeout = timeout});
}

QCommandLineOption limitOption(const QString &description)
{
    return makeOption("limit", "LIMIT", description);
}

} // namespace latchkey::cli
