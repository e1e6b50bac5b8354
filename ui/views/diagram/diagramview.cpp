#include "ui/views/diagram/diagramview.h"

#include "core/playground/sequence/sequencetexts.h"
#include "ui/kit/widgets/focusframe.h"
#include "ui/views/diagram/diagrampainter.h"

#include <QApplication>
#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace latchkey::ui::diagram {

using base::MonotonicTime;
using namespace std::chrono_literals;

namespace {

/// Interval in which changes are collected before a repaint, and of the animation: about two pixels.
constexpr auto repaintInterval = 100ms;
/// Longest interval of the animation, because a lease may end meanwhile.
constexpr auto slowestInterval = 500ms;
constexpr double zoomStep = 1.15;

} // namespace

DiagramView::DiagramView(const base::Clock &clock, theme::Appearance &appearance, QWidget *parent)
    : FollowingScrollArea(zoomStep, appearance, parent)
    , m_clock(clock)
{
    setObjectName(QStringLiteral("diagram"));
    setAccessibleName(tr("Sequence diagram"));
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent); // The view paints all of its area, so Qt need not fill the
                                                       // background.
    m_updateTimer.setSingleShot(true);
    m_updateTimer.setInterval(repaintInterval);
    connect(&m_updateTimer, &QTimer::timeout, this, &DiagramView::tick);
    m_repaintTimer.setInterval(repaintInterval);
    connect(&m_repaintTimer, &QTimer::timeout, this, &DiagramView::tick);
    describe();
}

DiagramView::~DiagramView() = default;

void DiagramView::setSequence(const sequence::Sequence *sequence)
{
    m_sequence = sequence;
    m_isLayoutOld = true;
    choose({});
    refresh();
}

void DiagramView::setEmptyText(const QString &text)
{
    m_emptyText = text;
    viewport()->update();
}

void DiagramView::refresh()
{
    if (!isVisible() || m_updateTimer.isActive()
        || (m_repaintTimer.isActive() && m_repaintTimer.remainingTime() <= repaintInterval.count()))
        return;
    m_updateTimer.start();
}

MonotonicTime DiagramView::now() const
{
    return m_sequence == nullptr ? m_clock.now() : m_sequence->endedAt().value_or(m_clock.now());
}

/// Restarts the animation timer if time alone changes the diagram. Otherwise only new events cause a repaint.
void DiagramView::tick()
{
    layOut();
    const bool isShown = m_sequence != nullptr && isVisible() && !m_sequence->endedAt();
    if (const auto moved = isShown ? m_layout.pixelTime(now()) : std::nullopt)
        m_repaintTimer.start(std::clamp<std::chrono::milliseconds>(std::chrono::ceil<std::chrono::milliseconds>(*moved),
                                                                   repaintInterval, slowestInterval));
    else
        m_repaintTimer.stop();
    updateBars();
    updateChanged();
}

void DiagramView::updateChanged()
{
    const bool isHeadingOld = m_sequence == nullptr || m_headed != m_sequence->lanes();
    if (isHeadingOld && m_sequence != nullptr)
        m_headed = m_sequence->lanes();
    // Names and legend take as long to paint as a screen of rows, and seldom change.
    viewport()->update(isHeadingOld ? viewport()->rect() : body());
}

QFont DiagramView::textFont() const
{
    QFont text = QApplication::font();
    text.setPointSizeF(std::max(4.0, text.pointSizeF() * m_scale));
    return text;
}

QFont DiagramView::codeFont() const
{
    QFont code = appearance().monospaced();
    code.setPointSizeF(std::max(4.0, textFont().pointSizeF() * 0.95));
    return code;
}

QRect DiagramView::body() const
{
    // Excludes the separator lines, so that the body can be painted alone.
    return viewport()->rect().adjusted(0, static_cast<int>(std::ceil(m_layout.headingHeight())) + 1, 0,
                                       -static_cast<int>(std::ceil(m_layout.legendHeight())) - 1);
}

void DiagramView::layOut()
{
    if (m_sequence == nullptr) {
        m_layout = {};
        return;
    }
    if (!m_isLayoutOld && m_laidOut == m_sequence->revision())
        return;
    m_isLayoutOld = false;
    m_laidOut = m_sequence->revision();
    const double width = viewport()->width();
    const QFont text = textFont();
    m_layout =
        DiagramLayout(*m_sequence, {QFontMetricsF(text).height(), width, DiagramPainter::legendHeight(text, width)});
}

const DiagramLayout &DiagramView::diagramLayout()
{
    layOut();
    return m_layout;
}

void DiagramView::updateBars()
{
    layOut();
    const QSize room = body().size();
    QScrollBar *down = verticalScrollBar();
    QScrollBar *across = horizontalScrollBar();
    const int height = m_sequence == nullptr ? 0 : static_cast<int>(std::ceil(m_layout.heightAt(now())));
    down->setRange(0, std::max(0, height - room.height()));
    down->setPageStep(room.height());
    down->setSingleStep(static_cast<int>(QFontMetricsF(textFont()).height() * 2));
    across->setRange(0, std::max(0, static_cast<int>(m_layout.width()) - room.width()));
    across->setPageStep(room.width());
    across->setSingleStep(down->singleStep());
    if (isFollowing())
        down->setValue(down->maximum());
}

void DiagramView::paintEvent(QPaintEvent *event)
{
    QPainter painter(viewport());
    const theme::Theme &theme = appearance().theme();
    painter.fillRect(viewport()->rect(), theme.surface);
    layOut();
    if (m_sequence == nullptr || m_sequence->lanes().empty()) {
        painter.setPen(theme.muted);
        painter.drawText(viewport()->rect().adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap,
                         m_emptyText);
        return widgets::paintFocusFrame(painter, *this, theme.accent);
    }
    const QRectF area = body();
    const QPointF offset(horizontalScrollBar()->value(), verticalScrollBar()->value());
    const std::optional<std::size_t> chosen = current();
    const DiagramPainter diagram(painter,
                                 {*m_sequence, m_layout, theme, textFont(), codeFont(), now(), chosen, &m_textLayouts});
    painter.save();
    painter.setClipRect(area);
    painter.translate(area.topLeft() - offset);
    diagram.paint(QRectF(offset, area.size()));
    painter.restore();
    if (m_sequence->rows().empty()) {
        painter.setPen(theme.muted);
        painter.drawText(area.adjusted(24, 0, -24, 0), Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
    }
    if (event->rect().top() < area.top())
        diagram.paintHeading(QRectF(0, 0, area.width(), m_layout.headingHeight()), offset.x());
    if (event->rect().bottom() > area.bottom())
        diagram.paintLegend(QRectF(0, area.bottom() + 2, area.width(), m_layout.legendHeight()));
    widgets::paintFocusFrame(painter, *this, theme.accent);
}

void DiagramView::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    m_isLayoutOld = true;
    updateBars();
}

void DiagramView::scrollContentsBy(int dx, int /*dy*/)
{
    viewport()->update(dx != 0 ? viewport()->rect() : body());
}

void DiagramView::showEvent(QShowEvent *event)
{
    QAbstractScrollArea::showEvent(event);
    tick();
}

void DiagramView::hideEvent(QHideEvent *event)
{
    QAbstractScrollArea::hideEvent(event);
    m_repaintTimer.stop();
    m_updateTimer.stop();
}

} // namespace latchkey::ui::diagram
