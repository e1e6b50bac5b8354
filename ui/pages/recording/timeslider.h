#pragma once

#include <QSlider>

namespace latchkey::ui::recording {

/// A slider whose handle jumps to a click. It emits its value when the handle is released; during a drag it only shows
/// the value. Owned by its parent. The slider does not depend on the meaning of its values.
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
