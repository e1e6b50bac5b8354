#include "app/cli/completion.h"
#include "app/help/commandline.h"

#include "core/playground/scenarios/builtin.h"
#include "core/recipes/caches/catalogue.h"
#include "core/recipes/locks/catalogue.h"

#include <QFile>
#include <QRegularExpression>

namespace latchkey::cli {

using base::ErrorKind;
using base::failure;
using help::CommandLine;

namespace {

/// Quotes a text for both shells.
QString quoted(const QString &text)
{
    return u'\'' + QString(text).replace(u'\'', QLatin1String("'\\''")) + u'\'';
}

QStringList recipeIds(RecipeFamily family)
{
    QStringList ids;
    for (const locks::Recipe &recipe : locks::recipes()) {
        if (family != RecipeFamily::Caches && (recipe.canExtend || family != RecipeFamily::LocksThatExtend))
            ids += recipe.id;
    }
    for (const caches::Recipe &recipe : caches::recipes()) {
        if (family == RecipeFamily::Any || family == RecipeFamily::Caches)
            ids += recipe.id;
    }
    return ids;
}

/// Placeholder for the name of a command of this program. COMMAND stands for a program after `--`.
constexpr QStringView nameOfCommand = u"COMMAND-NAME";

/// Returns the possible values of a placeholder as `a|b|c`, or the placeholder itself.
QString valueOf(const QString &placeholder, const Command &command)
{
    QStringList words;
    if (placeholder == u"RECIPE") {
        words = recipeIds(command.recipes);
    } else if (placeholder == u"PROMISE") {
        for (const catalogue::Recipe *recipe : caches::allRecipes())
            words += recipe->promiseIds();
        words.removeDuplicates();
    } else if (placeholder == u"STORY") {
        for (const scenarios::BuiltInScenario &scenario : scenarios::builtInScenarios())
            words += scenario.name;
    } else if (placeholder == nameOfCommand) {
        for (const Command &other : commands())
            words += QLatin1String(other.name);
    } else {
        return placeholder;
    }
    return words.join(u'|');
}

/// Returns the placeholders of the usage line: RECIPE, KEY and VALUE for
/// `RECIPE KEY [VALUE | FIELD=VALUE...]`. Of alternatives, only the first is returned.
QStringList placeholders(const Command &command)
{
    QString usage = QString::fromLatin1(command.spec.positionals);
    for (const char *decoration : {"[", "]", "..."})
        usage.remove(QLatin1String(decoration));
    QStringList words = usage.split(u' ', Qt::SkipEmptyParts);
    if (!words.contains(QLatin1String("--")))
        words.replaceInStrings(QStringLiteral("COMMAND"), nameOfCommand.toString());
    const qsizetype alternative = words.indexOf(QStringLiteral("|"));
    return alternative < 0 ? words : words.first(alternative);
}

/// Returns the first part of a description: up to a full stop or a semicolon.
QString summaryOf(const QCommandLineOption &option)
{
    static const QRegularExpression end(QStringLiteral("[.;] .*"));
    return option.description().remove(end);
}

namespace bash {

QStringList options(const QList<QCommandLineOption> &options, const Command &command)
{
    QStringList words;
    for (const QCommandLineOption &option : options) {
        const QString value = option.valueName().isEmpty() ? QString() : u'=' + valueOf(option.valueName(), command);
        for (const QString &name : spellingsOf(option))
            words += quoted(name + value);
    }
    return words;
}

QString commands(const std::vector<Command> &commands)
{
    QStringList names;
    QString lines;
    for (const Command &command : commands) {
        names += QLatin1String(command.name);
        QStringList positionals;
        for (const QString &placeholder : placeholders(command))
            positionals += quoted(valueOf(placeholder, command));
        lines +=
            QStringLiteral("    %1)\n        options+=(%2)\n        positionals=(%3)\n        ;;\n")
                .arg(QLatin1String(command.name), options(command.options, command).join(u' '), positionals.join(u' '));
    }
    return QStringLiteral("    '') positionals=(%1) ;;\n%2").arg(quoted(names.join(u'|')), lines);
}

} // namespace bash

namespace zsh {

/// Escapes the special characters of specifications for _arguments or _describe.
QString escaped(QString text)
{
    for (const char *special : {"\\", ":", "[", "]"})
        text.replace(QLatin1String(special), QLatin1Char('\\') + QLatin1String(special));
    return text;
}

/// Returns `:message:action` for _arguments.
QString argument(const QString &placeholder, const Command &command)
{
    const QString value = valueOf(placeholder, command);
    QString action = QStringLiteral(" ");
    if (value.contains(u'|'))
        action = u'(' + QString(value).replace(u'|', u' ') + u')';
    else if (value == u"FILE")
        action = QStringLiteral("_files");
    else if (value == u"DIR")
        action = QStringLiteral("_files -/");
    return u':' + escaped(placeholder) + u':' + action;
}

QStringList options(const QList<QCommandLineOption> &options, const Command &command)
{
    QStringList specifications;
    for (const QCommandLineOption &option : options) {
        const QString description = u'[' + escaped(summaryOf(option)) + u']';
        for (const QString &name : spellingsOf(option)) {
            const bool isShort = name.size() == 2;
            specifications += quoted(option.valueName().isEmpty() ? name + description
                                                                  : u'*' + name + (isShort ? u'+' : u'=') + description
                                                                        + argument(option.valueName(), command));
        }
    }
    return specifications;
}

QString commands(const std::vector<Command> &commands)
{
    QString lines;
    for (const Command &command : commands)
        lines += QStringLiteral("        %1\n")
                     .arg(quoted(QLatin1String(command.name) + u':' + escaped(QLatin1String(command.summary))));
    return lines;
}

QString arguments(const std::vector<Command> &commands)
{
    QString lines;
    for (const Command &command : commands) {
        QStringList specifications = options(command.options, command);
        int index = 0;
        for (const QString &placeholder : placeholders(command)) {
            if (placeholder == u"COMMAND")
                specifications += QStringLiteral("'*:::COMMAND:_latchkey-cli-program'");
            else if (placeholder != u"--")
                specifications += quoted(QString::number(++index) + argument(placeholder, command));
        }
        lines += QStringLiteral("        %1) _arguments -S $common %2 ;;\n")
                     .arg(QLatin1String(command.name), specifications.join(u' '));
    }
    return lines;
}

} // namespace zsh

QString scriptOf(const QString &shell)
{
    QFile file(QStringLiteral(":/latchkey/completion/latchkey-cli.") + shell);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("the completion script for %s is not among the program's resources", qPrintable(shell));
    return QString::fromUtf8(file.readAll());
}

} // namespace

base::Result<QByteArray> completionScript(const QString &shell, const std::vector<Command> &commands)
{
    const Command anyCommand {};
    const QList<QCommandLineOption> common = Arguments::commonOptions();
    if (shell == u"bash") {
        QString script = scriptOf(shell);
        script.replace(QLatin1String("@COMMON_OPTIONS@"), bash::options(common, anyCommand).join(u' '));
        script.replace(QLatin1String("@COMMANDS@\n"), bash::commands(commands));
        return script.toUtf8();
    }
    if (shell == u"zsh") {
        QString script = scriptOf(shell);
        script.replace(QLatin1String("@COMMON_OPTIONS@"), zsh::options(common, anyCommand).join(u' '));
        script.replace(QLatin1String("@COMMANDS@\n"), zsh::commands(commands));
        script.replace(QLatin1String("@ARGUMENTS@\n"), zsh::arguments(commands));
        return script.toUtf8();
    }
    return failure(
        ErrorKind::Usage,
        CommandLine::tr("there is no completion for the shell \"%1\"; there is for bash and zsh").arg(shell));
}

} // namespace latchkey::cli
