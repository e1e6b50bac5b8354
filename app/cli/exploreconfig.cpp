#include "app/cli/exploreconfig.h"

#include "app/cli/exploreoptions.h"
#include "app/cli/serverfaultoptions.h"
#include "app/cli/suggestion.h"
#include "app/help/commandline.h"
#include "core/explore/programs/exploredprogram.h"
#include "core/foundation/files/inputfile.h"
#include "core/foundation/files/jsonnode.h"

#include <QRegularExpression>

#include <algorithm>

namespace latchkey::cli {

using base::ErrorKind;
using base::failure;
using base::Result;
using files::JsonNode;
using help::CommandLine;

namespace {

/// Size limit in bytes. A useful configuration is smaller, and larger files should not be read completely.
constexpr qint64 maxConfigSize = 1 << 20;

Result<QByteArray> contentsOfConfig(const QString &path)
{
    auto contents = files::contentsOf(path, maxConfigSize);
    if (!contents)
        return failure(ErrorKind::Usage, CommandLine::tr("cannot read %1: %2").arg(path, contents.error().message()));
    return contents;
}

/// Returns the options that a program of the file may set: all except those for recipes and for the whole run.
QList<QCommandLineOption> configurableOptions()
{
    static const QStringList others {
        QStringLiteral("form"),           QStringLiteral("without"),  QStringLiteral("save"),
        QStringLiteral("junit"),          QStringLiteral("sarif"),    QStringLiteral("html"),
        QStringLiteral("write-baseline"), QStringLiteral("progress"), QStringLiteral("restart-delay")};
    QList<QCommandLineOption> options = recipeOptions() + serverFaultOptions() + programOptions();
    options.removeIf([](const QCommandLineOption &option) { return others.contains(option.names().constFirst()); });
    return options;
}

/// Throws for an object with an unknown field, and suggests a similar one.
void allowFields(const JsonNode &node, const QStringList &names)
{
    for (const QString &field : node.object().keys()) {
        if (names.contains(field))
            continue;
        const QString meant = suggestionFor(field, names);
        node[field].refuse(base::Text(meant.isEmpty()
                                          ? CommandLine::tr("unknown field; there are %1").arg(names.join(u", "))
                                          : CommandLine::tr("unknown field (did you mean \"%1\"?)").arg(meant)));
    }
}

/// Returns UTF-8 as a word of a command line; see Arguments.
QString wordOf(const QString &text)
{
    return QString::fromLatin1(text.toUtf8());
}

/// Returns the words of the command line for one option.
QStringList wordsOfOption(const QCommandLineOption &option, const JsonNode &field)
{
    const QString name = option.names().constFirst();
    static const QStringList numbers {QStringLiteral("N"), QStringLiteral("PORT"), QStringLiteral("RUNS")};
    const auto word = [&](const JsonNode &node) {
        const QString value =
            numbers.contains(option.valueName()) ? QString::number(node.number()) : wordOf(node.line());
        return QStringLiteral("--%1=%2").arg(name, value);
    };
    if (!Arguments::isRepeatable(name) || !field.value().isArray())
        return {word(field)};
    QStringList words;
    for (const JsonNode &element : field.elements())
        words += word(element);
    return words;
}

/// A program of the file, with the defaults.
class ProgramEntry final
{
public:
    ProgramEntry(JsonNode program, JsonNode defaults)
        : m_program(std::move(program))
        , m_defaults(std::move(defaults))
    {}

    /// Returns the program. Throws a Failure if it is malformed. `words`: options of all programs.
    [[nodiscard]] ConfiguredProgram read(QStringList words, const Command &explore) const
    {
        for (const QCommandLineOption &option : configurableOptions()) {
            if (const JsonNode field = fieldOf(option.names().constFirst()); field.exists())
                words += wordsOfOption(option, field);
        }
        words += QStringLiteral("--");
        const std::vector<JsonNode> command = m_program["command"].required().elements();
        if (command.empty())
            m_program["command"].refuse(base::Text(CommandLine::tr("the program is missing")));
        for (const JsonNode &word : command) {
            if (word.text().contains(QChar(u'\0')))
                word.refuse(base::Text(CommandLine::tr("a word cannot contain a null character")));
            words += wordOf(word.text());
        }
        auto arguments = Arguments::parse(words, explore.spec, explore.options);
        if (!arguments)
            refuse(arguments.error());
        auto plan = searchPlanFrom(*arguments);
        if (!plan)
            refuse(plan.error());
        plan->program.label = m_program["name"].required().name();
        // A finder is created to validate the promises. It starts no process before its first step.
        if (const auto finder =
                races::Finder::create(programs::subjectFor(plan->program, plan->clients), plan->options);
            !finder)
            refuse(finder.error(), QStringLiteral("promise"));
        return {std::move(*arguments), std::move(*plan)};
    }

private:
    [[nodiscard]] JsonNode fieldOf(const QString &name) const
    {
        JsonNode field = m_program[name];
        return field.exists() || !m_defaults.exists() ? field : m_defaults[name];
    }
    /// Throws the error, with the position of the option at the start of its text.
    [[noreturn]] void refuse(const base::Error &error, const QString &otherwise = QStringLiteral("command")) const
    {
        static const QRegularExpression option(QStringLiteral("^--([a-z-]+)"));
        const auto match = option.match(error.message());
        const JsonNode field = fieldOf(match.hasMatch() ? match.captured(1) : otherwise);
        (field.exists() ? field : m_program).refuse(base::Text(error.message()));
    }

    const JsonNode m_program;
    const JsonNode m_defaults;
};

/// Throws if the name of a program cannot be used, or belongs to another program.
void checkName(const JsonNode &name, QStringList &known)
{
    const QString text = name.required().name();
    if (text.contains(u'/')) // The name becomes a part of file names.
        name.refuse(base::Text(CommandLine::tr("a name cannot contain a slash")));
    if (known.contains(text))
        name.refuse(base::Text(CommandLine::tr("another program has this name")));
    known += text;
}

std::vector<ConfiguredProgram> programsIn(const JsonNode &file, const QStringList &words, const Command &command)
{
    QStringList optionNames;
    for (const QCommandLineOption &option : configurableOptions())
        optionNames += option.names().constFirst();
    allowFields(file, {QStringLiteral("programs"), QStringLiteral("defaults")});
    const JsonNode defaults = file["defaults"];
    if (defaults.exists())
        allowFields(defaults, optionNames);
    const std::vector<JsonNode> entries = file["programs"].required().elements();
    if (entries.empty())
        file["programs"].refuse(base::Text(CommandLine::tr("there is no program")));
    QStringList names;
    std::vector<ConfiguredProgram> programs;
    for (const JsonNode &entry : entries) {
        allowFields(entry, QStringList {QStringLiteral("name"), QStringLiteral("command")} + optionNames);
        checkName(entry["name"], names);
        programs.push_back(ProgramEntry(entry, defaults).read(words, command));
    }
    return programs;
}

} // namespace

Result<std::vector<ConfiguredProgram>> programsOfConfig(const Arguments &arguments, const Command &command)
{
    const QString path = arguments.text("config");
    const auto contents = contentsOfConfig(path);
    if (!contents)
        return failure(contents.error());
    QStringList words;
    for (const char *option : {"json", "progress"}) {
        if (arguments.isSet(option))
            words += QStringLiteral("--") + QLatin1String(option);
    }
    if (arguments.isSet("save"))
        words += QStringLiteral("--save=") + QString::fromLatin1(arguments.bytes("save"));
    try {
        return programsIn(JsonNode::ofStrictFile(path, *contents), words, command);
    } catch (const base::Failure &failed) {
        return failure(failed.error());
    }
}

} // namespace latchkey::cli
