#pragma once

#include "core/inspect/recognition/userdialects.h"
#include "core/inspect/recording/replaycache.h"

#include <QObject>
#include <QTimer>

#include <memory>

namespace latchkey::ui::recording {

/// A player of a recording: play, pause, speed, and seek.
///
///     Paused ⇄ Playing;  from both: seek → (moves in several steps) → as before
///
/// A ReplayCache prepares replays at several positions during idle time. A seek to a distant position continues from
/// another replay, and so changes the server; see serverReplaced(). All functions that move or play need an open
/// recording. Owned by the recording's window. The dialects are not owned.
class Playback final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Playback)

public:
    /// `own`: lock patterns of the user, as for a live server.
    explicit Playback(const recognition::UserDialects &own, QObject *parent = nullptr);
    ~Playback() override;

    /// Opens a recording, paused at its start. Errors: as Replay::open(), and Usage if the path is no file. After an
    /// error, the previous recording stays open.
    [[nodiscard]] base::Result<void> open(const QString &path);

    /// Returns the shown replay. Null before open().
    [[nodiscard]] latchkey::recording::Replay *replay() { return m_replayCache ? &m_replayCache->shown() : nullptr; }
    /// Returns the clock of the recording. It is the same for all positions and servers.
    [[nodiscard]] const base::Clock &clock() const { return m_clock; }
    [[nodiscard]] bool isPlaying() const { return m_isPlaying; }
    [[nodiscard]] double speed() const { return m_speed; }
    /// Returns whether a seek is in progress.
    [[nodiscard]] bool isSeeking() const { return m_target.has_value(); }
    /// Returns the position, or the target of a running seek.
    [[nodiscard]] std::chrono::nanoseconds position() const
    {
        return m_target.value_or(m_replayCache->shown().position());
    }

    /// Starts or pauses playing. At the end, playing restarts at the beginning.
    void setPlaying(bool isPlaying);
    /// Sets the speed as a factor of real time, greater than 0.
    void setSpeed(double speed);
    /// Starts a seek. The position is limited to the length of the recording.
    void seek(std::chrono::nanoseconds position);

Q_SIGNALS:
    /// Emitted before replay() has another server. Receivers must release the current one.
    void serverAboutToChange();
    /// Emitted when replay() has another server.
    void serverReplaced();
    /// Emitted when time has passed in the recording, or when its state has changed.
    void changed();
    /// Emitted when a seek fails because the file can no longer be read. The player stays at its position and pauses.
    void failed(const latchkey::base::Error &error);

private:
    void step();
    void continueSeek();
    void continuePlaying();
    void settle();
    void run();
    void prepare();
    [[nodiscard]] base::Result<void> change(std::chrono::nanoseconds position);

    const recognition::UserDialects &m_own;
    latchkey::recording::SwitchableClock m_clock;
    std::unique_ptr<latchkey::recording::ReplayCache> m_replayCache;
    QTimer m_step;
    QTimer m_prepare;
    int m_stepsToSettle = 0;
    bool m_isPlaying = false;
    double m_speed = 1;
    /// Position at the time m_playedSince, from which the current position is computed.
    std::chrono::nanoseconds m_playedFrom {};
    base::MonotonicTime m_playedSince;
    std::optional<std::chrono::nanoseconds> m_target; ///< Target of a running seek.
};

} // namespace latchkey::ui::recording
