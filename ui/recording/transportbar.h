#pragma once

#include "ui/theme/appearance.h"

#include <QWidget>

#include <chrono>

class QComboBox;
class QLabel;
class QPushButton;

namespace latchkey::ui::recording {

class TimeSlider;

/// What a recording is played with: play and pause, speed, and a slider for its time.
/// Owned by the recording's window, which does what it asks for; the appearance is not owned.
class TransportBar final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(TransportBar)

public:
    explicit TransportBar(theme::Appearance &appearance, QWidget *parent = nullptr);

    void setPlaying(bool isPlaying);
    /// Both from the start of the recording; wall: the time of day at that position.
    void setPosition(std::chrono::nanoseconds position, std::chrono::nanoseconds length, const QString &wall);
    /// Asks for a little earlier, or later: as an arrow key on the slider.
    void step(bool isForward);
    /// Gives the slider the keyboard.
    void enter();

Q_SIGNALS:
    void playWanted(bool isPlaying);
    void speedChosen(double speed);
    void positionChosen(std::chrono::nanoseconds position);

private:
    void name();
    void arrange();
    void word();
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
