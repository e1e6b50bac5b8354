#include "app/cli/arguments.h"
#include "app/cli/savedsecrets.h"
#include "app/cli/serverparts.h"
#include "app/cli/suggestion.h"
#include "app/help/commandline.h"

#include "core/foundation/base/duration.h"
#include "core/redis/net/password.h"

#include <QFile>
#include <QRegularExpression>

#include <algorithm>
#include <array>

namespace latchkey::cli {

using base::ErrorKind;
using base::failure;
using base::Result;
using help::CommandLine;

namespace {

/// Reads a secret. Unlike other files it may be a pipe: `--password-file <(pass show redis)` keeps it off the disk.
Result<QByteArray> firstLineOf(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return failure(ErrorKind::Local, CommandLine::tr("cannot read %1: %2").arg(path, file.errorString()));
    QByteArray line = file.readLine(64LL * 1024);
    if (line.endsWith('\n'))
        line.chop(1);
    if (line.isEmpty())
        return failure(ErrorKind::Usage, CommandLine::tr("the first line of \"%1\" is empty").arg(path));
    return line;
}

/// Returns the name of an option that is given more often than permitted. Empty if there is none.
QString firstDuplicate(const QCommandLineParser &parser, const QList<QCommandLineOption> &options)
{
    const QStringList given = parser.optionNames();
    for (const QCommandLineOption &option : options) {
        const QStringList names = option.names();
        const auto isThis = [&names](const QString &name) { return names.contains(name); };
        if (!Arguments::isRepeatable(names.constLast()) && std::ranges::count_if(given, isThis) > 1)
            return names.constLast();
    }
    return {};
}

} // namespace

Arguments::Arguments(std::shared_ptr<QCommandLineParser> parser)
    : m_parser(std::move(parser))
    , m_positionals(m_parser->positionalArguments())
{}

bool Arguments::isRepeatable(const QString &option)
{
    constexpr std::array repeatable {"url",  "server", "file", "promise", "without", "data",
                                     "only", "event",  "lock", "alert",   "inside",  "outside"};
    return std::ranges::any_of(repeatable, [&](const char *each) { return option == QLatin1String(each); });
}

QString Arguments::readable(const QString &text)
{
    QByteArray bytes;
    for (const QChar c : text)
        bytes += c.unicode() <= 0xFF ? QByteArray(1, c.toLatin1()) : QString(c).toUtf8();
    static const QRegularExpression quoted(QStringLiteral("'(.*)'"));
    return QString::fromUtf8(bytes).replace(quoted, QStringLiteral("\"\\1\""));
}

Result<Arguments> Arguments::parse(const QStringList &words, const Spec &spec, const QList<QCommandLineOption> &options)
{
    auto parser = std::make_shared<QCommandLineParser>();
    parser->addOptions(commonOptions() + options);
    if (!parser->parse(QStringList {QStringLiteral("latchkey-cli")} + words))
        return failure(ErrorKind::Usage, parseErrorText(*parser, commonOptions() + options));
    if (const QString twice = firstDuplicate(*parser, commonOptions() + options); !twice.isEmpty())
        return failure(ErrorKind::Usage, CommandLine::tr("--%1 is given twice").arg(twice));
    Arguments arguments(std::move(parser));
    const auto timeout = timeoutFrom(arguments);
    if (!timeout)
        return failure(timeout.error());
    arguments.m_timeout = *timeout;
    if (const qsizetype dashes = words.indexOf(QStringLiteral("--")); dashes >= 0) {
        arguments.m_behindDashes.emplace();
        for (const QString &word : words.mid(dashes + 1))
            *arguments.m_behindDashes += word.toLatin1();
    }
    const int count = arguments.positionalCount();
    if (count < spec.minPositionals)
        return failure(ErrorKind::Usage,
                       CommandLine::tr("too few arguments; expected %1").arg(QLatin1String(spec.positionals)));
    if (spec.maxPositionals >= 0 && count > spec.maxPositionals)
        return failure(ErrorKind::Usage, CommandLine::tr("unexpected argument \"%1\"; expected %2")
                                             .arg(base::printable(arguments.positionalBytes(spec.maxPositionals)),
                                                  *spec.positionals == 0 ? QStringLiteral("none")
                                                                         : QString::fromLatin1(spec.positionals)));
    return arguments;
}

QStringList Arguments::wordsOf(int argc, char **argv)
{
    QStringList words;
    for (int i = 0; i < argc; ++i)
        words += QString::fromLatin1(argv[i]);
    return words;
}

QList<QCommandLineOption> Arguments::commonOptions()
{
    return serverOptions()
         + QList<QCommandLineOption> {
             makeOption("password-file", "FILE", CommandLine::tr("the server's password is the file's first line")),
             makeOption("cacert", "FILE", CommandLine::tr("CA certificates in PEM; default: those of the system")),
             makeOption("cert", "FILE", CommandLine::tr("client certificate in PEM")),
             makeOption("key", "FILE", CommandLine::tr("key of the client certificate")),
             makeOption("sni", "NAME", CommandLine::tr("name in the server's certificate; default: the host")),
             makeOption("pin", "SHA256", CommandLine::tr("accept only the certificate with this fingerprint")),
             makeOption(
                 "ssh", "[USER@]HOST[:PORT]",
                 CommandLine::tr(
                     "through ssh, with its configuration, keys and known hosts; the URL is resolved on that host")),
             makeOption(
                 "proxy", "URL",
                 CommandLine::tr(
                     "through a proxy, socks5://[user[:password]@]host:port or http://…; none is used unless named")),
             makeOption("json", "", CommandLine::tr("print JSON")),
             makeOption("h,help", "", CommandLine::tr("after a command: its own help")),
             makeOption(
                 "q,quiet", "",
                 CommandLine::tr("no notes on standard error, such as busy; errors and what was not seen are printed")),
             makeOption("v,verbose", "",
                        CommandLine::tr("also print the server, the source of its address and the time "
                                        "taken, to standard error; without a command the version")),
             makeOption("V,version", "", CommandLine::tr("print the version")),
         };
}

QList<QCommandLineOption> Arguments::keyOptions()
{
    return {
        makeOption("base64-key", "", CommandLine::tr("KEY is base64, for keys that contain NUL")),
        makeOption("allow-empty-key", "",
                   CommandLine::tr("allow an empty KEY (refused by default: usually an unset shell variable)")),
    };
}

QList<QCommandLineOption> Arguments::tokenOptions(const QString &description)
{
    return {
        makeOption("token", "TOKEN", description),
        makeOption(
            "token-file", "FILE",
            CommandLine::tr("the same, read from the first line of a file; or LATCHKEY_TOKEN in the environment")),
    };
}

QCommandLineOption Arguments::leaseOption(const QString &description)
{
    return makeOption("lease", "DURATION", description);
}

base::Globs Arguments::globs(int first) const
{
    std::vector<base::Glob> globs;
    for (int i = first; i < positionalCount(); ++i)
        globs.emplace_back(positionalBytes(i));
    return base::Globs(std::move(globs));
}

QStringList Arguments::texts(const char *option) const
{
    QStringList texts;
    for (const QString &value : m_parser->values(QLatin1String(option)))
        texts += QString::fromUtf8(value.toLatin1());
    return texts;
}

/// Adds the SSH tunnel and the proxy of the command line, which take precedence over those of the URL.
Result<net::Endpoint> Arguments::withRoute(net::Endpoint endpoint) const
{
    if (isSet("ssh")) {
        auto sshHost = ssh::SshHost::fromText(text("ssh"));
        if (!sshHost)
            return failure(sshHost.error().during(QStringLiteral("--ssh")));
        endpoint.ssh = std::move(*sshHost);
    }
    if (isSet("proxy")) {
        auto proxy = net::Proxy::fromUrl(text("proxy"));
        if (!proxy)
            return failure(proxy.error().during(QStringLiteral("--proxy")));
        if (endpoint.transport == net::Endpoint::Transport::Unix)
            return failure(ErrorKind::Usage,
                           CommandLine::tr("--proxy leads to hosts, and %1 is a socket").arg(endpoint.display()));
        endpoint.proxy = std::move(*proxy);
    }
    if (endpoint.ssh && endpoint.proxy)
        return failure(ErrorKind::Usage,
                       CommandLine::tr("ssh and a proxy exclude each other: the way of ssh through a proxy is for its "
                                       "own configuration (ProxyCommand)"));
    return endpoint;
}

bool Arguments::areTlsOptionsSet() const
{
    return isSet("pin") || std::ranges::any_of(net::tlsTextOptions, [this](const net::TlsTextOption &option) {
               return isSet(option.name);
           });
}

Result<net::Endpoint> Arguments::withTls(net::Endpoint endpoint) const
{
    if (isSet("tls") && endpoint.transport == net::Endpoint::Transport::Unix)
        return failure(ErrorKind::Usage, CommandLine::tr("--tls: %1 is a socket").arg(endpoint.display()));
    if (isSet("tls") && !endpoint.tls)
        endpoint.tls.emplace();
    if (!areTlsOptionsSet())
        return endpoint;
    if (!endpoint.tls)
        return failure(
            ErrorKind::Usage,
            CommandLine::tr("--cacert, --cert, --key, --sni and --pin are for TLS, and %1 goes without: such "
                            "a URL begins with rediss://, or add --tls")
                .arg(endpoint.display()));
    for (const net::TlsTextOption &option : net::tlsTextOptions) {
        if (isSet(option.name))
            (*endpoint.tls).*(option.value) = text(option.name);
    }
    if (isSet("pin")) {
        auto pin = net::pinFrom(text("pin"));
        if (!pin)
            return failure(pin.error().during(QStringLiteral("--pin")));
        endpoint.tls->pin = std::move(*pin);
    }
    return endpoint;
}

Result<QStringList> Arguments::namedUrls() const
{
    const auto parts = serverFromParts(*this);
    if (!parts)
        return failure(parts.error());
    if (*parts)
        return QStringList {(*parts)->toUrlWithPassword()};
    const auto saved = savedConnections(texts("server"));
    if (!saved)
        return failure(saved.error());
    QStringList urls = texts("url");
    for (const connections::SavedConnection &server : *saved)
        urls += server.endpoint.toUrl();
    return urls;
}

Result<std::vector<net::Endpoint>> Arguments::endpoints() const
{
    const auto named = namedUrls();
    if (!named)
        return failure(named.error());
    QStringList urls = *named;
    const bool isUrlTyped = isSet("url") || isSet("server") || namesHost(*this);
    net::PasswordSources passwords {isUrlTyped, std::nullopt, qEnvironmentVariable("LATCHKEY_PASSWORD"),
                                    qEnvironmentVariable("LATCHKEY_PROXY_PASSWORD"),
                                    qEnvironmentVariable("LATCHKEY_SENTINEL_PASSWORD")};
    if (urls.isEmpty() && !qEnvironmentVariableIsEmpty("LATCHKEY_URL"))
        urls += qEnvironmentVariable("LATCHKEY_URL");
    if (isSet("password-file")) {
        const auto line = firstLineOf(text("password-file"));
        if (!line)
            return failure(line.error());
        passwords.file = QString::fromUtf8(*line);
    }

    std::vector<net::Endpoint> endpoints;
    for (const QString &url : urls) {
        auto endpoint = net::Endpoint::fromUrl(url)
                            .and_then([this](const net::Endpoint &read) { return withTls(read); })
                            .and_then([this](const net::Endpoint &read) { return withRoute(read); });
        if (!endpoint)
            return failure(std::move(endpoint.error()));
        if (std::ranges::any_of(
                endpoints, [&](const net::Endpoint &other) { return connections::areSameServer(*endpoint, other); }))
            return failure(ErrorKind::Usage, CommandLine::tr("the server %1 is given twice").arg(endpoint->display()));
        endpoints.push_back(std::move(*endpoint));
    }
    if (endpoints.empty()) {
        auto local =
            withTls(net::Endpoint::local()).and_then([this](const net::Endpoint &read) { return withRoute(read); });
        if (!local)
            return failure(std::move(local.error()));
        endpoints.push_back(std::move(*local));
    }
    for (net::Endpoint &endpoint : endpoints) {
        auto withPassword = net::withPassword(std::move(endpoint), passwords);
        if (!withPassword)
            return failure(std::move(withPassword.error()));
        endpoint = std::move(*withPassword);
    }
    auto all = withSavedSecrets(std::move(endpoints), texts("server")); // The servers of --server come last.
    if (all && isSet("verbose"))
        printServers(*this, *all);
    return all;
}

Result<net::Endpoint> Arguments::endpoint() const
{
    auto all = endpoints();
    if (!all)
        return failure(std::move(all.error()));
    if (all->size() == 1)
        return std::move(all->front());
    if (const QStringList names = texts("server"); names.size() == 1 && !isSet("url"))
        return failure(
            ErrorKind::Usage,
            CommandLine::tr("\"%1\" is a redlock group of %2 servers, and this command uses a single server: "
                            "give one --url only, such as %3; ls, why, watch and the lock commands with "
                            "redlock use the whole group")
                .arg(names.front(), QString::number(all->size()), all->front().display()));
    return failure(ErrorKind::Usage, CommandLine::tr("one --url only: this command uses a single server"));
}

Result<base::Key> Arguments::key(int index) const
{
    const QByteArray given = positionalBytes(index);
    if (given.isEmpty() && !isSet("allow-empty-key"))
        return failure(ErrorKind::Usage,
                       CommandLine::tr("the key is empty: is a variable not set? An empty key that is "
                                       "meant needs --allow-empty-key"));
    if (!isSet("base64-key"))
        return base::Key(given);
    const auto decoded = QByteArray::fromBase64Encoding(given, QByteArray::AbortOnBase64DecodingErrors);
    if (!decoded)
        return failure(ErrorKind::Usage, CommandLine::tr("the key \"%1\" is not base64").arg(base::printable(given)));
    return base::Key(*decoded);
}

Result<std::optional<std::chrono::milliseconds>> Arguments::duration(const char *option) const
{
    if (!isSet(option))
        return std::nullopt;
    const auto duration = base::parseDuration(text(option));
    if (!duration)
        return failure(duration.error().during(QStringLiteral("--") + QLatin1String(option)));
    return *duration;
}

Result<std::optional<base::Lease>> Arguments::lease(const char *option) const
{
    const bool isLocks = qstrcmp(option, "lease") == 0;
    const auto tooShort = [&](const QString &given) {
        const QString text =
            isLocks
                ? CommandLine::tr("--%1: a lease must be longer than zero, not %2; write it like 500ms, 5s or 2m")
                : CommandLine::tr("--%1: a lifetime must be longer than zero, not %2; write it like 500ms, 5s or 2m");
        return failure(ErrorKind::Usage, text.arg(QLatin1String(option), given));
    };
    // Checked before the unit: with a unit, the number would be invalid too.
    bool isNumber = false;
    if (const qint64 number = text(option).toLongLong(&isNumber); isNumber && number <= 0)
        return tooShort(QString::number(number));
    const auto given = duration(option);
    if (!given)
        return failure(given.error());
    if (!*given)
        return std::nullopt;
    if (const auto lease = base::Lease::of(**given))
        return *lease;
    if (given->value().count() <= 0)
        return tooShort(base::formatDuration(**given));
    const QString tooLong = isLocks ? CommandLine::tr("--%1: a lease of %2 is longer than a hundred years")
                                    : CommandLine::tr("--%1: a lifetime of %2 is longer than a hundred years");
    return failure(ErrorKind::Usage, tooLong.arg(QLatin1String(option), base::formatDuration(**given)));
}

Result<std::optional<base::OwnerToken>> Arguments::token(const base::Key &key) const
{
    if (isSet("token") && isSet("token-file"))
        return failure(ErrorKind::Usage, CommandLine::tr("--token and --token-file exclude each other"));
    if (isSet("token"))
        return base::OwnerToken(bytes("token"));
    if (isSet("token-file")) {
        const auto line = firstLineOf(text("token-file"));
        if (!line)
            return failure(line.error());
        return base::OwnerToken(*line);
    }
    const QByteArray token = qgetenv("LATCHKEY_TOKEN");
    const bool isAnotherLocks = qEnvironmentVariableIsSet("LATCHKEY_KEY") && qgetenv("LATCHKEY_KEY") != key.bytes();
    if (token.isEmpty() || isAnotherLocks)
        return std::nullopt;
    return base::OwnerToken(token);
}

} // namespace latchkey::cli
