// latchkey-cli: the command line, and the process of every client of the playground.

#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/help/commandline.h"
#include "app/help/helptext.h"
#include "core/foundation/base/terminaltext.h"
#include "core/foundation/base/utf8locale.h"
#include "core/foundation/base/version.h"
#include "core/foundation/language/catalogue.h"
#include "core/redis/ssh/answerer.h"

#include <QCoreApplication>
#include <QNetworkProxy>

#include <array>
#include <cstdio>

#include <fcntl.h>
#include <unistd.h>

namespace latchkey::cli {

using help::CommandLine;

const std::vector<Command> &commands()
{
    static const std::vector<Command> all {
        recipesCommand(), acquireCommand(), releaseCommand(), extendCommand(), runCommand(),       putCommand(),
        getCommand(),     lsCommand(),      watchCommand(),   replayCommand(), whyCommand(),       expectCommand(),
        labCommand(),     exploreCommand(), storyCommand(),   actorCommand(),  completionCommand()};
    return all;
}

namespace {

void printFilled(const QString &text)
{
    printBytes(help::filled(text, help::helpWidth()).toUtf8());
}

void printHelp()
{
    QString list;
    for (const Command &command : commands())
        list +=
            QStringLiteral("  %1  %2\n").arg(QLatin1String(command.name), -10).arg(CommandLine::tr(command.summary));
    printFilled(CommandLine::tr("Usage: latchkey-cli [--url URL] COMMAND [ARGUMENT...]\n"
                                "\n"
                                "Locks and expiring keys on a Redis server, for scripts and teaching.\n"
                                "\n"
                                "Commands:\n")
                + list
                + CommandLine::tr(
                    "\n"
                    "Options of every command:\n"
                    "  --url URL             redis://[user[:password]@]host[:port][/db], the same with rediss:// for "
                    "TLS, or unix:///path/to.sock?db=N; else LATCHKEY_URL, else redis://127.0.0.1:6379\n"
                    "  --server NAME         a server saved in the window (Ctrl+K) by its name\n"
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
                    "  -v, --version         print the version\n"
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
                    "  COLUMNS                width of the help; default 80\n"
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
                    "lock:orders --token \"$token\"\n"));
}

/// Whether the output is for other programs, and so in English: JSON, and messages between Latchkey's own processes.
bool isForPrograms(int argc, char **argv)
{
    const QStringList words = Arguments::wordsOf(argc, argv);
    const QStringList own = words.first(std::max<qsizetype>(words.indexOf(QStringLiteral("--")), 0));
    const QStringList &before = own.isEmpty() ? words : own;
    if (before.contains(QStringLiteral("--help")) || before.contains(QStringLiteral("-h")))
        return false;
    return before.contains(QStringLiteral("--json")) || before.contains(QStringLiteral("--write"))
        || before.contains(QStringLiteral("actor"));
}

/// Splits the arguments at the command. Options before the command are passed to it.
base::Result<std::pair<QStringList, QStringList>> splitAtCommand(const QStringList &words)
{
    QCommandLineParser parser;
    parser.setOptionsAfterPositionalArgumentsMode(QCommandLineParser::ParseAsPositionalArguments);
    parser.addOptions(Arguments::commonOptions());
    if (!parser.parse(words))
        return base::failure(base::ErrorKind::Usage, Arguments::readable(parser.errorText()));
    const QStringList rest = parser.positionalArguments();
    return std::pair(words.sliced(1, words.size() - 1 - rest.size()), rest);
}

ExitCode run(int argc, char **argv)
{
    const auto split = splitAtCommand(Arguments::wordsOf(argc, argv));
    if (!split) {
        complain(split.error().message() + CommandLine::tr(" See latchkey-cli --help."));
        return ExitCode::Usage;
    }
    const QStringList &before = split->first;
    const QStringList &rest = split->second;
    const auto has = [&before](const char *shortName, const char *longName) {
        return before.contains(QLatin1String(shortName)) || before.contains(QLatin1String(longName));
    };
    if (has("-v", "--version")) {
        std::printf("latchkey-cli %s\n", qPrintable(base::programVersion()));
        return ExitCode::Yes;
    }
    if (has("-h", "--help")) {
        printHelp();
        return ExitCode::Yes;
    }
    if (rest.isEmpty()) {
        complain(CommandLine::tr("a command is missing; see latchkey-cli --help"));
        return ExitCode::Usage;
    }

    const QByteArray name = rest.front().toLatin1();
    const auto command = std::find_if(commands().begin(), commands().end(),
                                      [&](const Command &candidate) { return name == candidate.name; });
    if (command == commands().end()) {
        complain(CommandLine::tr("unknown command \"%1\"; see latchkey-cli --help").arg(base::printable(name)));
        return ExitCode::Usage;
    }
    const QStringList own = rest.sliced(1);
    const auto asksForHelp = [&own](const QString &word) {
        return own.contains(word)
            && own.indexOf(word)
                   < (own.contains(QStringLiteral("--")) ? own.indexOf(QStringLiteral("--")) : own.size());
    };
    if (asksForHelp(QStringLiteral("--help")) || asksForHelp(QStringLiteral("-h"))) {
        const QString usage = CommandLine::tr("Usage: latchkey-cli %1 %2")
                                  .arg(QLatin1String(command->name), QLatin1String(command->spec.positionals))
                                  .trimmed();
        const QString appendix = command->appendix == nullptr ? QString() : u'\n' + command->appendix();
        printFilled(usage + QStringLiteral("\n\n") + CommandLine::tr(command->help) + appendix);
        return ExitCode::Yes;
    }
    const auto arguments = Arguments::parse(before + own, command->spec, command->options);
    if (!arguments) {
        complain(CommandLine::tr("%1: %2; see latchkey-cli %1 --help")
                     .arg(QLatin1String(command->name), arguments.error().message()));
        return ExitCode::Usage;
    }
    return command->run(*arguments);
}

/// Whether enough files and sockets can be opened for an event loop and a connection. Without them, Qt aborts.
bool hasDescriptors()
{
    std::array<int, 8> opened {};
    bool hasAll = true;
    for (int &descriptor : opened) {
        descriptor = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        hasAll = hasAll && descriptor >= 0;
    }
    for (const int descriptor : opened) {
        if (descriptor >= 0)
            ::close(descriptor);
    }
    return hasAll;
}

/// Returns Error instead of Yes if the output could not be written, because an unread answer is no answer.
ExitCode withWrittenOutput(ExitCode code)
{
    if (flushOutput() || code != ExitCode::Yes)
        return code;
    complain(CommandLine::tr("cannot write the answer to standard output; the command itself was executed"));
    return ExitCode::Error;
}

} // namespace

} // namespace latchkey::cli

int main(int argc, char *argv[])
{
    if (latchkey::ssh::isAnswerer())
        return latchkey::ssh::answerQuestion(argc, argv);
    latchkey::cli::prepareOutput();
    const auto language = latchkey::language::environmentLanguage();
    latchkey::base::ensureUtf8Locale();
    QNetworkProxy::setApplicationProxy(QNetworkProxy::NoProxy);
    latchkey::base::logAsTerminalText();
    if (!latchkey::cli::hasDescriptors()) {
        latchkey::cli::complain(QStringLiteral("too many open files: raise the limit (ulimit -n)"));
        return static_cast<int>(latchkey::cli::ExitCode::Error);
    }
    const QCoreApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("latchkey"));
    using latchkey::language::Language;
    latchkey::language::Catalogue texts(latchkey::cli::isForPrograms(argc, argv) ? Language::English : language);
    QCoreApplication::installTranslator(&texts);
    return static_cast<int>(latchkey::cli::withWrittenOutput(latchkey::cli::run(argc, argv)));
}
