#pragma once

#include "core/lab/lateness.h"
#include "ui/theme/appearance.h"

#include <QWidget>

namespace latchkey::ui::lab {

/// How late keys were, as a histogram with both axes labelled, the percentiles in figures above it, and the median and
/// the 99th as lines in it. What it shows can be heard as well: it is its accessible description.
/// Owned by its parent; the appearance is not owned.
class HistogramView final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HistogramView)

public:
    /// title: what was late.
    HistogramView(const QString &title, theme::Appearance &appearance, QWidget *parent);

    /// empty: what is said where nothing was late.
    void setLateness(const latchkey::lab::Lateness &lateness, const QString &empty);

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
    latchkey::lab::Lateness m_lateness;
};

} // namespace latchkey::ui::lab
