#pragma once

#include "core/history/hold.h"
#include "core/keyspace/eventsource.h"
#include "core/keyspace/watcher.h"
#include "core/recognition/recognition.h"

#include <variant>

namespace latchkey::recording {

/// What a recording says of itself before anything else. A value.
struct Heading
{
    QString program;        ///< The version that has written it.
    QString server;         ///< Which server was watched, as people are shown it: without a password.
    base::WallTime started; ///< When it began.
    bool hasValues = true;  ///< Else each value is a digest.

    friend bool operator==(const Heading &, const Heading &) = default;
};

/// How the server was watched from then on, and what it had said of itself: what a node's parts answer. A value.
struct Watched
{
    keyspace::Watcher::Phase phase = keyspace::Watcher::Phase::Away;
    keyspace::EventSource::Means means = keyspace::EventSource::Means::None;
    quint64 keysMet = 0;
    qint64 databaseSize = 0;
    bool isIncomplete = false;
    bool isToldOfChanges = false;
    bool hasFastFirstScan = true;
    bool isUntouching = false;
    std::optional<std::chrono::milliseconds> newKeysMetWithin;
    std::optional<std::chrono::milliseconds> unseenFor;
    std::optional<std::chrono::nanoseconds> roundTrip;
    QString problem; ///< One sentence; empty: there was none.
    QString denial;  ///< Likewise, why nothing is heard.
    QString server;  ///< "Redis 7.2.4"
    QString runId;

    friend bool operator==(const Watched &, const Watched &) = default;
};

/// No key was there any more between these times.
struct Emptied
{
    base::MonotonicTime asked;
    base::MonotonicTime answered;
};

/// All keys of some database have gone at once.
struct FlushHeard
{
    base::MonotonicTime at;
};

/// All that has happened before that time has been told.
struct HeardUpTo
{
    base::MonotonicTime time;
};

/// Something else than keys was asked.
struct Answered
{
    resp::Commands commands;
    resp::Connection::Delivery delivery;
};

/// What was observed until then had been shown: see InspectedServer::showObserved().
struct Shown
{};

/// Somebody has done this to a key from there.
struct Acted
{
    QByteArray key;
    history::OwnAct act;
};

/// What was recognised of a value that is left out.
struct Recognised
{
    QByteArray key;
    keys::RawValue value; ///< Its digests.
    recognition::Recognition recognition;
};

/// The recording was ended, and not cut off.
struct Ended
{};

/// What one line of a recording says. A value.
struct Entry
{
    base::MonotonicTime at; ///< When it came to be known.
    std::variant<keyspace::Observations, Emptied, keyspace::Hearing, FlushHeard, HeardUpTo, Watched, Answered, Shown,
                 Acted, Recognised, Ended>
        what;
};

} // namespace latchkey::recording
