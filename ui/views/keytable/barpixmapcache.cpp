#include "ui/views/keytable/barpixmapcache.h"

#include <QPainter>

#include <cmath>

namespace latchkey::ui::keytable {

namespace {

/// Initial width of a picture in pixels. A longer picture is made when it is needed.
constexpr int usualWidth = 512;
/// Limit of the cache. Colours change with the theme only, so a larger cache has pictures that are no longer used.
constexpr qsizetype maxCachedBars = 64;

} // namespace

void BarPixmapCache::paint(QPainter &painter, const QRect &rect, const QColor &colour)
{
    paint(painter, rect, Kind {colour.rgba(), 0, rect.height(), painter.device()->devicePixelRatio()});
}

void BarPixmapCache::paintHatched(QPainter &painter, const QRect &rect, const QColor &colour, const QColor &lines)
{
    paint(painter, rect, Kind {colour.rgba(), lines.rgba(), rect.height(), painter.device()->devicePixelRatio()});
}

void BarPixmapCache::paint(QPainter &painter, const QRect &rect, const Kind &kind)
{
    if (rect.isEmpty())
        return;
    const QPixmap &bar = picture(kind, rect.width());
    const auto part = [&](int left, int from, int width) {
        const qreal ratio = kind.pixelRatio;
        painter.drawPixmap(QRectF(left, rect.top(), width, rect.height()), bar,
                           QRectF(from * ratio, 0, width * ratio, rect.height() * ratio));
    };
    const int end = std::min(rect.width() / 2, (rect.height() + 1) / 2);
    const int whole = static_cast<int>(std::lround(bar.width() / kind.pixelRatio));
    part(rect.left(), 0, rect.width() - end);
    part(rect.left() + rect.width() - end, whole - end, end);
}

const QPixmap &BarPixmapCache::picture(const Kind &kind, int width)
{
    const auto found = m_pictures.constFind(kind);
    if (found != m_pictures.cend() && found->width() >= width * kind.pixelRatio)
        return *found;
    if (m_pictures.size() >= maxCachedBars)
        m_pictures.clear();
    const QSize size(std::max(width, usualWidth), kind.height);
    QPixmap picture((QSizeF(size) * kind.pixelRatio).toSize());
    picture.setDevicePixelRatio(kind.pixelRatio);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const auto fill = [&](const QBrush &brush) {
        painter.setBrush(brush);
        painter.drawRoundedRect(QRectF(QPointF(), size), size.height() / 2.0, size.height() / 2.0);
    };
    fill(QColor::fromRgba(kind.colour));
    if (qAlpha(kind.lines) > 0)
        fill(QBrush(QColor::fromRgba(kind.lines), Qt::BDiagPattern));
    return *m_pictures.insert(kind, picture);
}

} // namespace latchkey::ui::keytable
