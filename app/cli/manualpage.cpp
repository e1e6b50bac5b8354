#include "app/cli/manualpage.h"

#include "app/cli/option.h"
#include "app/help/commandline.h"
#include "core/foundation/base/version.h"

namespace latchkey::cli {

using help::CommandLine;

namespace {

/// Returns a text as one that troff does not act upon.
QString escaped(QString text)
{
    text.replace(u'\\', QLatin1String("\\e")).replace(u'-', QLatin1String("\\-"));
    return text.startsWith(u'.') || text.startsWith(u'\'') ? QLatin1String("\\&") + text : text;
}

QString entriesOf(const QList<QCommandLineOption> &options)
{
    QStringList entries;
    for (const QCommandLineOption &option : options)
        entries += QStringLiteral(".TP\n\\fB%1\\fR\n%2").arg(escaped(termOf(option)), escaped(option.description()));
    return entries.join(u'\n');
}

/// Converts a help text. Indented lines keep their layout; all others are filled.
QString bodyOf(const QString &text)
{
    QString body;
    bool isVerbatim = false;
    for (const QString &line : text.trimmed().split(u'\n')) {
        const bool isIndented = line.startsWith(u' ');
        if (isIndented != isVerbatim)
            body += isIndented ? QStringLiteral(".nf\n") : QStringLiteral(".fi\n");
        isVerbatim = isIndented;
        if (line.isEmpty())
            body += QStringLiteral(".PP\n");
        else
            body += (line.startsWith(QLatin1String("{options")) ? line : escaped(line)) + u'\n';
    }
    return body;
}

} // namespace

QString manualPage(const HelpParts &help)
{
    const QString page = QString(help.name).replace(u' ', u'-');
    const QString heading = QStringLiteral(".TH \"%1\" 1 \"\" \"latchkey %2\"\n").arg(page, base::programVersion());
    const auto section = [](const QString &title, const QString &text) {
        return QStringLiteral(".SH ") + title + u'\n' + text + u'\n';
    };
    return heading + section(CommandLine::tr("NAME"), escaped(page) + QLatin1String(" \\- ") + escaped(help.summary))
         + section(CommandLine::tr("SYNOPSIS"), QLatin1String(".B ") + escaped(help.name) + u'\n' + escaped(help.usage))
         + section(CommandLine::tr("DESCRIPTION"), withOptions(bodyOf(help.text), help.options, &entriesOf));
}

} // namespace latchkey::cli
