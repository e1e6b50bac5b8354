#pragma once

#include "app/cli/watchedlocks.h"

#include <functional>

namespace latchkey::cli {

/// A printer of lock events, one line each, as text or JSON. It flushes each line, because another program may be
/// reading. Owned by the command, and outlives the locks that it follows. The clock is not owned.
class WatchPrinter final
{
public:
    WatchPrinter(const base::Clock &clock, bool json)
        : m_clock(clock)
        , m_json(json)
    {}

    /// Function that returns the round trip time to the server. Absent if unknown.
    using RoundTrip = std::function<std::optional<std::chrono::nanoseconds>()>;
    /// Prints all events of these locks from now on. `printed`: called after each line.
    void follow(const WatchedLocks &locks, const RoundTrip &roundTrip, const std::function<void()> &printed) const;

private:
    void printSeen(const QByteArray &key, const LockFacts &facts, const std::optional<base::Deadline> &deadline,
                   base::MonotonicTime at) const;
    void print(const events::KeyEvent &keyEvent, const LockFacts &facts,
               const std::optional<std::chrono::nanoseconds> &roundTrip) const;

    /// The content of a line.
    struct Line
    {
        QByteArray key;
        QLatin1String event;
        std::optional<QByteArray> holder;
        QLatin1String source;
        base::MonotonicTime at;
        std::optional<std::chrono::nanoseconds> late;
        std::chrono::nanoseconds uncertainty {};
        std::optional<base::Deadline> deadline;
        bool mayBeOurRead = false;
    };
    void print(const Line &line) const;
    void printJsonLine(const Line &line, base::WallTime at) const;
    void printText(const Line &line, base::WallTime at) const;

    const base::Clock &m_clock; // Not owned.
    const bool m_json;
};

} // namespace latchkey::cli
