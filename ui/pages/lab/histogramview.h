#pragma once

#include "core/playground/lab/delaystatistics.h"
#include "ui/kit/theme/appearance.h"

#include <QWidget>

namespace latchkey::ui::lab {

/// A histogram of the lateness of keys. Both axes have labels. The percentiles are shown as figures above, and the
/// median and the 99th percentile as lines. All figures are in the accessible description. Owned by its parent. The
/// appearance is not owned.
class HistogramView final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HistogramView)

public:
    /// `title`: kind of the lateness.
    HistogramView(const QString &title, theme::Appearance &appearance, QWidget *parent);

    /// Sets the data. `empty`: text without data.
    void setLateness(const latchkey::lab::DelayStatistics &lateness, const QString &empty);

    [[nodiscard]] QSize sizeHint() const override { return {340, 170}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {260, 120}; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    [[nodiscard]] QString figures() const;
    [[nodiscard]] QString shortFigures() const;
    void paintPlot(QPainter &painter, const QRectF &plot) const;

    theme::Appearance &m_appearance; // Not owned.
    const QString m_title;
    QString m_empty;
    latchkey::lab::DelayStatistics m_lateness;
};

} // namespace latchkey::ui::lab
