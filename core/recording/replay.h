#pragma once

#include "core/inspection/inspectedserver.h"
#include "core/recording/reader.h"
#include "core/recording/replayclock.h"
#include "core/recording/replaynode.h"

#include <QDeadlineTimer>

#include <functional>
#include <memory>

namespace latchkey::recording {

/// A recording as a server that can be inspected, at one time of it: what was observed up to then is told to the same
/// code that hears it of a live server, on a clock of its own.
///
/// It goes forward only; for an earlier time open it again, or have a ReplayShelf. It is opened at its start whatever
/// its length.
/// Owned by the code that shows it; clock and random source are not owned.
class Replay final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Replay)

public:
    /// Errors as Reader::open() has them.
    [[nodiscard]] static base::Result<std::unique_ptr<Replay>> open(const QString &path, ReplayClock &clock,
                                                                    base::RandomSource &random);
    /// Begins the clock anew.
    Replay(std::unique_ptr<Reader> reader, ReplayClock &clock, base::RandomSource &random, QObject *parent = nullptr);
    ~Replay() override;

    [[nodiscard]] const Heading &heading() const { return m_reader->heading(); }
    [[nodiscard]] inspection::InspectedServer &server() { return *m_server; }
    /// How the server was watched at that time.
    [[nodiscard]] const Watched &watched() const { return m_node->watched(); }

    // From the start of the recording:
    [[nodiscard]] std::chrono::nanoseconds position() const { return m_at - ReplayClock::zero; }
    /// How long it is, as far as is known.
    [[nodiscard]] std::chrono::nanoseconds length() const { return m_end - ReplayClock::zero; }
    [[nodiscard]] bool isAtEnd() const { return m_isAtEnd; }
    /// See Reader::problem().
    [[nodiscard]] const std::optional<base::Error> &problem() const { return m_reader->problem(); }

    /// Goes on to that time, or until the deadline; true if it got there, or to the end. isShown: somebody looks at
    /// what it comes to by then; else only conclusions are drawn.
    bool goOn(std::chrono::nanoseconds until, QDeadlineTimer deadline = QDeadlineTimer::Forever, bool isShown = true);
    /// When the next thing happens; absent at the end.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> next() const;

private:
    void moveClock(base::MonotonicTime to);
    void take();
    void apply(const Entry &entry);
    [[nodiscard]] recognition::Recognition told(const recognition::Sighting &sighting) const;

    std::unique_ptr<Reader> m_reader;
    ReplayClock &m_clock; // Not owned.
    base::MonotonicTime m_at = ReplayClock::zero;
    base::MonotonicTime m_end;
    std::unique_ptr<inspection::InspectedServer> m_server;
    ReplayNode *m_node = nullptr; ///< The server's.
    std::optional<Entry> m_next;
    bool m_isAtEnd = false;
    QString m_runId;
    /// What was recognised of the last values of a key.
    QHash<QByteArray, QList<Recognised>> m_recognised;
};

} // namespace latchkey::recording
