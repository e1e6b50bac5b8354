#pragma once

#include "ui/kit/theme/appearance.h"

#include <QWidget>

#include <chrono>

class QComboBox;
class QLabel;
class QPushButton;

namespace latchkey::ui::recording {

class TimeSlider;

/// The controls of a player: play and pause, speed, and a slider for the position. Owned by the recording's window,
/// which handles its signals. The appearance is not owned.
class TransportBar final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(TransportBar)

public:
    explicit TransportBar(theme::Appearance &appearance, QWidget *parent = nullptr);

    void setPlaying(bool isPlaying);
    /// Sets position and length, both from the start of the recording. `wall`: time of day at that position.
    void setPosition(std::chrono::nanoseconds position, std::chrono::nanoseconds length, const QString &wall);
    /// Requests a position slightly earlier or later, like an arrow key on the slider.
    void step(bool isForward);
    /// Moves the keyboard focus to the slider.
    void takeFocus();

Q_SIGNALS:
    void playRequested(bool isPlaying);
    void speedChosen(double speed);
    void positionChosen(std::chrono::nanoseconds position);

private:
    void name();
    void setUpLayout();
    void updateTexts();
    void applyAppearance();
    void choosePosition(int value);
    void showTime(std::chrono::nanoseconds position);

    theme::Appearance &m_appearance;
    QPushButton *m_start;
    QPushButton *m_play;
    QComboBox *m_speed;
    TimeSlider *m_slider;
    QLabel *m_wall;
    QLabel *m_time;
    std::chrono::nanoseconds m_length {};
    bool m_isPlaying = false;
};

} // namespace latchkey::ui::recording
