#pragma once

#include "core/foundation/base/error.h"
#include "core/inspect/recording/entry.h"

#include <QHash>
#include <QJsonObject>

namespace latchkey::recording {

/// The format of a recording: lines of JSON, so that the complete lines of a cut-off recording can be read.
///
/// The first line is the heading: `{"latchkey_recording": 3, "program": …, "server": …, "started_ms": …, "values": …}`.
/// The current version of the format is 3. Version 1 had no coverage (see Header::hasCoverage); version 2 wrote a bulk
/// string as `{"bulk": …}`. `started_ms` is in Unix time. `values` is false if the values are omitted. Every other line
/// has its time as `t`, and one of the following. All times are nanoseconds since the start; null means unknown.
///
/// * `seen`: a list of observations, see observationjson.h.
/// * `watch`: the state of watching from now on; absent members are unchanged.
/// * `coverage`: the coverage from now on, see coveragejson.h; absent members are unchanged. `sight` is true if an
/// interval without observations has begun or ended.
/// * `hearing`, `flush`, `heard`, `emptied`: the calls eventCoverageChanged(), flushAnnounced(), receivedUpTo() and
///   emptied() of an ObservationListener.
/// * `flush_kind`: with `flush`, the events::FlushKind as a number; absent: 0.
/// * `answer`: other requests and their replies, see core/redis/resp/respjson.h.
/// * `recognised`: the recognition of a value that is left out.
/// * `act`: a change of a key by the recording program.
/// * `shown`: the observations until now were visible in the program.
/// * `end`: the recording was ended; without it the recording is cut off.
///
/// Bytes are a string if they are valid UTF-8, otherwise `{"base64": …}`.
inline constexpr int formatVersion = 3;

/// Length limit of a line in bytes, for writing and reading.
inline constexpr qsizetype maxLineLength = qsizetype(16) * 1024 * 1024;

/// A writer of lines. A key is written once and then represented by a number, so one encoder must write all lines of a
/// recording, in their order. Owned by the code that records.
class Encoder final
{
public:
    /// Creates an encoder. `zero`: start of the recording.
    explicit Encoder(base::MonotonicTime zero)
        : m_zero(zero)
    {}

    // Each result includes the line end.
    [[nodiscard]] static QByteArray heading(const Header &heading);
    [[nodiscard]] QByteArray line(const Entry &entry);

private:
    [[nodiscard]] QJsonObject coveredJson(const Covered &covered);

    base::MonotonicTime m_zero;
    QHash<QByteArray, qint64> m_keys; ///< Bounded: see maxKeys in observationjson.h.
    WatchState m_watched;
    bool m_hasWatched = false;
    std::optional<events::Coverage::Parts> m_covered;
};

/// A reader of lines, in their order. An error (Usage) is one sentence about the line, without its number. All times
/// are on the clock of a replay. Owned by a Reader.
class Decoder final
{
public:
    [[nodiscard]] base::Result<Header> heading(const QByteArray &line);
    [[nodiscard]] base::Result<Entry> entry(const QByteArray &line);
    /// Reads a line in any notation. entry() parses most lines faster and uses this function for the others.
    [[nodiscard]] base::Result<Entry> anyEntry(const QByteArray &line);

private:
    [[nodiscard]] std::optional<Covered> coveredFrom(const QJsonObject &json);

    QList<QByteArray> m_keys;
    WatchState m_watched;
    events::Coverage::Parts m_covered;
    bool m_hasValues = true;
};

/// Returns the time of a line, whatever its content. Absent if the line has none. Used to find the end of a recording
/// that was not read yet.
[[nodiscard]] std::optional<base::MonotonicTime> timeOf(const QByteArray &line);

} // namespace latchkey::recording
