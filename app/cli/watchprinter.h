#pragma once

#include "app/cli/arguments.h"
#include "app/cli/lockevents.h"
#include "app/cli/output.h"
#include "app/cli/watchedvotes.h"

#include <QStringList>

#include <functional>

namespace latchkey::cli {

/// A printer of lock events, one line each, as text or JSON: the events of the locks of each server, and of the votes
/// of independent servers. It flushes each line, because another program may be reading. Owned by the command, and
/// outlives the locks that it follows. The clock is not owned.
class WatchPrinter final
{
public:
    /// `events`: words of the events to print; empty: all.
    WatchPrinter(const base::Clock &clock, bool json, QStringList events = {})
        : m_clock(clock)
        , m_json(json)
        , m_events(std::move(events))
    {}

    /// Returns the words of the events of the locks of one server, in the order of the help.
    [[nodiscard]] static QStringList lockEvents();
    /// Returns the words of the events of votes; see WatchedVotes.
    [[nodiscard]] static QStringList voteEvents();
    /// Reads --event. Error (Usage): an event that is not one of `known`.
    [[nodiscard]] static base::Result<QStringList> eventsFrom(const Arguments &arguments, const QStringList &known);
    [[nodiscard]] static QCommandLineOption eventOption(const QStringList &known, const QString &description);

    /// Function that returns the longest time between a change and its first notification. Absent if unknown.
    using EventDelay = std::function<std::optional<std::chrono::nanoseconds>(const events::KeyEvent &)>;
    using Printed = std::function<void(QLatin1String event)>;
    /// Prints all events of these locks from now on. `printed`: called after each line, with the event word. `origin`:
    /// the server, if it is one of several.
    void connectTo(const LockEvents &locks, const EventDelay &eventDelay, const Printed &printed,
                   const EventOrigin &origin = {});
    /// Prints all events of these votes from now on. `servers`: the addresses, in the order of the votes.
    void connectTo(const WatchedVotes &votes, const QStringList &servers, const Printed &printed);
    /// Stops printing.
    void close() { m_isClosed = true; }
    /// Returns the number of ends of an unknown kind that were not printed. Counted only if a wanted event is an end,
    /// because these ends may be of that kind.
    [[nodiscard]] int hiddenEnds() const { return m_hiddenEnds; }

private:
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
        bool mayBeOwnRead = false;
        /// Remark on a lock that is absent or different on the new primary after a failover; empty without one.
        QString failover {};
        EventOrigin origin {};
    };
    [[nodiscard]] static Line lineOf(const events::KeyEvent &keyEvent, const LockDescription &description,
                                     const std::optional<std::chrono::nanoseconds> &eventDelay);
    [[nodiscard]] bool isWanted(QLatin1String event);
    void print(const Line &line, const Printed &printed);
    void printJsonLine(const Line &line, base::WallTime at) const;
    void printText(const Line &line, base::WallTime at) const;
    void print(const WatchedVotes::Event &event, const QStringList &servers, const Printed &printed);
    void printJsonLine(const WatchedVotes::Event &event, const QStringList &servers) const;
    void printText(const WatchedVotes::Event &event, const QStringList &servers) const;

    const base::Clock &m_clock; // Not owned.
    const bool m_json;
    const QStringList m_events; ///< Empty: all.
    int m_hiddenEnds = 0;
    bool m_isClosed = false;
};

} // namespace latchkey::cli
