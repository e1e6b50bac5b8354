#pragma once

#include <QSlider>

namespace latchkey::ui::recording {

/// A slider that goes to where it is clicked, and says so where it is let go of: on the way there it only shows where
/// that would be. Owned by its parent. What its values mean it does not know.
class TimeSlider final : public QSlider
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(TimeSlider)

public:
    explicit TimeSlider(QWidget *parent = nullptr);

protected:
    void mousePressEvent(QMouseEvent *event) override;

private:
    [[nodiscard]] int valueAt(int x) const;
};

} // namespace latchkey::ui::recording
