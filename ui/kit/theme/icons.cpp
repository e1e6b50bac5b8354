#include "ui/kit/theme/icons.h"

#include <QFile>
#include <QPainter>
#include <QSvgRenderer>

namespace latchkey::ui::theme {

namespace {

constexpr int iconSize = 20;

QByteArray drawnIn(const QColor &colour, QByteArray svg)
{
    return svg.replace("currentColor", colour.name().toLatin1());
}

QByteArray source(const QString &name)
{
    QFile file(QStringLiteral(":/latchkey/icons/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("the icon %s is not among the program's resources", qPrintable(name));
    return file.readAll();
}

} // namespace

QPixmap Icons::pixmap(const QString &name, const QColor &colour, int size, qreal pixelRatio)
{
    const QString key = QStringLiteral("%1 %2 %3 %4").arg(name, colour.name()).arg(size).arg(pixelRatio);
    if (const auto known = m_rendered.constFind(key); known != m_rendered.cend())
        return *known;
    QPixmap pixmap(QSize(size, size) * pixelRatio);
    pixmap.setDevicePixelRatio(pixelRatio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    QSvgRenderer(drawnIn(colour, source(name))).render(&painter, QRectF(0, 0, size, size));
    return *m_rendered.insert(key, pixmap);
}

QIcon Icons::icon(const QString &name, const QColor &colour, const QColor &disabled)
{
    QIcon icon;
    for (const qreal ratio : {1.0, 2.0}) {
        icon.addPixmap(pixmap(name, colour, iconSize, ratio), QIcon::Normal);
        icon.addPixmap(pixmap(name, disabled, iconSize, ratio), QIcon::Disabled);
    }
    return icon;
}

} // namespace latchkey::ui::theme
