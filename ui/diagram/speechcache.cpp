#include "ui/diagram/speechcache.h"

#include "core/sequence/wiretext.h"

#include <QFontMetrics>
#include <QPainter>

namespace latchkey::ui::diagram {

namespace {

/// Several screens of texts.
constexpr int most = 2000;

} // namespace

QString cutShort(const QFontMetrics &metrics, const QString &text, double width, SpeechCache::Cut cut)
{
    QString shown = cut == SpeechCache::Cut::End ? text : sequence::withShortHex(text);
    if (cut == SpeechCache::Cut::Values) // In a monospaced font.
        shown = sequence::fitted(shown, static_cast<qsizetype>(width / metrics.horizontalAdvance(u'x')));
    shown = metrics.elidedText(shown, Qt::ElideRight, static_cast<int>(width));
    if (shown.endsWith(QStringLiteral("\u2026\u2026"))) // A token already ends with an ellipsis.
        shown.chop(1);
    return shown;
}

SpeechCache::SpeechCache()
    : m_known(most)
{}

const SpeechCache::Speech &SpeechCache::of(const QPainter &painter, const QString &text, int room, Cut cut)
{
    const std::pair key(text, room);
    if (const Speech *known = m_known.object(key))
        return *known;
    const QString shown = cutShort(painter.fontMetrics(), text, room, cut);
    auto *made = new Speech {QStaticText(shown), double(painter.fontMetrics().horizontalAdvance(shown))};
    made->text.setTextFormat(Qt::PlainText);
    made->text.prepare(QTransform(), painter.font());
    m_known.insert(key, made);
    return *made;
}

} // namespace latchkey::ui::diagram
