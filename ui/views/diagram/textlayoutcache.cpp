#include "ui/views/diagram/textlayoutcache.h"

#include "core/playground/sequence/wiretext.h"

#include <QFontMetrics>
#include <QPainter>

namespace latchkey::ui::diagram {

namespace {

/// Capacity of the cache: several screens of texts.
constexpr int maxTexts = 2000;

} // namespace

QString cutShort(const QFontMetrics &metrics, const QString &text, double width, TextLayoutCache::Cut cut)
{
    QString shown = cut == TextLayoutCache::Cut::End ? text : sequence::withShortHex(text);
    if (cut == TextLayoutCache::Cut::Values) // In a monospaced font.
        shown = sequence::fitted(shown, static_cast<qsizetype>(width / metrics.horizontalAdvance(u'x')));
    shown = metrics.elidedText(shown, Qt::ElideRight, static_cast<int>(width));
    if (shown.endsWith(QStringLiteral("\u2026\u2026"))) // A token already ends with an ellipsis.
        shown.chop(1);
    return shown;
}

TextLayoutCache::TextLayoutCache()
    : m_known(maxTexts)
{}

const TextLayoutCache::TextLayout &TextLayoutCache::layoutOf(const QPainter &painter, const QString &text, int room,
                                                             Cut cut)
{
    const std::pair key(text, std::pair(room, static_cast<int>(cut)));
    if (const TextLayout *known = m_known.object(key))
        return *known;
    const QString shown = cutShort(painter.fontMetrics(), text, room, cut);
    auto *made = new TextLayout {QStaticText(shown), double(painter.fontMetrics().horizontalAdvance(shown))};
    made->text.setTextFormat(Qt::PlainText);
    made->text.prepare(QTransform(), painter.font());
    m_known.insert(key, made);
    return *made;
}

} // namespace latchkey::ui::diagram
