#include "app/help/helptext.h"

#include <QList>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <optional>
#include <utility>

namespace latchkey::help {

namespace {

/// Returns whether a character takes two columns in East Asian typesetting.
bool isWide(QChar c)
{
    const char16_t code = c.unicode();
    return (code >= 0x1100 && code <= 0x115F) || (code >= 0x2E80 && code <= 0xA4CF)
        || (code >= 0xAC00 && code <= 0xD7A3) || (code >= 0xF900 && code <= 0xFAFF)
        || (code >= 0xFE30 && code <= 0xFE6F) || (code >= 0xFF00 && code <= 0xFF60);
}

/// Returns whether a line must not start with the character. See opens() for the end of a line.
bool closes(QChar c)
{
    return QStringView(u"\u3001\u3002\uFF0C\uFF0E\uFF1A\uFF1B\uFF1F\uFF01\uFF09\u300B\u300D\u201D\u2019,.;:)")
        .contains(c);
}
bool opens(QChar c)
{
    return QStringView(u"\uFF08\u300A\u300C\u201C\u2018(").contains(c);
}

/// A paragraph or an entry that is filled into lines of limited width.
struct Block
{
    QString text;
    qsizetype hanging = 0; ///< Indentation of the lines after the first.
    bool isCommand = false;

    [[nodiscard]] bool isProse() const { return hanging == 0 && !isCommand && !text.isEmpty(); }
};

qsizetype indentOf(const QString &line)
{
    const auto first = std::ranges::find_if(line, [](QChar c) { return c != u' '; });
    return first - line.begin();
}

/// Returns the column of an entry's description: after the first two spaces that follow a word. For a line without a
/// description, returns its indentation.
qsizetype descriptionOf(const QString &line)
{
    constexpr qsizetype deepestTerm = 8;
    static const QRegularExpression gap(QStringLiteral("\\S(  +)\\S"));
    const auto match = gap.match(line);
    return match.hasMatch() && indentOf(line) < deepestTerm ? match.capturedEnd(1) : indentOf(line);
}

bool endsSentence(const QString &text)
{
    return text.endsWith(u'.') || text.endsWith(u':') || text.endsWith(QChar(0x3002)) || text.endsWith(QChar(0xFF1A));
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
    const bool isObject = line.trimmed().startsWith(QLatin1String("{\"")); // One object per line, as it is transmitted.
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

/// Returns the positions after `from` at which a line may break, in order. A command breaks at spaces outside quotes;
/// other lines also break after the bars between alternatives.
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
        // Chinese has no spaces: a line may break after each character, and between Chinese and other script.
        else if (i > from && !isCommand && (isWide(line[i]) || isWide(line[i - 1])) && !closes(line[i])
                 && !opens(line[i - 1]) && line[i - 1] != u' ')
            breaks += i;
    }
    return breaks;
}

/// Returns the last break that leaves at most `width` columns before it, or else the first break.
std::optional<qsizetype> breakIn(const QString &line, const QList<qsizetype> &breaks, qsizetype width)
{
    if (breaks.isEmpty())
        return std::nullopt;
    const auto beyond = std::ranges::upper_bound(
        breaks, width, {}, [&line](qsizetype at) { return columnsOf(QStringView(line).first(at)); });
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
    for (const qsizetype at : breaksOf(text, 0, false) + QList<qsizetype> {text.size()}) {
        longest = std::max(longest, columnsOf(QStringView(text).sliced(start, at - start)));
        start = at;
    }
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
        // A description that does not fit beside its term starts below it.
        hanging = std::min(hanging, indentOf(rest) + 4);
        from = std::max(hanging, from - 2);
    }
    while (columnsOf(rest) > width) {
        const auto at = breakIn(rest, breaksOf(rest, from, block.isCommand), width - end.size());
        if (!at)
            break;
        lines += withoutTrailingSpaces(rest.first(*at)) + end + u'\n';
        rest = QString(hanging, u' ') + rest.sliced(*at).trimmed();
        from = hanging;
    }
    return lines + rest;
}

} // namespace

qsizetype columnsOf(QStringView text)
{
    return text.size() + std::ranges::count_if(text, isWide);
}

QString padded(const QString &text, qsizetype columns)
{
    return text + QString(std::max<qsizetype>(columns - columnsOf(text), 0), u' ');
}

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
        // A comment after a command cannot be broken. If the two do not fit in a line, the comment precedes the
        // command.
        const qsizetype comment = block.isCommand ? block.text.indexOf(QLatin1String("  # ")) : -1;
        if (comment >= 0 && columnsOf(block.text) > width) {
            const QString indent(indentOf(block.text), u' ');
            lines += indent + block.text.sliced(comment).trimmed();
            block.text = indent + block.text.first(comment).trimmed();
        }
        lines += filled(block, width);
    }
    return lines.join(u'\n');
}

} // namespace latchkey::help
