#include "ui/pages/recording/timeslider.h"

#include <QMouseEvent>
#include <QStyle>
#include <QStyleOptionSlider>

namespace latchkey::ui::recording {

TimeSlider::TimeSlider(QWidget *parent)
    : QSlider(Qt::Horizontal, parent)
{
    setTracking(false);
}

/// Returns the value at which the style places the centre of the handle at x. With another value, a press would miss
/// the handle.
int TimeSlider::valueAt(int x) const
{
    QStyleOptionSlider option;
    initStyleOption(&option);
    const QRect groove = style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderGroove, this);
    const QRect handle = style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderHandle, this);
    return QStyle::sliderValueFromPosition(minimum(), maximum(), x - groove.x() - handle.width() / 2,
                                           groove.width() - handle.width(), option.upsideDown);
}

void TimeSlider::mousePressEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton)
        setSliderPosition(valueAt(qRound(event->position().x())));
    QSlider::mousePressEvent(event); // The handle can be dragged from here.
}

} // namespace latchkey::ui::recording
