#include "app/help/manualpage.h"

#include "app/help/commandline.h"
#include "core/foundation/base/version.h"

#include <QStringList>

namespace latchkey::help {

QString escapedForManual(QString text)
{
    text.replace(u'\\', QLatin1String("\\e")).replace(u'-', QLatin1String("\\-"));
    return text.startsWith(u'.') || text.startsWith(u'\'') ? QLatin1String("\\&") + text : text;
}

QString manualBody(const QString &text)
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
            body += (line.startsWith(QLatin1String("{options")) ? line : escapedForManual(line)) + u'\n';
    }
    return body;
}

QString manualPage(const ManualPage &page)
{
    const QString title = QString(page.name).replace(u' ', u'-');
    const QString heading = QStringLiteral(".TH \"%1\" 1 \"\" \"latchkey %2\"\n").arg(title, base::programVersion());
    const auto section = [](const QString &name, const QString &text) {
        return QStringLiteral(".SH ") + name + u'\n' + text + u'\n';
    };
    return heading
         + section(CommandLine::tr("NAME"),
                   escapedForManual(title) + QLatin1String(" \\- ") + escapedForManual(page.summary))
         + section(CommandLine::tr("SYNOPSIS"),
                   QLatin1String(".B ") + escapedForManual(page.name) + u'\n' + escapedForManual(page.usage))
         + section(CommandLine::tr("DESCRIPTION"), page.body);
}

} // namespace latchkey::help
