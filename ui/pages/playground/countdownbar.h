#pragma once

#include "ui/kit/theme/appearance.h"
#include "ui/kit/widgets/pill.h"

#include <QWidget>

#include <optional>

namespace latchkey::ui::playground {

/// A bar for the remaining share of a lease. Owned by its card. The appearance is not owned.
class CountdownBar final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(CountdownBar)

public:
    explicit CountdownBar(theme::Appearance &appearance, QWidget *parent = nullptr);

    /// Sets the share, from 0 to 1. Absent: an empty bar, without a countdown.
    void set(std::optional<double> share, widgets::Pill::Tone tone);
    [[nodiscard]] std::optional<double> share() const { return m_share; }

    [[nodiscard]] QSize sizeHint() const override { return {80, 8}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {20, 8}; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    theme::Appearance &m_appearance; // Not owned.
    std::optional<double> m_share;
    widgets::Pill::Tone m_tone = widgets::Pill::Tone::Neutral;
};

} // namespace latchkey::ui::playground
