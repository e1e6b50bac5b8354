#pragma once

#include "core/base/error.h"
#include "core/recording/entry.h"

#include <QHash>
#include <QJsonObject>

namespace latchkey::recording {

/// The format of a recording: lines of JSON, so that what is whole of one that was cut off can be read.
///
/// The first line is the heading: `{"latchkey_recording": 1, "program": …, "server": …, "started_ms": …, "values": …}`;
/// 1 is the version of the format, started_ms is in Unix time, and values is false where they are left out. Every other
/// line has its time as `t`, and one of the following. All times are nanoseconds since the start, null: unknown.
///
/// * `seen`: a list of observations, see observationjson.h.
/// * `watch`: how the server is watched from then on; what is not named is as before.
/// * `hearing`, `flush`, `heard`, `emptied`: what an ObservationListener is told.
/// * `answer`: what else was asked, and the replies.
/// * `recognised`: what was recognised of a value that is left out.
/// * `act`: what was done to a key by the program that recorded.
/// * `shown`: the program had taken in by then what was observed.
/// * `end`: it was ended; without it the recording is cut off.
///
/// Bytes are a text where they are UTF-8, else `{"base64": …}`.
inline constexpr int formatVersion = 1;

/// No line is longer; nor is it read if it is.
inline constexpr qsizetype longestLine = qsizetype(16) * 1024 * 1024;

/// Writes lines. A key is written once and has a number from then on: so it has to write all lines of a recording.
/// Owned by the code that records.
class Encoder final
{
public:
    /// zero: the time at which the recording starts.
    explicit Encoder(base::MonotonicTime zero)
        : m_zero(zero)
    {}

    // Each with its line end.
    [[nodiscard]] static QByteArray heading(const Heading &heading);
    [[nodiscard]] QByteArray line(const Entry &entry);

private:
    base::MonotonicTime m_zero;
    QHash<QByteArray, qint64> m_keys; ///< Bounded: see mostKeys in observationjson.h.
    Watched m_watched;
    bool m_hasWatched = false;
};

/// Reads lines, in their order. Errors (Usage) are one sentence about the line, without saying which it is.
/// Owned by a Reader. All times are on the clock of a replay.
class Decoder final
{
public:
    [[nodiscard]] base::Result<Heading> heading(const QByteArray &line);
    [[nodiscard]] base::Result<Entry> entry(const QByteArray &line);
    /// The same, however it is written; entry() reads most lines in a quicker way, and all others with this.
    [[nodiscard]] base::Result<Entry> anyEntry(const QByteArray &line);

private:
    QList<QByteArray> m_keys;
    Watched m_watched;
    bool m_hasValues = true;
};

/// When a line was written, whatever it says; absent where it is none. For the end of a recording that has not been
/// read.
[[nodiscard]] std::optional<base::MonotonicTime> timeOf(const QByteArray &line);

} // namespace latchkey::recording
