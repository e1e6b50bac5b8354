// help and version: the texts of --help and --version.

#include "app/cli/helpcommand.h"

#include "app/cli/command.h"
#include "app/cli/option.h"
#include "app/cli/output.h"
#include "app/cli/suggestion.h"
#include "app/help/commandline.h"
#include "app/help/helptext.h"
#include "app/help/manualpage.h"
#include "app/help/versiontext.h"
#include "core/foundation/base/terminaltext.h"

namespace latchkey::cli {

using help::CommandLine;

namespace {

/// The parts of a help text.
struct HelpParts
{
    QString name;    ///< `latchkey-cli`, or `latchkey-cli acquire`.
    QString summary; ///< One line.
    QString usage;   ///< The arguments behind the name.
    QString text;    ///< With marks for the options; see withOptions().
    QList<QCommandLineOption> options;
};

void printFilled(const QString &text)
{
    printBytes(help::filled(text, help::helpWidth()).toUtf8());
}

constexpr auto usageText = QT_TRANSLATE_NOOP("CommandLine", R"help(Usage: latchkey-cli [--url URL] COMMAND [ARGUMENT...]

Locks and expiring keys on a Redis server, for scripts and teaching.

Commands:
)help");

constexpr auto optionsText = QT_TRANSLATE_NOOP("CommandLine", R"help(
Options of every command:
{options}

Environment:
  LATCHKEY_URL           server, if there is no --url
  LATCHKEY_PASSWORD      its password
  LATCHKEY_PROXY_PASSWORD  password of a proxy, if its URL has none
  LATCHKEY_SENTINEL_PASSWORD
                         password at the sentinels, if the URL has none
  LATCHKEY_SERVERS       file of the saved servers
  LATCHKEY_TOKEN         token of a lock, if there is no --token or --token-file
  LATCHKEY_REDIS_SERVER  program for private servers (explore, story); default: redis-server or valkey-server
  LC_ALL, LC_MESSAGES, LANG
                         language: English or Simplified Chinese; JSON is always in English
  COLUMNS                width of the help, default 80, and of the table of ls on a terminal
  NO_COLOR               if not empty: no colours on a terminal

A password on the command line (in --url, or the --password-file) goes before one in the environment (in LATCHKEY_URL, or LATCHKEY_PASSWORD), and that before one in the keychain (of --server). Two different ones of the same rank are an error.

Durations are written 500ms, 5s, 2m, 1h or 7d.

Exit codes: 0 yes; 1 a clear no (busy, not the owner, gone, miss); 2 wrong usage; 3 server or connection error, or an outcome that cannot be known. run gives the code of its program.

Examples:
  latchkey-cli --ssh me@jump.example --url redis://10.0.0.7:6379 ls
  latchkey-cli --proxy socks5://127.0.0.1:1080 --url rediss://db.example ls
  token=$(latchkey-cli acquire token lock:orders --lease 10s) && latchkey-cli release token lock:orders --token "$token"
)help");

/// Returns the help of the program; its text begins with the usage.
HelpParts programHelp()
{
    const QString usage = CommandLine::tr(usageText);
    QString list;
    for (const Command &command : commands())
        list +=
            QStringLiteral("  %1  %2\n").arg(QLatin1String(command.name), -10).arg(CommandLine::tr(command.summary));
    return {QStringLiteral("latchkey-cli"), usage.section(QStringLiteral("\n\n"), 1, 1),
            QStringLiteral("[--url URL] COMMAND [ARGUMENT...]"), usage + list + CommandLine::tr(optionsText),
            Arguments::commonOptions()};
}

HelpParts helpOf(const Command &command)
{
    const QString appendix = command.appendix == nullptr ? QString() : u'\n' + command.appendix();
    return {QStringLiteral("latchkey-cli ") + QLatin1String(command.name), CommandLine::tr(command.summary),
            QLatin1String(command.spec.positionals), CommandLine::tr(command.help) + appendix, command.options};
}

/// Returns the entries of options for a page of man(1).
QString manualEntriesOf(const QList<QCommandLineOption> &options)
{
    QStringList entries;
    for (const QCommandLineOption &option : options)
        entries += QStringLiteral(".TP\n\\fB%1\\fR\n%2")
                       .arg(help::escapedForManual(termOf(option)), help::escapedForManual(option.description()));
    return entries.join(u'\n');
}

QString manualPageOf(const HelpParts &parts)
{
    return help::manualPage({parts.name, parts.summary, parts.usage,
                             withOptions(help::manualBody(parts.text), parts.options, &manualEntriesOf)});
}

ExitCode runHelp(const Arguments &arguments)
{
    const QByteArray name = arguments.positionalBytes(0);
    if (!arguments.isSet("man"))
        return printHelpFor(name);
    HelpParts page = programHelp();
    page.text = page.text.section(QStringLiteral("\n\n"), 2);
    if (!name.isEmpty()) {
        const auto command = findCommand(name);
        if (!command)
            return printError(command.error());
        page = helpOf(**command);
    }
    printBytes(manualPageOf(page).toUtf8());
    return ExitCode::Yes;
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
        const HelpParts help = programHelp();
        printFilled(withOptions(help.text, help.options));
        return ExitCode::Yes;
    }
    const auto command = findCommand(name);
    if (!command)
        return printError(command.error());
    printHelpOf(**command);
    return ExitCode::Yes;
}

void printHelpOf(const Command &command)
{
    const QString usage = CommandLine::tr("Usage: latchkey-cli %1 %2")
                              .arg(QLatin1String(command.name), QLatin1String(command.spec.positionals))
                              .trimmed();
    const HelpParts help = helpOf(command);
    printFilled(usage + QStringLiteral("\n\n") + withOptions(help.text, help.options));
}

void printVersion()
{
    printLine(help::versionText(QStringLiteral("latchkey-cli")));
}

base::Result<const Command *> findCommand(const QByteArray &name)
{
    QStringList names;
    for (const Command &command : commands()) {
        if (name == command.name)
            return &command;
        names += QLatin1String(command.name);
    }
    if (name == "ping")
        return base::failure(base::ErrorKind::Usage, CommandLine::tr("the command ping is called status now"));
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
        QT_TRANSLATE_NOOP(
            "CommandLine",
            R"help(Prints the help of COMMAND, as COMMAND --help does; without COMMAND the list of commands.

{options}

Exit code: 0, 2 for an unknown command.

Example:
  latchkey-cli help ls
  latchkey-cli help --man ls | man -l -
)help"),
        {makeOption("man", "", CommandLine::tr("print a page for man(1)"))},
        runHelp,
    };
}

Command versionCommand()
{
    return {
        "version",
        {"", 0, 0},
        QT_TRANSLATE_NOOP("CommandLine", "prints the version of the program"),
        QT_TRANSLATE_NOOP(
            "CommandLine",
            R"help(Prints the name and the version of the program, its commit, and the versions of Qt and hiredis, as -V and --version do.

Exit code: 0.

Example:
  latchkey-cli version
)help"),
        {},
        runVersion,
    };
}

} // namespace latchkey::cli
