#include "core/keyspace/budget/commandlimit.h"

#include "core/redis/net/endpoint.h"

#include <algorithm>
#include <cmath>

namespace latchkey::budget {

namespace {

constexpr double commandsPerCore = 100'000; ///< 10 µs for each command.
constexpr double minShare = 0.0001;
constexpr int maxPerSecond = 1'000'000;

} // namespace

CommandLimit CommandLimit::ofShare(double share)
{
    const double within = std::clamp(share, minShare, 1.0);
    return {within, static_cast<int>(std::lround(within * commandsPerCore))};
}

CommandLimit CommandLimit::ofShareAt(int perSecond)
{
    return ofShare(perSecond / commandsPerCore);
}

CommandLimit CommandLimit::ofRate(int perSecond)
{
    return {std::nullopt, std::clamp(perSecond, 1, maxPerSecond)};
}

base::Result<CommandLimit> CommandLimit::parse(const QString &text)
{
    bool isNumber = false;
    if (text.endsWith(u'%')) {
        const double percent = text.chopped(1).toDouble(&isNumber);
        if (isNumber && percent >= minShare * 100 && percent <= 100)
            return ofShare(percent / 100);
    } else if (text.endsWith(u"/s")) {
        const int commands = text.chopped(2).toInt(&isNumber);
        if (isNumber && commands >= 1 && commands <= maxPerSecond)
            return ofRate(commands);
    }
    return base::failure(
        base::ErrorKind::Usage,
        QT_TRANSLATE_NOOP("core", "\"%1\" is not a limit; write a share of the server's core like 1% (0.01% to 100%), "
                                  "or commands per second like 500/s (1/s to 1000000/s)"),
        text);
}

std::optional<CommandLimit> defaultFirstScanLimit(const net::Endpoint &server, bool isProduction)
{
    if (server.isOnThisMachine() && !isProduction)
        return std::nullopt;
    return CommandLimit::ofFirstScan();
}

} // namespace latchkey::budget
