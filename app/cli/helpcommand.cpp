// help and version: what --help and --version print.

#include "app/cli/helpcommand.h"

#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/suggestion.h"
#include "app/help/commandline.h"
#include "app/help/helptext.h"
#include "core/foundation/base/terminaltext.h"
#include "core/foundation/base/version.h"

#include <cstdio>

namespace latchkey::cli {

using help::CommandLine;

namespace {

void printFilled(const QString &text)
{
    printBytes(help::filled(text, help::helpWidth()).toUtf8());
}

constexpr auto usageText =
    QT_TRANSLATE_NOOP("CommandLine", "Usage: latchkey-cli [--url URL] COMMAND [ARGUMENT...]\n"
                                     "\n"
                                     "Locks and expiring keys on a Redis server, for scripts and teaching.\n"
                                     "\n"
                                     "Commands:\n");

constexpr auto optionsText = QT_TRANSLATE_NOOP(
    "CommandLine",
    "\n"
    "Options of every command:\n"
    "  -u, --url URL         redis://[user[:password]@]host[:port][/db], the same with rediss:// for "
    "TLS, or unix:///path/to.sock?db=N; else LATCHKEY_URL, else redis://127.0.0.1:6379\n"
    "  --server NAME         a server saved in the window (Ctrl+K) by its name\n"
    "  --host HOST           instead of a URL: the host, default 127.0.0.1 (-h is help)\n"
    "  -p, --port PORT       instead of a URL: the port, default 6379\n"
    "  -n, --db DB           another database than that of LATCHKEY_URL, --host or --port\n"
    "  --user USER           another user than that of LATCHKEY_URL, --host or --port\n"
    "  --timeout DURATION    longest wait for the connection and for each answer; default 5s\n"
    "  --password-file FILE  the server's password is the file's first line\n"
    "  --cacert FILE         CA certificates in PEM; default: those of the system\n"
    "  --cert FILE           client certificate in PEM\n"
    "  --key FILE            key of the client certificate\n"
    "  --sni NAME            name in the server's certificate; default: the host\n"
    "  --pin SHA256          accept only the certificate with this fingerprint\n"
    "  --ssh [USER@]HOST[:PORT]\n"
    "                        through ssh, with its configuration, keys and known hosts; the URL is "
    "resolved on that host\n"
    "  --proxy URL           through a proxy, socks5://[user[:password]@]host:port or http://…; none "
    "is used unless named\n"
    "  --json                print JSON\n"
    "  -h, --help            after a command: its own help\n"
    "  -q, --quiet           no notes on standard error, such as busy; errors and what was not seen are printed\n"
    "  -v, --verbose         also print the server, the source of its address and the time taken, to standard "
    "error; without a command the version\n"
    "  -V, --version         print the version\n"
    "\n"
    "Environment:\n"
    "  LATCHKEY_URL           server, if there is no --url\n"
    "  LATCHKEY_PASSWORD      its password\n"
    "  LATCHKEY_PROXY_PASSWORD  password of a proxy, if its URL has none\n"
    "  LATCHKEY_SERVERS       file of the saved servers\n"
    "  LATCHKEY_TOKEN         token of a lock, if there is no --token or --token-file\n"
    "  LATCHKEY_REDIS_SERVER  program for private servers (explore, story); default: redis-server or "
    "valkey-server\n"
    "  LC_ALL, LC_MESSAGES, LANG\n"
    "                         language: English or Simplified Chinese; JSON is always in English\n"
    "  COLUMNS                width of the help, default 80, and of the table of ls on a terminal\n"
    "  NO_COLOR               if not empty: no colours on a terminal\n"
    "\n"
    "A password on the command line (in --url, or the --password-file) goes before one in the "
    "environment (in LATCHKEY_URL, or LATCHKEY_PASSWORD), and that before one in the keychain (of "
    "--server). Two different ones of the same rank are an error.\n"
    "\n"
    "Durations are written 500ms, 5s, 2m, 1h or 7d.\n"
    "\n"
    "Exit codes: 0 yes; 1 a clear no (busy, not the owner, gone, miss); 2 wrong usage; 3 server or "
    "connection error, or an outcome that cannot be known. run gives the code of its program.\n"
    "\n"
    "Examples:\n"
    "  latchkey-cli --ssh me@jump.example --url redis://10.0.0.7:6379 ls\n"
    "  latchkey-cli --proxy socks5://127.0.0.1:1080 --url rediss://db.example ls\n"
    "  token=$(latchkey-cli acquire token lock:orders --lease 10s) && latchkey-cli release token "
    "lock:orders --token \"$token\"\n");

void printHelp()
{
    QString list;
    for (const Command &command : commands())
        list +=
            QStringLiteral("  %1  %2\n").arg(QLatin1String(command.name), -10).arg(CommandLine::tr(command.summary));
    printFilled(CommandLine::tr(usageText) + list + CommandLine::tr(optionsText));
}

ExitCode runHelp(const Arguments &arguments)
{
    return printHelpFor(arguments.positionalBytes(0));
}

ExitCode runVersion(const Arguments &)
{
    printVersion();
    return ExitCode::Yes;
}

} // namespace

ExitCode printHelpFor(const QByteArray &name)
{
    if (name.isEmpty()) {
        printHelp();
        return ExitCode::Yes;
    }
    const auto command = findCommand(name);
    if (!command)
        return complain(command.error());
    printHelpOf(**command);
    return ExitCode::Yes;
}

void printHelpOf(const Command &command)
{
    const QString usage = CommandLine::tr("Usage: latchkey-cli %1 %2")
                              .arg(QLatin1String(command.name), QLatin1String(command.spec.positionals))
                              .trimmed();
    const QString appendix = command.appendix == nullptr ? QString() : u'\n' + command.appendix();
    printFilled(usage + QStringLiteral("\n\n") + CommandLine::tr(command.help) + appendix);
}

void printVersion()
{
    std::printf("latchkey-cli %s\n", qPrintable(base::programVersion()));
}

base::Result<const Command *> findCommand(const QByteArray &name)
{
    QStringList names;
    for (const Command &command : commands()) {
        if (name == command.name)
            return &command;
        names += QLatin1String(command.name);
    }
    const QString meant = suggestionFor(QString::fromUtf8(name), names);
    const QString hint = meant.isEmpty() ? QString() : CommandLine::tr(" (did you mean \"%1\"?)").arg(meant);
    return base::failure(
        base::ErrorKind::Usage,
        CommandLine::tr("unknown command \"%1\"%2; see latchkey-cli --help").arg(base::printable(name), hint));
}

Command helpCommand()
{
    return {
        "help",
        {"[COMMAND]", 0, 1},
        QT_TRANSLATE_NOOP("CommandLine", "prints the help of the program or of a command"),
        QT_TRANSLATE_NOOP("CommandLine",
                          "Prints the help of COMMAND, as COMMAND --help does; without COMMAND the list of commands.\n"
                          "\n"
                          "Exit code: 0, 2 for an unknown command.\n"
                          "\n"
                          "Example:\n"
                          "  latchkey-cli help ls\n"),
        {},
        runHelp,
    };
}

Command versionCommand()
{
    return {
        "version",
        {"", 0, 0},
        QT_TRANSLATE_NOOP("CommandLine", "prints the version of the program"),
        QT_TRANSLATE_NOOP("CommandLine", "Prints the name and the version of the program, as -V and --version do.\n"
                                         "\n"
                                         "Exit code: 0.\n"
                                         "\n"
                                         "Example:\n"
                                         "  latchkey-cli version\n"),
        {},
        runVersion,
    };
}

} // namespace latchkey::cli
