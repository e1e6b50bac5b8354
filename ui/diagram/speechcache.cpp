#include "ui/diagram/speechcache.h"

#include "ui/diagram/diagrampainter.h"

#include <QPainter>

namespace latchkey::ui::diagram {

namespace {

/// Several screens of them.
constexpr int most = 2000;

} // namespace

SpeechCache::SpeechCache()
    : m_known(most)
{}

const SpeechCache::Speech &SpeechCache::of(const QPainter &painter, const QString &text, int room)
{
    const std::pair key(text, room);
    if (const Speech *known = m_known.object(key))
        return *known;
    const QString shown = cutShort(painter.fontMetrics(), text, room);
    auto *made = new Speech {QStaticText(shown), double(painter.fontMetrics().horizontalAdvance(shown))};
    made->text.setTextFormat(Qt::PlainText);
    made->text.prepare(QTransform(), painter.font());
    m_known.insert(key, made);
    return *made;
}

} // namespace latchkey::ui::diagram
