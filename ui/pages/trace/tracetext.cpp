#include "ui/pages/trace/tracetext.h"

#include "core/foundation/base/bytes.h"
#include "ui/kit/widgets/plaintext.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>

namespace latchkey::ui::trace {

namespace {

constexpr qsizetype maxWordLength = 200;
constexpr qsizetype maxLineLength = 1000;

class Words
{
    Q_DECLARE_TR_FUNCTIONS(latchkey::ui::trace)
};

bool needsQuotes(const QString &word)
{
    return word.isEmpty() || std::ranges::any_of(word, [](QChar c) { return c.isSpace() || c == u'"'; });
}

} // namespace

QString commandText(const resp::Command &command)
{
    QString text;
    for (const QByteArray &word : command.words()) {
        if (text.size() > maxLineLength)
            return text + QStringLiteral(" …");
        QString shown = base::printable(word, maxWordLength);
        if (needsQuotes(shown))
            shown = u'"' + shown + u'"';
        text += text.isEmpty() ? shown : u' ' + shown;
    }
    return text;
}

QString progressText(const TraceProgress &progress)
{
    QString found = Words::tr("%1 of %2 commands named this key")
                        .arg(widgets::numberText(progress.matched), widgets::numberText(progress.received));
    if (progress.leftOut > 0)
        found += QStringLiteral(" · ")
               + (progress.leftOut == 1
                      ? Words::tr("1 read of this Latchkey hidden")
                      : Words::tr("%Ln reads of this Latchkey hidden", nullptr, static_cast<int>(progress.leftOut)));
    if (progress.error)
        return Words::tr("Ended: %1").arg(progress.error->message());
    if (!progress.isActive)
        return progress.received > 0 ? Words::tr("Over: %1.").arg(found)
                                     : Words::tr("Nothing is sent until you press Start.");
    if (!progress.left)
        return Words::tr("Connecting…");
    const double seconds = std::chrono::duration<double>(*progress.left).count();
    const QString left = Words::tr("%1 s left").arg(QLocale().toString(seconds, 'f', 1));
    if (progress.perSecond <= 0)
        return left + QStringLiteral(" · ") + found;
    //: %1: how much time is left, %2: how many commands were found, %3: a number of commands a second
    return Words::tr("%1 · %2 · %3 commands per second")
        .arg(left, found, widgets::numberText(static_cast<qint64>(progress.perSecond)));
}

} // namespace latchkey::ui::trace
