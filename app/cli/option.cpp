#include "app/cli/option.h"

#include "app/help/helptext.h"

#include <QRegularExpression>

#include <algorithm>

namespace latchkey::cli {

namespace {

/// Limits in columns: width of alternatives shown as the value, and width of terms with a description beside them.
constexpr qsizetype maxAlternativesWidth = 24;
constexpr qsizetype maxTermWidth = 24;

} // namespace

QCommandLineOption makeOption(const char *names, const char *value, const QString &description)
{
    return {QString::fromLatin1(names).split(u','), description, QString::fromLatin1(value)};
}

QStringList spellingsOf(const QCommandLineOption &option)
{
    QStringList names;
    for (const QString &name : option.names())
        names += (name.size() == 1 ? QStringLiteral("-") : QStringLiteral("--")) + name;
    return names;
}

QString termOf(const QCommandLineOption &option)
{
    const QString &value = option.valueName();
    const bool isLong = value.contains(u'|') && value.size() > maxAlternativesWidth;
    const QString shown = isLong ? option.names().constLast().toUpper() : value;
    return (spellingsOf(option).join(QStringLiteral(", ")) + u' ' + shown).trimmed();
}

QString helpEntriesOf(const QList<QCommandLineOption> &options)
{
    qsizetype column = 0;
    for (const QCommandLineOption &option : options) {
        if (const qsizetype width = termOf(option).size(); width <= maxTermWidth)
            column = std::max(column, width);
    }
    QStringList lines;
    for (const QCommandLineOption &option : options) {
        const QString term = termOf(option);
        if (term.size() <= column)
            lines += u' ' + help::padded(QStringLiteral(" %1").arg(term), column + 3) + option.description();
        else
            lines += QStringLiteral("  %1\n%2").arg(term, QString(column + 4, u' ') + option.description());
    }
    return lines.join(u'\n');
}

QString withOptions(const QString &text, const QList<QCommandLineOption> &options,
                    QString (*entries)(const QList<QCommandLineOption> &))
{
    static const QRegularExpression mark(QStringLiteral("\\{options(?: from ([a-z-]+))?\\}"));
    QString filledIn = text;
    QList<QCommandLineOption> rest = options;
    for (auto last = filledIn.lastIndexOf(mark); last >= 0; last = filledIn.lastIndexOf(mark)) {
        const auto found = mark.match(filledIn, last);
        const auto first = std::ranges::find_if(rest, [&](const QCommandLineOption &option) {
            return found.captured(1).isEmpty() || option.names().contains(found.captured(1));
        });
        const qsizetype before = first - rest.begin();
        filledIn.replace(found.capturedStart(), found.capturedLength(), entries(rest.sliced(before)));
        rest = rest.first(before);
    }
    return filledIn;
}

} // namespace latchkey::cli
