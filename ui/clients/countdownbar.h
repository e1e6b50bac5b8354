#pragma once

#include "ui/theme/appearance.h"
#include "ui/widgets/pill.h"

#include <QWidget>

#include <optional>

namespace latchkey::ui::clients {

/// What is left of a lease, as a bar that grows shorter. Owned by its card; the appearance is not owned.
class CountdownBar final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(CountdownBar)

public:
    explicit CountdownBar(theme::Appearance &appearance, QWidget *parent = nullptr);

    /// share: from 0 to 1; absent: there is nothing to count, and the bar is empty.
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

} // namespace latchkey::ui::clients
