#pragma once

#include "app/cli/watchedlocks.h"

namespace latchkey::cli {

/// Prints what happens to locks, a line for each, as text or as JSON, and flushes it: somebody may be reading along.
/// Owned by the command. The clock is not owned.
class WatchPrinter final
{
public:
    WatchPrinter(const base::Clock &clock, bool json)
        : m_clock(clock)
        , m_json(json)
    {}

    void printSeen(const QByteArray &key, const LockFacts &facts, const std::optional<base::Deadline> &deadline,
                   base::MonotonicTime at) const;
    void print(const keyspace::Happening &happening, const LockFacts &facts,
               const std::optional<std::chrono::nanoseconds> &roundTrip) const;

private:
    /// What a line is made of.
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
