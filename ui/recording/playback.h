#pragma once

#include "core/recognition/owndialects.h"
#include "core/recording/replayshelf.h"

#include <QObject>
#include <QTimer>

#include <memory>

namespace latchkey::ui::recording {

/// Plays a recording: starts and stops it, at some speed, and goes to any time of it.
///
///     Paused ⇄ Playing;  from both: seek → (goes there a little at a time) → as before
///
/// At another time that is not near there is another server, see serverCame(): the nearest that a ReplayShelf has,
/// which fills while nothing else is to be done. Owned by the recording's window; the dialects are not owned.
class Playback final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Playback)

public:
    /// own: by which locks are recognised, as on a live server.
    explicit Playback(const recognition::OwnDialects &own, QObject *parent = nullptr);
    ~Playback() override;

    /// Errors as Replay::open() has them; (Usage): it is no file. Then what was open still is. Else it stands at the
    /// start, and is paused.
    [[nodiscard]] base::Result<void> open(const QString &path);

    /// Null before open().
    [[nodiscard]] latchkey::recording::Replay *replay() { return m_shelf ? &m_shelf->shown() : nullptr; }
    /// The time in the recording, whichever that is, and whichever of its servers.
    [[nodiscard]] const base::Clock &clock() const { return m_clock; }
    [[nodiscard]] bool isPlaying() const { return m_isPlaying; }
    [[nodiscard]] double speed() const { return m_speed; }
    /// It is on its way to where it was sent.
    [[nodiscard]] bool isSeeking() const { return m_target.has_value(); }
    /// Where it is, or is on its way to.
    [[nodiscard]] std::chrono::nanoseconds position() const { return m_target.value_or(m_shelf->shown().position()); }

    /// At its end it begins anew.
    void setPlaying(bool isPlaying);
    /// So many times as fast as it was; more than 0.
    void setSpeed(double speed);
    /// Before the start is the start, behind the end the end.
    void seek(std::chrono::nanoseconds position);

Q_SIGNALS:
    /// The server that was is about to go: nobody may look at it any more.
    void serverGoes();
    /// There is another one: replay() has it.
    void serverCame();
    /// Time has passed in it, or something else about it has changed.
    void changed();
    /// It cannot be read again: it stays where it is, and is paused.
    void failed(const latchkey::base::Error &error);

private:
    void step();
    void seekOn();
    void playOn();
    void settle();
    void run();
    void prepare();
    [[nodiscard]] base::Result<void> change(std::chrono::nanoseconds position);

    const recognition::OwnDialects &m_own;
    latchkey::recording::ShownClock m_clock;
    std::unique_ptr<latchkey::recording::ReplayShelf> m_shelf;
    QTimer m_step;
    QTimer m_prepare;
    int m_stepsToSettle = 0;
    bool m_isPlaying = false;
    double m_speed = 1;
    /// From where on it plays: what was there at that time of ours.
    std::chrono::nanoseconds m_playedFrom {};
    base::MonotonicTime m_playedSince;
    std::optional<std::chrono::nanoseconds> m_target; ///< Where it is to be.
};

} // namespace latchkey::ui::recording
