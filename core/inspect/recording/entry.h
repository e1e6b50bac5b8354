#pragma once

#include "core/inspect/history/hold.h"
#include "core/inspect/recognition/recognition.h"
#include "core/keyspace/events/coverage.h"
#include "core/keyspace/watching/eventsource.h"
#include "core/keyspace/watching/watcher.h"

#include <variant>

namespace latchkey::recording {

/// The first line of a recording: data about the recording itself. A value type.
struct Header
{
    QString program;         ///< Version of the program that wrote it.
    QString server;          ///< The watched server as shown to users, without a password.
    base::WallTime started;  ///< Start of the recording.
    bool hasValues = true;   ///< False: each value is a digest.
    bool hasCoverage = true; ///< False if an older program wrote the recording without coverage.

    friend bool operator==(const Header &, const Header &) = default;
};

/// The state of watching from this moment on, and the known data of the server. In a replay, the watcher and the event
/// source of the ReplayNode return these values. A value type.
struct WatchState
{
    watching::Watcher::Phase phase = watching::Watcher::Phase::Away;
    watching::EventSource::Mechanism mechanism = watching::EventSource::Mechanism::None;
    quint64 keysScanned = 0;
    qint64 databaseSize = 0;
    bool isIncomplete = false;
    bool hasChangeEvents = false;
    bool hasFastFirstScan = true;
    bool isNoTouchActive = false;
    std::optional<std::chrono::milliseconds> newKeyDelay;
    std::optional<std::chrono::milliseconds> unseenFor;
    std::optional<base::MonotonicTime> lastScanBegan;
    std::optional<base::MonotonicTime> processSince;    ///< See InspectedServer::processSince().
    std::optional<std::chrono::nanoseconds> eventDelay; ///< See EventSource::delay().
    QString problem;                                    ///< A sentence; empty: no problem.
    QString denial; ///< A sentence with the reason why no changes are reported; empty: no reason.
    QString server; ///< "Redis 7.2.4"
    QString runId;
    QString primary; ///< Host and port of the primary that sentinels have named; empty without sentinels.

    friend bool operator==(const WatchState &, const WatchState &) = default;
};

/// The coverage of the observations from this moment on.
struct Covered
{
    events::Coverage::Parts parts; ///< The members `now` and `needed` are not recorded.
    bool isGapChanged = false;     ///< Whether a gap in the observation has begun or ended at this moment.
};

/// An observation that the database was empty at some moment between these times.
struct EmptyDatabase
{
    base::MonotonicTime asked;
    base::MonotonicTime answered;
};

/// A notification that all keys of some database were removed, or exchanged, at once.
struct FlushReceived
{
    base::MonotonicTime at;
    events::FlushKind kind = events::FlushKind::Any;
};

/// A notification that all events before this time were delivered.
struct ReceivedUpTo
{
    base::MonotonicTime time;
};

/// A reply to a request about something other than keys.
struct ReplyEntry
{
    resp::Commands commands;
    net::Connection::Delivery delivery;
};

/// A mark that all earlier observations were visible in the recording program. A replay then calls
/// InspectedServer::commitNow().
struct DisplayMark
{};

/// A change of a key by the recording program.
struct OwnChangeEntry
{
    QByteArray key;
    history::OwnChange change;
};

/// The recognition of an omitted value.
struct RecognitionEntry
{
    QByteArray key;
    keys::RawValue value; ///< Value with a digest in place of each part.
    recognition::Recognition recognition;
};

/// A mark that the recording ended properly and was not truncated.
struct EndMarker
{
    bool isAtLimit = false; ///< Whether the recording had reached its size limit, while the server was still watched.
};

/// The content of one line of a recording. A value type.
struct Entry
{
    base::MonotonicTime at; ///< Time at which the recording program received the content.
    std::variant<events::Observations, EmptyDatabase, events::EventCoverage, FlushReceived, ReceivedUpTo, WatchState,
                 ReplyEntry, DisplayMark, OwnChangeEntry, RecognitionEntry, Covered, EndMarker>
        what;
};

} // namespace latchkey::recording
