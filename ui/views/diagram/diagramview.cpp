#include "ui/views/diagram/diagramview.h"

#include "core/playground/sequence/sequencetexts.h"
#include "ui/kit/widgets/focusframe.h"
#include "ui/views/diagram/diagrampainter.h"

#include <QApplication>
#include <QKeyEvent>
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
constexpr double smallest = 0.5;
constexpr double largest = 4;

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
    const double legend = DiagramLegend::height(text, width, viewport()->height());
    m_layout = DiagramLayout(*m_sequence, {QFontMetricsF(text).height(), width, legend});
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

void DiagramView::setScale(double scale)
{
    const double wanted = std::clamp(scale, smallest, largest);
    if (wanted == m_scale)
        return;
    // Keeps the middle row in place.
    layOut();
    const double middle = verticalScrollBar()->value() + body().height() / 2.0;
    const auto row = m_layout.rowAt(middle);
    m_scale = wanted;
    m_textLayouts.clear();
    m_isLayoutOld = true;
    updateBars();
    if (row && !isFollowing())
        verticalScrollBar()->setValue(static_cast<int>(m_layout.topOf(*row) - body().height() / 2.0));
    viewport()->update();
    Q_EMIT scaleChanged(m_scale);
}

/// Stops following when the user scrolls up, and follows again at the bottom.
void DiagramView::wheelEvent(QWheelEvent *event)
{
    const QPoint turned = event->angleDelta();
    if (turned.x() != 0 || (event->modifiers() & (Qt::ShiftModifier | Qt::ControlModifier)) != 0)
        return FollowingScrollArea::wheelEvent(event);
    if (turned.y() > 0)
        setFollowing(false);
    verticalScrollBar()->setValue(verticalScrollBar()->value() - turned.y());
    if (turned.y() < 0 && verticalScrollBar()->value() == verticalScrollBar()->maximum())
        setFollowing(true);
    event->accept();
}

void DiagramView::keyPressEvent(QKeyEvent *event)
{
    QScrollBar *down = verticalScrollBar();
    switch (event->key()) {
    case Qt::Key_Up:
        return moveCurrent(-1);
    case Qt::Key_Down:
        return moveCurrent(1);
    case Qt::Key_Left:
        return scrollAcross(-horizontalScrollBar()->singleStep());
    case Qt::Key_Right:
        return scrollAcross(horizontalScrollBar()->singleStep());
    case Qt::Key_PageUp:
        setFollowing(false);
        return down->setValue(down->value() - down->pageStep() * 4 / 5);
    case Qt::Key_PageDown:
        return down->setValue(down->value() + down->pageStep() * 4 / 5);
    case Qt::Key_Home:
        setFollowing(false);
        return down->setValue(0);
    case Qt::Key_Space:
        return setFollowing(!isFollowing());
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (const auto row = current())
            Q_EMIT rowActivated(*row);
        return;
    default:
        FollowingScrollArea::keyPressEvent(event);
    }
}

void DiagramView::press(QPoint position)
{
    const auto row = rowAt(position);
    choose(row);
    if (row)
        Q_EMIT rowActivated(*row);
}

QString DiagramView::toolTipAt(QPoint position)
{
    const auto row = rowAt(position);
    return row ? rowText(m_sequence->rows()[*row]).toString() : QString();
}

std::optional<std::size_t> DiagramView::rowAt(QPoint position)
{
    layOut();
    if (m_sequence == nullptr || !body().contains(position))
        return std::nullopt;
    return m_layout.rowAt(position.y() - body().top() + verticalScrollBar()->value());
}

std::optional<std::size_t> DiagramView::current() const
{
    if (m_sequence == nullptr || !m_current || *m_current < m_sequence->dropped())
        return std::nullopt;
    const auto row = static_cast<std::size_t>(*m_current - m_sequence->dropped());
    return row < m_sequence->rows().size() ? std::optional(row) : std::nullopt;
}

void DiagramView::choose(std::optional<std::size_t> row)
{
    const auto before = m_current;
    m_current = row && m_sequence != nullptr ? std::optional(m_sequence->dropped() + *row) : std::nullopt;
    if (m_current == before)
        return;
    describe();
    viewport()->update();
    Q_EMIT currentChanged();
}

void DiagramView::moveCurrent(int by)
{
    if (m_sequence == nullptr || m_sequence->rows().empty())
        return;
    const auto count = static_cast<std::ptrdiff_t>(m_sequence->rows().size());
    const auto at = current();
    const auto next = at ? static_cast<std::ptrdiff_t>(*at) + by : count - 1;
    const auto row = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(next, 0, count - 1));
    choose(row);
    bringIntoView(row);
}

void DiagramView::bringIntoView(std::size_t row)
{
    layOut();
    QScrollBar *bar = verticalScrollBar();
    const double top = m_layout.topOf(row);
    const double bottom = top + m_layout.heightOf(row);
    if (top >= bar->value() && bottom <= bar->value() + body().height())
        return;
    setFollowing(false);
    bar->setValue(static_cast<int>(top - body().height() / 3.0));
}

/// Sets the description for screen readers: the current row, or an introduction.
void DiagramView::describe()
{
    const auto row = current();
    setAccessibleDescription(
        row ? sequence::elapsedText(*m_sequence, timeOf(m_sequence->rows()[*row])) + u' '
                  + rowText(m_sequence->rows()[*row]).toString()
            : tr("A lane for each client and server, time from top to bottom. Up and Down select a line, Enter shows "
                 "the complete message, plus and minus zoom, Home goes to the beginning, End to now."));
}

} // namespace latchkey::ui::diagram
