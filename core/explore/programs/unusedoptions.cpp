#include "core/explore/programs/unusedoptions.h"

#include <algorithm>

namespace latchkey::programs {

using base::Text;
using schedules::CommandPattern;

namespace {

/// Maximum length of a script in an error.
constexpr int maxScript = 20;

QString textOf(const resp::Command &command)
{
    if (!command.callsScript() || command.words().size() < 2 || command.words()[1].size() <= maxScript)
        return command.toText();
    return command.withWord(1, command.words()[1].left(maxScript) + "...").toText();
}

QString textOf(const std::vector<CommandPattern> &patterns)
{
    QStringList texts;
    for (const CommandPattern &pattern : patterns)
        texts += u'\'' + QString::fromUtf8(pattern.text()) + u'\'';
    return texts.join(QStringLiteral(", "));
}

/// Returns the number of bytes at the beginning that are equal in both texts.
qsizetype commonLength(const QString &one, const QString &other)
{
    return std::ranges::mismatch(one, other).in1 - one.begin();
}

/// Returns the command with the name of a pattern that is most similar to the pattern; empty: none. With its reply, if
/// only the reply does not match.
QString nearestCommand(const std::vector<CommandPattern> &patterns, const std::vector<SentCommand> &sent)
{
    QString nearest;
    qsizetype length = -1;
    for (const CommandPattern &pattern : patterns) {
        for (const SentCommand &each : sent) {
            const QString text = textOf(each.command);
            const auto common = commonLength(QString::fromUtf8(pattern.text()).toUpper(), text.toUpper());
            if (each.command.name().toUpper() != pattern.name() || common <= length)
                continue;
            nearest = pattern.matches(each.command) ? text + QStringLiteral(" → ") + each.reply.toText() : text;
            length = common;
        }
    }
    return nearest;
}

bool isAnySent(const std::vector<CommandPattern> &patterns, const std::vector<SentCommand> &sent)
{
    return std::ranges::any_of(patterns, [&](const CommandPattern &pattern) {
        return std::ranges::any_of(sent, [&](const SentCommand &each) {
            return pattern.matches(each.command) && pattern.matches(each.reply);
        });
    });
}

Text withNearest(const Text &error, const QString &nearest)
{
    return nearest.isEmpty() ? error : Text(QT_TRANSLATE_NOOP("core", "%1; the nearest command is %2"), error, nearest);
}

} // namespace

std::optional<Text> unusedOption(const Program &program, const SoloRun &alone)
{
    const auto &sent = alone.sentCommands();
    if (!program.entering.empty() && !isAnySent(program.entering, sent))
        return withNearest(Text(QT_TRANSLATE_NOOP("core", "a single client sends no command that matches --inside %1"),
                                textOf(program.entering)),
                           nearestCommand(program.entering, sent));
    std::vector<SentCommand> afterEntry;
    std::ranges::copy_if(sent, std::back_inserter(afterEntry), &SentCommand::isAfterEntry);
    if (!program.leaving.empty() && !afterEntry.empty() && !isAnySent(program.leaving, afterEntry))
        return withNearest(
            Text(QT_TRANSLATE_NOOP("core", "a single client that has entered sends no command that matches --outside "
                                           "%1; leave --outside out if a client is inside until it ends"),
                 textOf(program.leaving)),
            nearestCommand(program.leaving, afterEntry));
    const auto isNamed = [&](const SentCommand &each) {
        const auto &words = each.command.words();
        return std::ranges::find(words, program.resource) != words.end();
    };
    if (!program.resource.isEmpty() && !alone.usesResource() && std::ranges::none_of(sent, isNamed))
        return Text(QT_TRANSLATE_NOOP("core", "a single client does not use the key %1 of --resource"),
                    base::printable(program.resource));
    return std::nullopt;
}

} // namespace latchkey::programs
