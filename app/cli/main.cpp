// latchkey-cli: the command line, and the process of every client of the playground.

#include "app/cli/command.h"
#include "app/cli/helpcommand.h"
#include "app/cli/output.h"
#include "app/cli/suggestion.h"
#include "app/help/commandline.h"
#include "core/foundation/base/clock.h"
#include "core/foundation/base/duration.h"
#include "core/foundation/base/terminaltext.h"
#include "core/foundation/base/utf8locale.h"
#include "core/foundation/language/catalogue.h"
#include "core/redis/ssh/askpassclient.h"

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
    static const std::vector<Command> all {recipesCommand(), acquireCommand(),    releaseCommand(), extendCommand(),
                                           runCommand(),     putCommand(),        getCommand(),     statusCommand(),
                                           lsCommand(),      watchCommand(),      replayCommand(),  whyCommand(),
                                           expectCommand(),  labCommand(),        exploreCommand(), storyCommand(),
                                           actorCommand(),   completionCommand(), helpCommand(),    versionCommand()};
    return all;
}

namespace {

/// Returns whether one of the words is a --output for programs.
bool isOutputForPrograms(const QStringList &words)
{
    for (qsizetype i = 0; i < words.size(); ++i) {
        QString format = words[i];
        if (format == u"-o" || format == u"--output")
            format = words.value(i + 1);
        else if (format.startsWith(QLatin1String("--output=")))
            format = format.section(u'=', 1);
        else if (!format.startsWith(QLatin1String("-o")))
            continue;
        static const QStringList forPrograms {QStringLiteral("json"), QStringLiteral("jsonl"), QStringLiteral("csv")};
        if (forPrograms.contains(format.startsWith(QLatin1String("-o")) ? format.sliced(2) : format))
            return true;
    }
    return false;
}

/// Returns the arguments with `--host HOST` for `-h HOST`, as redis-cli has it. Without a host, or before the name of a
/// command, -h is --help.
QStringList wordsWithHost(int argc, char **argv)
{
    QStringList words = Arguments::wordsOf(argc, argv);
    for (qsizetype i = 1; i + 1 < words.size() && words[i] != u"--"; ++i) {
        if (words[i] == u"-h" && !words[i + 1].startsWith(u'-') && !findCommand(words[i + 1].toLatin1()))
            words[i] = QStringLiteral("--host");
    }
    return words;
}

/// Returns whether the output is for programs and therefore in English: JSON, and messages between Latchkey processes.
bool isForPrograms(int argc, char **argv)
{
    const QStringList words = wordsWithHost(argc, argv);
    const QStringList own = words.first(std::max<qsizetype>(words.indexOf(QStringLiteral("--")), 0));
    const QStringList &before = own.isEmpty() ? words : own;
    if (before.contains(QStringLiteral("--help")) || before.contains(QStringLiteral("-h")))
        return false;
    return before.contains(QStringLiteral("--json")) || before.contains(QStringLiteral("--write"))
        || before.contains(QStringLiteral("actor")) || isOutputForPrograms(before);
}

/// Splits the arguments at the command. Options before the command are passed to it.
base::Result<std::pair<QStringList, QStringList>> splitAtCommand(const QStringList &words)
{
    QCommandLineParser parser;
    parser.setOptionsAfterPositionalArgumentsMode(QCommandLineParser::ParseAsPositionalArguments);
    parser.addOptions(Arguments::commonOptions());
    if (!parser.parse(words))
        return base::failure(base::ErrorKind::Usage, parseErrorText(parser, Arguments::commonOptions()));
    const QStringList rest = parser.positionalArguments();
    return std::pair(words.sliced(1, words.size() - 1 - rest.size()), rest);
}

/// Returns whether a pattern of keys is empty. It would match every key, and is usually an unset shell variable.
bool hasEmptyGlob(const Command &command, const Arguments &arguments)
{
    if (!QByteArrayView(command.spec.positionals).contains("GLOB"))
        return false;
    for (int i = 0; i < arguments.positionalCount(); ++i) {
        if (arguments.positionalBytes(i).isEmpty())
            return true;
    }
    return false;
}

/// Runs a command with --quiet or --verbose.
ExitCode runCommand(const Command &command, const Arguments &arguments)
{
    if (hasEmptyGlob(command, arguments))
        return printError(base::Error {
            base::ErrorKind::Usage,
            CommandLine::tr("%1: GLOB is empty: is a variable not set? For all keys, omit it, or use \"*\"")
                .arg(QLatin1String(command.name))});
    const bool isVerbose = arguments.isSet("verbose");
    if (isVerbose && arguments.isSet("quiet"))
        return printError(
            base::Error {base::ErrorKind::Usage, CommandLine::tr("--quiet and --verbose exclude each other")});
    setQuiet(arguments.isSet("quiet"));
    const auto began = base::SystemClock::instance().now();
    const ExitCode exitCode = command.run(arguments);
    if (isVerbose)
        printError(CommandLine::tr("%1: exit code %2 after %3")
                       .arg(QLatin1String(command.name))
                       .arg(static_cast<int>(exitCode))
                       .arg(base::displayDuration(base::SystemClock::instance().now() - began)));
    return exitCode;
}

ExitCode run(int argc, char **argv)
{
    const auto split = splitAtCommand(wordsWithHost(argc, argv));
    if (!split) {
        printError(CommandLine::tr("%1; see latchkey-cli --help").arg(split.error().message()));
        return ExitCode::Usage;
    }
    const QStringList &before = split->first;
    const QStringList &rest = split->second;
    const auto has = [&before](const char *shortName, const char *longName) {
        return before.contains(QLatin1String(shortName)) || before.contains(QLatin1String(longName));
    };
    if (has("-V", "--version") || (rest.isEmpty() && has("-v", "--verbose"))) {
        printVersion();
        return ExitCode::Yes;
    }
    if (has("-h", "--help"))
        return printHelpFor(rest.isEmpty() ? QByteArray() : rest.front().toLatin1());
    if (rest.isEmpty()) {
        printError(CommandLine::tr("a command is missing; see latchkey-cli --help"));
        return ExitCode::Usage;
    }

    const auto found = findCommand(rest.front().toLatin1());
    if (!found)
        return printError(found.error());
    const Command *command = *found;
    const QStringList own = rest.sliced(1);
    const auto asksForHelp = [&own](const QString &word) {
        return own.contains(word)
            && own.indexOf(word)
                   < (own.contains(QStringLiteral("--")) ? own.indexOf(QStringLiteral("--")) : own.size());
    };
    if (asksForHelp(QStringLiteral("--help")) || asksForHelp(QStringLiteral("-h"))) {
        printHelpOf(*command);
        return ExitCode::Yes;
    }
    const auto arguments = Arguments::parse(before + own, command->spec, command->options);
    if (!arguments) {
        printError(CommandLine::tr("%1: %2; see latchkey-cli %1 --help")
                       .arg(QLatin1String(command->name), arguments.error().message()));
        return ExitCode::Usage;
    }
    return runCommand(*command, *arguments);
}

/// Returns whether enough files and sockets can be opened for an event loop and a connection. Without them, Qt aborts.
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

/// Returns Error instead of Yes or No if the output could not be written, because an unread answer is no answer.
ExitCode withWrittenOutput(ExitCode code)
{
    if (flushOutput() || (code != ExitCode::Yes && code != ExitCode::No))
        return code;
    printError(CommandLine::tr("cannot write the answer to standard output; the command itself was executed"));
    return ExitCode::Error;
}

} // namespace

} // namespace latchkey::cli

int main(int argc, char *argv[])
{
    if (latchkey::ssh::isAskpassProcess())
        return latchkey::ssh::runAskpass(argc, argv);
    latchkey::cli::prepareOutput();
    const auto language = latchkey::language::environmentLanguage();
    latchkey::base::ensureUtf8Locale();
    QNetworkProxy::setApplicationProxy(QNetworkProxy::NoProxy);
    latchkey::base::logAsTerminalText();
    if (!latchkey::cli::hasDescriptors()) {
        latchkey::cli::printError(QStringLiteral("too many open files: raise the limit (ulimit -n)"));
        return static_cast<int>(latchkey::cli::ExitCode::Error);
    }
    const QCoreApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("latchkey"));
    using latchkey::language::Language;
    latchkey::language::Catalogue texts(latchkey::cli::isForPrograms(argc, argv) ? Language::English : language);
    QCoreApplication::installTranslator(&texts);
    return static_cast<int>(latchkey::cli::withWrittenOutput(latchkey::cli::run(argc, argv)));
}
