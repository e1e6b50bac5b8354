#include "app/help/helptext.h"

#include <QList>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <optional>
#include <utility>

namespace latchkey::help {

namespace {

/// One line to be, of any length.
struct Block
{
    QString text;
    qsizetype hanging = 0; ///< How far its further lines are indented.
    bool isCommand = false;

    [[nodiscard]] bool isProse() const { return hanging == 0 && !isCommand && !text.isEmpty(); }
};

qsizetype indentOf(const QString &line)
{
    const auto first = std::ranges::find_if(line, [](QChar c) { return c != u' '; });
    return first - line.begin();
}

/// Where an entry's description begins: behind the first two spaces that follow a word. Else the line is one.
qsizetype descriptionOf(const QString &line)
{
    constexpr qsizetype deepestTerm = 8;
    static const QRegularExpression gap(QStringLiteral("\\S(  +)\\S"));
    const auto match = gap.match(line);
    return match.hasMatch() && indentOf(line) < deepestTerm ? match.capturedEnd(1) : indentOf(line);
}

bool endsSentence(const QString &text)
{
    return text.endsWith(u'.') || text.endsWith(u':');
}

Block blockFor(const QString &line)
{
    static const QRegularExpression label(QStringLiteral("^\\w+:  "));
    Block block {line};
    if (indentOf(line) == 0 && !label.match(line).hasMatch())
        return block;
    block.hanging = descriptionOf(line);
    const QString term = block.hanging > indentOf(line) ? line.first(block.hanging) : line;
    static const QRegularExpression window(QStringLiteral("^ +latchkey( |$)"));
    block.isCommand = term.contains(QLatin1String("latchkey-cli ")) || window.match(line).hasMatch();
    if (block.isCommand)
        block.hanging = indentOf(line) + 4;
    return block;
}

bool continues(const Block &block, const QString &line)
{
    const bool isObject = line.trimmed().startsWith(QLatin1String("{\"")); // One a line, as they are sent.
    if (line.isEmpty() || block.text.isEmpty() || block.isCommand || isObject)
        return false;
    return block.isProse() ? indentOf(line) == 0 && !endsSentence(block.text) : indentOf(line) == block.hanging;
}

QList<Block> blocksOf(const QString &text)
{
    QList<Block> blocks;
    for (const QString &line : text.split(u'\n')) {
        if (!blocks.isEmpty() && continues(blocks.back(), line))
            blocks.back().text += u' ' + line.trimmed();
        else
            blocks += blockFor(line);
    }
    return blocks;
}

/// Where a line may be broken behind from, in order: at spaces, of a command those outside of quotes; else also behind
/// the bars between alternatives.
QList<qsizetype> breaksOf(const QString &line, qsizetype from, bool isCommand)
{
    QList<qsizetype> breaks;
    QChar quote;
    for (qsizetype i = 0; i < line.size(); ++i) {
        const bool isQuote = isCommand && (line[i] == u'"' || line[i] == u'\'');
        if (isQuote && (quote.isNull() || quote == line[i]))
            quote = quote.isNull() ? line[i] : QChar();
        if (i > from && quote.isNull() && line[i] == u' ')
            breaks += i;
        else if (i > from && !isCommand && line[i] == u'|')
            breaks += i + 1;
    }
    return breaks;
}

/// The last break that leaves no more than width characters, else the first there is.
std::optional<qsizetype> breakIn(const QList<qsizetype> &breaks, qsizetype width)
{
    if (breaks.isEmpty())
        return std::nullopt;
    const auto beyond = std::ranges::upper_bound(breaks, width);
    return beyond == breaks.begin() ? *beyond : *(beyond - 1);
}

QString withoutTrailingSpaces(QString text)
{
    while (text.endsWith(u' '))
        text.chop(1);
    return text;
}

qsizetype longestWordOf(const QString &text)
{
    qsizetype longest = 0;
    qsizetype start = 0;
    for (const qsizetype at : breaksOf(text, 0, false) + QList<qsizetype> {text.size()})
        longest = std::max(longest, at - std::exchange(start, at));
    return longest;
}

QString filled(const Block &block, qsizetype width)
{
    const QString end = block.isCommand ? QStringLiteral(" \\") : QString();
    QString lines;
    QString rest = block.text;
    qsizetype hanging = block.hanging;
    qsizetype from = block.isCommand ? indentOf(rest) : hanging;
    if (!block.isCommand && hanging + longestWordOf(rest.sliced(hanging)) > width) {
        // A description that does not fit behind its term goes below it.
        hanging = std::min(hanging, indentOf(rest) + 4);
        from = std::max(hanging, from - 2);
    }
    while (rest.size() > width) {
        const auto at = breakIn(breaksOf(rest, from, block.isCommand), width - end.size());
        if (!at)
            break;
        lines += withoutTrailingSpaces(rest.first(*at)) + end + u'\n';
        rest = QString(hanging, u' ') + rest.sliced(*at).trimmed();
        from = hanging;
    }
    return lines + rest;
}

} // namespace

int helpWidth()
{
    constexpr int narrowest = 40;
    constexpr int usual = 80;
    bool isNumber = false;
    const int columns = qEnvironmentVariableIntValue("COLUMNS", &isNumber);
    return isNumber && columns >= narrowest ? columns : usual;
}

QString filled(const QString &text, int width)
{
    QStringList lines;
    for (Block block : blocksOf(text)) {
        // A comment behind a command cannot be broken as that is: where both are too long for a line, it goes before.
        const qsizetype comment = block.isCommand ? block.text.indexOf(QLatin1String("  # ")) : -1;
        if (comment >= 0 && block.text.size() > width) {
            const QString indent(indentOf(block.text), u' ');
            lines += indent + block.text.sliced(comment).trimmed();
            block.text = indent + block.text.first(comment).trimmed();
        }
        lines += filled(block, width);
    }
    return lines.join(u'\n');
}

} // namespace latchkey::help
