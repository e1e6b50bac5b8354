#include "app/cli/serverparts.h"

#include "app/cli/exitcode.h"
#include "app/help/commandline.h"

#include <array>

namespace latchkey::cli {

using base::ErrorKind;
using base::failure;
using base::Result;
using help::CommandLine;
using net::Endpoint;

namespace {

constexpr std::array partNames {"host", "port", "db", "user"};

/// Refuses parts beside a complete server. Returns whether any part is given.
Result<bool> hasParts(const Arguments &arguments)
{
    bool hasAny = false;
    for (const char *part : partNames) {
        hasAny = hasAny || arguments.isSet(part);
        for (const char *whole : {"url", "server"}) {
            if (arguments.isSet(part) && arguments.isSet(whole))
                return failure(ErrorKind::Usage,
                               CommandLine::tr("--%1 and --%2 exclude each other: --%2 names the whole server")
                                   .arg(QLatin1String(part), QLatin1String(whole)));
        }
    }
    return hasAny;
}

/// Reads an option as a whole number. `none`: the value without the option.
Result<int> numberOf(const Arguments &arguments, const char *option, int none, int minimum, int maximum)
{
    if (!arguments.isSet(option))
        return none;
    bool isNumber = false;
    const int number = arguments.text(option).toInt(&isNumber);
    if (!isNumber || number < minimum || number > maximum)
        return failure(ErrorKind::Usage, CommandLine::tr("--%1: \"%2\" is not a number from %3 to %4")
                                             .arg(QLatin1String(option), arguments.text(option))
                                             .arg(minimum)
                                             .arg(maximum));
    return number;
}

/// Returns the server that the parts modify.
Result<Endpoint> originalServer(const Arguments &arguments)
{
    const QString set = qEnvironmentVariable("LATCHKEY_URL");
    return namesHost(arguments) || set.isEmpty() ? Endpoint::local() : Endpoint::fromUrl(set);
}

} // namespace

QList<QCommandLineOption> serverOptions()
{
    return {
        makeOption("u,url", "URL",
                   CommandLine::tr("redis://[user[:password]@]host[:port][/db], the same with rediss:// for TLS, "
                                   "unix:///path/to.sock?db=N, or redis+sentinel://host[:port],host.../master[/db] "
                                   "with sentinels; else LATCHKEY_URL, else redis://127.0.0.1:6379")),
        makeOption("server", "NAME",
                   CommandLine::tr("a server saved in the window (Ctrl+K) by its name; the name of a redlock group "
                                   "stands for the --url of each of its servers")),
        makeOption("host", "HOST",
                   CommandLine::tr("instead of a URL: the host, default 127.0.0.1; -h HOST is the same")),
        makeOption("p,port", "PORT", CommandLine::tr("instead of a URL: the port, default 6379")),
        makeOption("n,db", "DB", CommandLine::tr("another database than that of LATCHKEY_URL, --host or --port")),
        makeOption("tls", "",
                   CommandLine::tr("with TLS, as rediss:// does; for --host, --port, LATCHKEY_URL and the default")),
        makeOption("user", "USER", CommandLine::tr("another user than that of LATCHKEY_URL, --host or --port")),
        makeOption("timeout", "DURATION",
                   CommandLine::tr("longest wait for the connection and for each answer; default 5s")),
    };
}

bool namesHost(const Arguments &arguments)
{
    return arguments.isSet("host") || arguments.isSet("port");
}

Result<std::optional<Endpoint>> serverFromParts(const Arguments &arguments)
{
    constexpr int maxPort = 65535;
    if (const auto has = hasParts(arguments); !has || !*has)
        return has ? Result<std::optional<Endpoint>>(std::nullopt) : failure(has.error());
    auto server = originalServer(arguments);
    if (!server)
        return failure(server.error());
    const auto port = numberOf(arguments, "port", server->port, 1, maxPort);
    if (!port)
        return failure(port.error());
    const auto database = numberOf(arguments, "db", server->database, 0, std::numeric_limits<int>::max());
    if (!database)
        return failure(database.error());
    if (arguments.isSet("host"))
        server->host = arguments.text("host");
    server->port = static_cast<quint16>(*port);
    server->database = *database;
    if (arguments.isSet("user") && arguments.text("user") != server->user) {
        server->user = arguments.text("user");
        server->password.clear(); // The password belongs to another user.
    }
    // A URL that is parsed to a different server was built from an invalid host.
    if (const auto read = Endpoint::fromUrl(server->toUrl());
        arguments.isSet("host") && (!read || read->host != server->host || read->port != server->port))
        return failure(ErrorKind::Usage,
                       CommandLine::tr("--host: \"%1\" is not the name or the address of a host").arg(server->host));
    return std::optional(*server);
}

void printServers(const Arguments &arguments, const std::vector<Endpoint> &servers)
{
    QStringList sources;
    for (const char *option : {"url", "server", "host", "port", "db", "tls", "user"}) {
        if (arguments.isSet(option))
            sources += QStringLiteral("--") + QLatin1String(option);
    }
    const bool isWhole = arguments.isSet("url") || arguments.isSet("server") || namesHost(arguments);
    if (!isWhole && !qEnvironmentVariableIsEmpty("LATCHKEY_URL"))
        sources.prepend(QStringLiteral("LATCHKEY_URL"));
    const QString from = sources.isEmpty() ? CommandLine::tr("default") : sources.join(QStringLiteral(", "));
    for (const Endpoint &server : servers)
        printError(CommandLine::tr("server: %1 (%2)").arg(server.display(), from));
}

Result<std::chrono::milliseconds> timeoutFrom(const Arguments &arguments)
{
    constexpr std::chrono::seconds usual {5};
    const auto given = arguments.duration("timeout");
    if (!given)
        return failure(given.error());
    if (*given && (*given)->count() <= 0)
        return failure(ErrorKind::Usage, CommandLine::tr("--timeout: it must be longer than zero"));
    return given->value_or(usual);
}

} // namespace latchkey::cli
