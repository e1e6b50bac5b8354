#include "core/inspect/recording/quickline.h"

#include "core/inspect/recording/observationjson.h"
#include "core/inspect/recording/replayclock.h"

#include <algorithm>

namespace latchkey::recording {

using base::Deadline;
using base::MonotonicTime;
using events::AccessDenied;
using events::ChangeNotification;
using events::Exists;
using events::ExistsOnly;
using events::Gone;
using events::Observation;
using events::ObservationContent;
using events::Observations;
using events::TypeReply;
using events::ValueReply;
using std::chrono::nanoseconds;

namespace {

/// Every number with at most this many digits fits a qint64 and is a valid clock time.
constexpr int maxDigits = 17;

MonotonicTime timeAt(qint64 sinceStart)
{
    return ReplayClock::zero + nanoseconds(sinceStart);
}

/// A cursor that reads a line from left to right. The first mismatch is permanent: all further reads fail.
class Cursor final
{
public:
    explicit Cursor(QByteArrayView line)
        : m_line(line)
    {}

    [[nodiscard]] bool isFine() const { return m_isFine; }
    /// Consumes this text if it comes next, and returns whether it did. A mismatch is not a failure.
    [[nodiscard]] bool has(QByteArrayView text)
    {
        if (!m_isFine || !m_line.sliced(m_at).startsWith(text))
            return false;
        m_at += text.size();
        return true;
    }
    void expect(QByteArrayView text) { m_isFine = has(text); }
    [[nodiscard]] bool isAtEnd() const { return m_at == m_line.size(); }

    [[nodiscard]] qint64 number()
    {
        const bool isNegative = has("-");
        const qsizetype first = m_at;
        qint64 number = 0;
        for (; m_at < m_line.size() && m_line[m_at] >= '0' && m_line[m_at] <= '9'; ++m_at) {
            // A valid number has no leading zeros.
            if (m_at - first >= maxDigits || (m_at > first && m_line[first] == '0')) {
                m_isFine = false;
                return 0;
            }
            number = number * 10 + (m_line[m_at] - '0');
        }
        m_isFine = m_isFine && m_at > first; // A fraction fails at the next expected text.
        return isNegative ? -number : number;
    }
    /// Reads a string. Text other than plain ASCII fails and is left to the full parser.
    [[nodiscard]] QByteArrayView text()
    {
        expect("\"");
        if (!m_isFine)
            return {};
        const qsizetype first = m_at;
        while (m_at < m_line.size() && m_line[m_at] >= ' ' && m_line[m_at] < '\x7f' && m_line[m_at] != '"'
               && m_line[m_at] != '\\')
            ++m_at;
        const QByteArrayView found = m_line.sliced(first, m_at - first);
        expect("\"");
        return found;
    }
    [[nodiscard]] bool isAtText() const { return m_at < m_line.size() && m_line[m_at] == '"'; }

private:
    QByteArrayView m_line;
    qsizetype m_at = 0;
    bool m_isFine = true;
};

ObservationContent end(Cursor &cursor)
{
    Exists exists {Deadline::never()};
    cursor.expect(",");
    if (!cursor.has("null")) {
        const MonotonicTime at = timeAt(cursor.number());
        cursor.expect(",");
        exists.deadline = Deadline(at, nanoseconds(cursor.number()));
    } else {
        cursor.expect(",");
        (void)cursor.number();
    }
    exists.isNew = cursor.has(",true");
    return exists;
}

ObservationContent value(Cursor &cursor, bool isLeftOut)
{
    keys::RawValue value;
    value.isLeftOut = isLeftOut;
    cursor.expect(",");
    value.type = keys::keyTypeFrom(cursor.text().toByteArray());
    cursor.expect(",");
    value.size = cursor.number();
    cursor.expect(",[");
    if (!cursor.has("]")) {
        do {
            value.parts.push_back(cursor.text().toByteArray());
        } while (cursor.has(","));
        cursor.expect("]");
    }
    return ValueReply {std::move(value)};
}

std::optional<ObservationContent> contentFrom(Cursor &cursor, bool isLeftOut)
{
    const QByteArrayView word = cursor.text();
    if (word == "ends")
        return end(cursor);
    if (word == "value")
        return value(cursor, isLeftOut);
    if (word == "gone")
        return Gone {};
    if (word == "met")
        return ExistsOnly {};
    if (word == "hidden")
        return AccessDenied {};
    if (word != "told" && word != "type")
        return std::nullopt;
    cursor.expect(",");
    const QByteArray said = cursor.text().toByteArray();
    if (word == "told")
        return ChangeNotification {said};
    return TypeReply {keys::keyTypeFrom(said)};
}

/// Reads one observation of a list; its times are relative to the line's time. Returns false if the full parser is
/// needed.
bool readObservation(Cursor &cursor, const QList<QByteArray> &known, QList<QByteArray> &come, bool isLeftOut,
                     Observations &observations)
{
    Observation observation;
    if (cursor.isAtText()) {
        observation.key = cursor.text().toByteArray();
        come.push_back(observation.key);
    } else {
        const qint64 number = cursor.number();
        if (!cursor.isFine() || number < 0 || number >= known.size() + come.size())
            return false;
        observation.key = number < known.size() ? known.at(number) : come.at(number - known.size());
    }
    cursor.expect(",");
    const bool hasSource = setSource(observation, cursor.text());
    cursor.expect(",");
    observation.asked = MonotonicTime(nanoseconds(cursor.number()));
    cursor.expect(",");
    observation.answered = MonotonicTime(nanoseconds(cursor.number()));
    cursor.expect(",");
    auto content = contentFrom(cursor, isLeftOut);
    cursor.expect("]");
    if (!cursor.isFine() || !hasSource || !content)
        return false;
    observation.content = std::move(*content);
    observations.push_back(std::move(observation));
    return true;
}

std::optional<Entry> seenEntry(Cursor &cursor, QList<QByteArray> &keys, bool isLeftOut)
{
    Observations observations;
    QList<QByteArray> come;
    do {
        cursor.expect("[");
        if (!cursor.isFine() || !readObservation(cursor, keys, come, isLeftOut, observations))
            return std::nullopt;
    } while (cursor.has(","));
    cursor.expect("],\"t\":");
    const MonotonicTime at = timeAt(cursor.number());
    cursor.expect("}\n");
    if (!cursor.isFine() || !cursor.isAtEnd())
        return std::nullopt;
    for (Observation &observation : observations) {
        observation.asked = at - observation.asked.time_since_epoch();
        observation.answered = at - observation.answered.time_since_epoch();
    }
    keys += come;
    return Entry {at, std::move(observations)};
}

} // namespace

std::optional<Entry> parseFrequentEntry(QByteArrayView line, QList<QByteArray> &keys, bool isLeftOut)
{
    Cursor cursor(line);
    if (cursor.has("{\"seen\":["))
        return seenEntry(cursor, keys, isLeftOut);
    Entry entry;
    if (cursor.has("{\"heard\":"))
        entry.what = ReceivedUpTo {timeAt(cursor.number())};
    else if (cursor.has("{\"shown\":true"))
        entry.what = DisplayMark {};
    else
        return std::nullopt;
    cursor.expect(",\"t\":");
    entry.at = timeAt(cursor.number());
    cursor.expect("}\n");
    return cursor.isFine() && cursor.isAtEnd() ? std::optional(std::move(entry)) : std::nullopt;
}

std::optional<RoundTripLine> quickRoundTrip(QByteArrayView line)
{
    Cursor cursor(line);
    if (!cursor.has("{\"t\":"))
        return std::nullopt;
    RoundTripLine said;
    said.at = timeAt(cursor.number());
    cursor.expect(",\"watch\":{\"round_trip\":");
    said.roundTrip = nanoseconds(cursor.number());
    cursor.expect("}}\n");
    return cursor.isFine() && cursor.isAtEnd() ? std::optional(said) : std::nullopt;
}

} // namespace latchkey::recording
