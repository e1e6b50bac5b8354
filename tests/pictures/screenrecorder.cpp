#include "tests/pictures/screenrecorder.h"

#include <QHash>
#include <QPainter>
#include <QSet>

#include <algorithm>

namespace latchkey::test {

using namespace std::chrono_literals;

namespace {

constexpr auto tick = 200ms;
constexpr int markTicks = 3;

/// Returns the most frequent colours, and of similar colours the most frequent.
QList<QRgb> coloursOf(const QList<QImage> &pictures)
{
    QHash<QRgb, int> counts;
    for (const QImage &picture : pictures) {
        for (int y = 0; y < picture.height(); ++y) {
            for (int x = 0; x < picture.width(); ++x)
                ++counts[picture.pixel(x, y)];
        }
    }
    std::vector<std::pair<int, QRgb>> colours;
    for (auto count = counts.cbegin(); count != counts.cend(); ++count)
        colours.emplace_back(*count, count.key());
    std::sort(colours.begin(), colours.end(), std::greater());
    QSet<QRgb> lookAlikes;
    QList<QRgb> table;
    for (const auto &[count, colour] : colours) {
        constexpr QRgb highBits = 0xFFF0F0F0;
        const bool isOneOfMany = table.size() >= 64 && lookAlikes.contains(colour & highBits);
        if (table.size() == 256 || isOneOfMany)
            continue;
        lookAlikes.insert(colour & highBits);
        table += colour;
    }
    return table;
}

} // namespace

QImage reduced(const QImage &picture, const QList<QRgb> &colours)
{
    return picture.convertToFormat(QImage::Format_Indexed8, colours.isEmpty() ? coloursOf({picture}) : colours,
                                   Qt::ThresholdDither);
}

ScreenRecorder::ScreenRecorder(MainWindowFixture &fixture)
    : m_fixture(fixture)
{
    QObject::connect(&m_shutter, &QTimer::timeout, &m_shutter, [this] { take(); });
    m_shutter.setTimerType(Qt::PreciseTimer);
    m_shutter.start(tick);
}

void ScreenRecorder::click(QPushButton &button)
{
    m_clicked = button.mapTo(&m_fixture.window, button.rect().center());
    m_markTicks = markTicks;
    QTest::mouseClick(&button, Qt::LeftButton);
}

void ScreenRecorder::take()
{
    QImage picture = m_fixture.window.grab().toImage().convertToFormat(QImage::Format_RGB32);
    if (m_markTicks > 0) {
        --m_markTicks;
        QPainter painter(&picture);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(QColor(255, 140, 0), 3));
        painter.setBrush(QColor(255, 140, 0, 60));
        painter.drawEllipse(m_clicked, 18, 18);
    }
    if (!m_frames.empty() && m_frames.back().picture == picture)
        ++m_frames.back().ticks;
    else
        m_frames.push_back({picture, 1});
}

void ScreenRecorder::write(const QDir &folder, std::chrono::milliseconds last)
{
    m_shutter.stop();
    // All pictures share one colour table, so that unchanged parts have identical bits. The table is made from all
    // pictures; otherwise the green of a held lock would be mapped to grey.
    QList<QImage> pictures;
    for (const Frame &frame : m_frames)
        pictures += frame.picture;
    const QList<QRgb> colours = coloursOf(pictures);
    for (std::size_t i = 0; i < m_frames.size(); ++i) {
        const Frame &frame = m_frames[i];
        const auto shown = i + 1 == m_frames.size() ? last : frame.ticks * tick;
        const QString name = folder.filePath(QStringLiteral("frame%1").arg(i, 3, 10, QLatin1Char('0')));
        QFile delay(name + QStringLiteral(".txt"));
        const QByteArray text = "delay=" + QByteArray::number(static_cast<qint64>(shown / 10ms)) + "/100\n";
        if (!reduced(frame.picture, colours).save(name + QStringLiteral(".png"), "PNG")
            || !delay.open(QIODevice::WriteOnly) || delay.write(text) < 0)
            qFatal("cannot write %s", qPrintable(name));
    }
}

} // namespace latchkey::test
