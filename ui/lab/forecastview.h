#pragma once

#include "core/rows/forecast.h"
#include "ui/theme/appearance.h"

#include <QWidget>

namespace latchkey::ui::lab {

/// How many keys end soon, as a bar for each group of keys: what ends in the next second, minute and hour, one behind
/// the other, with the number of all of them. The figures above it are of all keys. Each can be heard: they are its
/// accessible description.
/// Owned by its parent; the appearance is not owned.
class ForecastView final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ForecastView)

public:
    explicit ForecastView(theme::Appearance &appearance, QWidget *parent = nullptr);

    void setForecast(const rows::Forecast &forecast);
    [[nodiscard]] const rows::Forecast &forecast() const { return m_forecast; }
    /// How many groups it has room for.
    [[nodiscard]] int room() const;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void paintFigures(QPainter &painter, const QRectF &area) const;
    void paintGroup(QPainter &painter, const rows::Forecast::Group &group, const QRectF &row, int most) const;
    [[nodiscard]] QColor colourOf(std::size_t span) const;
    [[nodiscard]] QString groupName(const rows::Forecast::Group &group) const;
    void describe();

    theme::Appearance &m_appearance; // Not owned.
    rows::Forecast m_forecast;
};

} // namespace latchkey::ui::lab
