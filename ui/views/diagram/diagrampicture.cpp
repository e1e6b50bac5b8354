#include "ui/views/diagram/diagrampicture.h"

#include "core/foundation/files/savedfile.h"
#include "core/playground/sequence/sequencetexts.h"
#include "ui/views/diagram/diagrampainter.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QImage>
#include <QPainter>
#include <QSvgGenerator>

#include <cmath>

namespace latchkey::ui::diagram {

namespace {

constexpr int pngScale = 2;

} // namespace

QSizeF Picture::size() const
{
    return {std::ceil(subject.layout.width()),
            std::ceil(subject.layout.headingHeight() + subject.layout.heightAt(subject.now)
                      + subject.layout.legendHeight())};
}

void Picture::paint(QPainter &painter) const
{
    const QSizeF all = size();
    painter.fillRect(QRectF(QPointF(0, 0), all), subject.theme.surface);
    const DiagramPainter diagram(painter, subject);
    const double heading = subject.layout.headingHeight();
    const QSizeF body(all.width(), all.height() - heading - subject.layout.legendHeight());
    painter.translate(0, heading);
    diagram.paint(QRectF(QPointF(0, 0), body));
    painter.translate(0, -heading);
    diagram.paintHeading(QRectF(0, 0, all.width(), heading), 0);
    diagram.paintLegend(QRectF(0, heading + body.height(), all.width(), subject.layout.legendHeight()));
}

base::Result<void> Picture::saveSvg(const QString &path) const
{
    QBuffer buffer;
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(size().toSize());
    generator.setViewBox(QRectF(QPointF(0, 0), size()));
    generator.setTitle(QCoreApplication::translate("Diagram", "Sequence diagram"));
    QPainter painter(&generator);
    paint(painter);
    painter.end();
    return saveBytes(buffer.data(), path);
}

base::Result<void> Picture::savePng(const QString &path) const
{
    const QSize pixels = (size() * pngScale).toSize();
    if (pixels.height() > maxPngPixels)
        return base::failure(
            base::ErrorKind::Usage,
            QT_TRANSLATE_NOOP("core", "the picture would be %1 pixels high, and may be %2; save it as SVG"),
            pixels.height(), maxPngPixels);
    QImage image(pixels, QImage::Format_RGB32);
    if (image.isNull())
        return base::failure(base::ErrorKind::Local,
                             QT_TRANSLATE_NOOP("core", "there is not enough memory for the picture"));
    image.setDevicePixelRatio(pngScale);
    QPainter painter(&image);
    paint(painter);
    painter.end();
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return saveBytes(buffer.data(), path);
}

base::Result<void> saveBytes(const QByteArray &contents, const QString &path)
{
    return files::saveFile(path, contents);
}

base::Result<void> saveText(const sequence::Sequence &sequence, const QString &path)
{
    return saveBytes(sequence::textLines(sequence).join(u'\n').toUtf8() + '\n', path);
}

} // namespace latchkey::ui::diagram
