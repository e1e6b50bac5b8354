#pragma once

#include "ui/kit/theme/appearance.h"
#include "ui/pages/detail/leasecurve.h"

#include <QTimer>
#include <QWidget>

namespace latchkey::ui::detail {

/// A chart of a LeaseCurve: remaining time on the vertical axis, time on the horizontal axis.
///
/// The line falls while a lease runs out, and rises at a renewal. Its colour and the marks at the ends are those of the
/// holder in the timeline. The future without a renewal is dotted; unobserved times are left blank or hatched. While
/// visible, the chart repaints each time it moves by a pixel. Owned by the detail panel. Clock and appearance are not
/// owned. The chart does not access the server.
class LeaseChart final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LeaseChart)

public:
    LeaseChart(theme::Appearance &appearance, const base::Clock &clock, QWidget *parent = nullptr);

    /// Shows a curve. `gaps`: times without observation.
    void show(LeaseCurve curve, std::vector<history::History::Gap> gaps);
    using QWidget::show;
    [[nodiscard]] const LeaseCurve &curve() const { return m_curve; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    /// Returns the position of a remaining time at a moment, in the current frame.
    [[nodiscard]] QPointF pointAt(base::MonotonicTime time, std::chrono::nanoseconds left) const;

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    /// The mapping from times to pixels, made for each paint event.
    struct Geometry
    {
        QRectF plot;
        timeline::TimeScale scale;
        LeaseFrame frame;
        std::chrono::nanoseconds top {};  ///< Remaining time at the upper edge.
        std::chrono::nanoseconds step {}; ///< Remaining time between two horizontal lines.

        [[nodiscard]] double x(base::MonotonicTime time) const { return plot.left() + scale.xAt(time); }
        [[nodiscard]] double y(std::chrono::nanoseconds left) const;
        [[nodiscard]] QPointF at(base::MonotonicTime time, const std::optional<std::chrono::nanoseconds> &left) const;
    };

    [[nodiscard]] Geometry geometry() const;
    [[nodiscard]] QColor colourOf(const std::optional<QByteArray> &holder) const;
    void paintAxes(QPainter &painter, const Geometry &geometry) const;
    void paintSegment(QPainter &painter, const Geometry &geometry, const LeaseCurve::Segment &segment) const;
    void paintMove(QPainter &painter, const Geometry &geometry, const LeaseCurve::Segment &before,
                   const LeaseCurve::Segment &after) const;
    void paintFinishes(QPainter &painter, const Geometry &geometry) const;
    void restart();
    [[nodiscard]] QString tipAt(const QPointF &point) const;

    theme::Appearance &m_appearance; // Not owned.
    const base::Clock &m_clock;      // Not owned.
    LeaseCurve m_curve;
    std::vector<history::History::Gap> m_gaps;
    QTimer m_repaint;
};

} // namespace latchkey::ui::detail
