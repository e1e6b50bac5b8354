#include "ui/views/keytable/sawtooth.h"

#include "ui/views/keytable/keytext.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace latchkey::ui::keytable {

namespace {

constexpr int toothWidth = 10;
constexpr int maxTeeth = 5;
constexpr int steps = 16;
constexpr qsizetype maxCachedTeeth = 256;

QPixmap drawn(const QSize &size, double depth, const QColor &colour, qreal pixelRatio)
{
    QPixmap picture(size * pixelRatio);
    picture.setDevicePixelRatio(pixelRatio);
    picture.fill(Qt::transparent);
    const double top = 1;
    const double bottom = size.height() - 1;
    QPainterPath line(QPointF(0, top));
    for (int left = 0; left < size.width(); left += toothWidth) {
        line.lineTo(left + toothWidth - 1, top + depth * (bottom - top));
        if (left + toothWidth < size.width())
            line.lineTo(left + toothWidth, top);
    }
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, 1.2));
    painter.drawPath(line);
    return picture;
}

} // namespace

double Renewals::depth() const
{
    const std::chrono::duration<double> mean = (shortest + longest) / 2;
    return lease.count() > 0 ? std::clamp(mean / lease, 0.0, 1.0) : 0;
}

QString renewalsText(const Renewals &renewals)
{
    if (renewals.count == 1)
        return KeyText::tr("renewed once");
    const QString times = KeyText::tr("renewed %Ln times", nullptr, renewals.count);
    return KeyText::tr("%1, every %2").arg(times, rangeText(renewals.shortest, renewals.longest));
}

void SawTooth::paint(QPainter &painter, const QRect &rect, double depth, const QColor &colour)
{
    const int teeth = std::min(rect.width() / toothWidth, maxTeeth);
    if (teeth < 2 || rect.height() < 4)
        return;
    // Keeps the saw-tooth visible for a lease that is renewed early.
    const int step = std::clamp(static_cast<int>(std::lround(depth * steps)), 6, steps);
    const Kind kind {colour.rgb(), step, QSize(teeth * toothWidth, rect.height()),
                     painter.device()->devicePixelRatioF()};
    if (m_pictures.size() > maxCachedTeeth)
        m_pictures.clear(); // These are pictures of former themes and sizes.
    QPixmap &picture = m_pictures[kind];
    if (picture.isNull())
        picture = drawn(kind.size, static_cast<double>(step) / steps, colour, kind.pixelRatio);
    painter.drawPixmap(rect.topLeft(), picture);
}

} // namespace latchkey::ui::keytable
