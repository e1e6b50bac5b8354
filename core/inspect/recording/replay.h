#pragma once

#include "core/inspect/inspection/inspectedserver.h"
#include "core/inspect/recording/reader.h"
#include "core/inspect/recording/replayclock.h"
#include "core/inspect/recording/replaynode.h"

#include <QDeadlineTimer>

#include <functional>
#include <memory>

namespace latchkey::recording {

/// A recording as a server that can be inspected, at one moment of the recording. The observations up to that moment
/// are processed by the same code as those of a live server. The time is that of a ReplayClock.
///
/// A replay moves only forward. An earlier moment requires opening the recording again, or a ReplayCache. Opening takes
/// the same time for any length. Owned by the code that shows it; clock and random source are not owned.
class Replay final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Replay)

public:
    /// Opens a recording. Errors: see Reader::open().
    [[nodiscard]] static base::Result<std::unique_ptr<Replay>> open(const QString &path, ReplayClock &clock,
                                                                    base::RandomSource &random);
    /// Creates a replay. Resets the clock to the start.
    Replay(std::unique_ptr<Reader> reader, ReplayClock &clock, base::RandomSource &random, QObject *parent = nullptr);
    ~Replay() override;

    [[nodiscard]] const Header &heading() const { return m_reader->heading(); }
    [[nodiscard]] inspection::InspectedServer &server() { return *m_server; }
    /// Returns the state of watching at this moment.
    [[nodiscard]] const WatchState &watched() const { return m_node->watched(); }

    // Since the start of the recording:
    [[nodiscard]] std::chrono::nanoseconds position() const { return m_at - ReplayClock::zero; }
    /// Returns the length, as far as it is known.
    [[nodiscard]] std::chrono::nanoseconds length() const { return m_end - ReplayClock::zero; }
    [[nodiscard]] bool isAtEnd() const { return m_isAtEnd; }
    /// See Reader::problem().
    [[nodiscard]] const std::optional<base::Error> &problem() const { return m_reader->problem(); }

    /// Continues to the time `until`, or until the deadline. Returns true if it reached that time or the end.
    /// `isShown`: whether views update afterwards, by Watcher::ticked().
    bool advance(std::chrono::nanoseconds until, QDeadlineTimer deadline = QDeadlineTimer::Forever,
                 bool isShown = true);
    /// Returns the time of the next entry; absent at the end.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> next() const;

private:
    void moveClock(base::MonotonicTime to);
    void take();
    void apply(const Entry &entry);
    [[nodiscard]] recognition::Recognition recordedRecognition(const recognition::KeySample &sample) const;

    std::unique_ptr<Reader> m_reader;
    ReplayClock &m_clock; // Not owned.
    base::MonotonicTime m_at = ReplayClock::zero;
    base::MonotonicTime m_end;
    std::unique_ptr<inspection::InspectedServer> m_server;
    ReplayNode *m_node = nullptr; ///< Owned by the server.
    std::optional<Entry> m_next;
    bool m_isAtEnd = false;
    QString m_runId;
    QString m_primary;
    /// Recognitions of the last values of each key.
    QHash<QByteArray, QList<RecognitionEntry>> m_recognised;
};

} // namespace latchkey::recording
