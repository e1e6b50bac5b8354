#pragma once

#include <QSlider>

namespace latchkey::ui::recording {

/// A slider that moves its handle to a click. It emits its value when the handle is released; during a drag it shows
/// the value only. Owned by its parent. The slider does not know the meaning of its values.
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
