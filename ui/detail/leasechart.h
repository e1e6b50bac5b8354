#pragma once

#include "ui/detail/leasecurve.h"
#include "ui/theme/appearance.h"

#include <QTimer>
#include <QWidget>

namespace latchkey::ui::detail {

/// The picture of a LeaseCurve: time left from bottom to top, time from left to right.
///
/// A line falls while a lease runs out, and rises where it was renewed; its colour is the holder's, as in the timeline,
/// and so are the signs at the ends. What is to come if nobody renews it is dotted, what was not seen is left open or
/// hatched. It moves by itself while it can be seen, no more often than by a pixel.
/// Owned by the detail panel; clock and appearance are not owned. It knows no server.
class LeaseChart final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LeaseChart)

public:
    LeaseChart(theme::Appearance &appearance, const base::Clock &clock, QWidget *parent = nullptr);

    /// gaps: the times in which nothing was seen.
    void show(LeaseCurve curve, std::vector<history::History::Gap> gaps);
    using QWidget::show;
    [[nodiscard]] const LeaseCurve &curve() const { return m_curve; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    /// Where this much was left at that time, in the frame as it is now.
    [[nodiscard]] QPointF pointAt(base::MonotonicTime time, std::chrono::nanoseconds left) const;

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    /// Which pixel is what. Made for each painting.
    struct Geometry
    {
        QRectF plot;
        timeline::TimeScale scale;
        LeaseFrame frame;
        std::chrono::nanoseconds top {};  ///< What is left at the upper edge.
        std::chrono::nanoseconds step {}; ///< From one line across to the next.

        [[nodiscard]] double x(base::MonotonicTime time) const { return plot.left() + scale.xAt(time); }
        [[nodiscard]] double y(std::chrono::nanoseconds left) const;
        [[nodiscard]] QPointF at(base::MonotonicTime time, const std::optional<std::chrono::nanoseconds> &left) const;
    };

    [[nodiscard]] Geometry geometry() const;
    [[nodiscard]] QColor colourOf(const std::optional<QByteArray> &holder) const;
    void paintAxes(QPainter &painter, const Geometry &geometry) const;
    void paintStretch(QPainter &painter, const Geometry &geometry, const LeaseCurve::Stretch &stretch) const;
    void paintMove(QPainter &painter, const Geometry &geometry, const LeaseCurve::Stretch &before,
                   const LeaseCurve::Stretch &after) const;
    void paintFinishes(QPainter &painter, const Geometry &geometry) const;
    void restart();
    [[nodiscard]] QString tipAt(const QPointF &place) const;

    theme::Appearance &m_appearance; // Not owned.
    const base::Clock &m_clock;      // Not owned.
    LeaseCurve m_curve;
    std::vector<history::History::Gap> m_gaps;
    QTimer m_repaint;
};

} // namespace latchkey::ui::detail
