#pragma once

#include "core/keyspace/rows/forecast.h"
#include "ui/kit/theme/appearance.h"

#include <QWidget>

namespace latchkey::ui::lab {

/// A chart of the keys that expire soon. Each group of keys has a bar with parts for the next second, minute and hour,
/// and the number of keys within the hour. The figures above the bars cover all keys. The accessible description has
/// the figures and the number within the hour of each group. Owned by its parent. The appearance is not owned.
class ForecastView final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ForecastView)

public:
    explicit ForecastView(theme::Appearance &appearance, QWidget *parent = nullptr);

    void setForecast(const rows::Forecast &forecast);
    [[nodiscard]] const rows::Forecast &forecast() const { return m_forecast; }
    /// Returns the number of groups that fit into the view.
    [[nodiscard]] int room() const;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void paintFigures(QPainter &painter, const QRectF &area) const;
    void paintGroup(QPainter &painter, const rows::Forecast::Group &group, const QRectF &row, int maximum) const;
    [[nodiscard]] QColor colourOf(std::size_t span) const;
    [[nodiscard]] QString groupName(const rows::Forecast::Group &group) const;
    void describe();

    theme::Appearance &m_appearance; // Not owned.
    rows::Forecast m_forecast;
};

} // namespace latchkey::ui::lab
