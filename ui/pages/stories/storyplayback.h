#pragma once

#include <QObject>
#include <QTimer>

#include <chrono>

namespace latchkey::ui::stories {

class AlternativeLanes;

/// The playback of the shown alternatives: one step after the other. When all alternatives have finished a step, there
/// is a pause for reading before the next one.
///
/// Owned by the view of the story. The lanes are not owned and outlive this object.
class StoryPlayback final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(StoryPlayback)

public:
    explicit StoryPlayback(AlternativeLanes &lanes, QObject *parent = nullptr);

    [[nodiscard]] bool isPlaying() const { return m_isPlaying; }
    /// Plays or pauses. A story that is over starts again.
    void setPlaying(bool isPlaying);
    /// Takes one step.
    void step();
    /// Pauses, and returns to the start.
    void goBack();
    void setSpeed(double speed);

Q_SIGNALS:
    /// Emitted when isPlaying() or the state of the lanes may have changed.
    void changed();

private:
    void follow();
    /// Returns the pause between two steps, in which the user reads the shown sentences.
    [[nodiscard]] std::chrono::milliseconds readingTime() const;

    AlternativeLanes &m_lanes;
    bool m_isPlaying = false;
    double m_speed = 1;
    QTimer m_readingTimer; ///< Active between two steps.
};

} // namespace latchkey::ui::stories
