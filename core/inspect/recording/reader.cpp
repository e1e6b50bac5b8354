#include "core/inspect/recording/reader.h"

#include "core/foundation/files/inputfile.h"
#include "core/inspect/recording/replayclock.h"

#include <QFile>

#include <algorithm>
#include <utility>

namespace latchkey::recording {

using base::Error;
using base::ErrorKind;
using base::Result;
using base::Text;

namespace {

/// Length limit of the heading in bytes, so that a file without a heading is not read in full.
constexpr qsizetype maxHeaderLength = qsizetype(64) * 1024;
/// Number of bytes that are read from the file at once.
constexpr qint64 readAtOnce = qint64(256) * 1024;
/// Number of bytes at the end that are searched for the time of the last line.
constexpr qint64 searchedBytes = qint64(256) * 1024;

/// Returns whether a recording can contain this time. Observations at the start can be slightly older than the start.
bool isPossible(base::MonotonicTime time)
{
    constexpr auto longest = std::chrono::years(10);
    return time >= ReplayClock::zero - std::chrono::hours(1) && time <= ReplayClock::zero + longest;
}

} // namespace

Result<std::unique_ptr<Reader>> Reader::open(const QString &path)
{
    auto file = std::make_unique<QFile>(path);
    if (const auto opened = files::openForReading(*file); !opened)
        return base::failure(opened.error().during(Text(path)));
    auto reader = open(std::unique_ptr<QIODevice>(std::move(file)));
    if (!reader)
        return base::failure(reader.error().during(Text(path)));
    return reader;
}

Result<std::unique_ptr<Reader>> Reader::open(std::unique_ptr<QIODevice> device)
{
    std::unique_ptr<Reader> reader(new Reader(std::move(device)));
    const auto heading = reader->readHeading();
    if (!heading)
        return base::failure(heading.error());
    return reader;
}

Error Reader::at(const Text &what) const
{
    return {ErrorKind::Usage, Text(QT_TRANSLATE_NOOP("core", "line %1, at byte %2: %3"), QString::number(m_line),
                                   QString::number(m_lineBegan), what)};
}

/// Returns the next line with its line end; without it if the file ends earlier or the line is longer than `longest`.
/// Valid until the next call.
QByteArray Reader::readLine(qsizetype longest)
{
    qsizetype searched = m_taken;
    qsizetype end = m_read.indexOf('\n', searched);
    while (end < 0 && m_read.size() - m_taken < longest) {
        searched = m_read.size() - m_taken;
        m_read.remove(0, std::exchange(m_taken, 0));
        const QByteArray more = m_device->read(readAtOnce);
        if (more.isEmpty())
            break;
        m_read += more;
        end = m_read.indexOf('\n', searched);
    }
    const qsizetype length = std::min(end < 0 ? m_read.size() - m_taken : end + 1 - m_taken, longest);
    const char *line = m_read.constData() + std::exchange(m_taken, m_taken + length);
    return QByteArray::fromRawData(line, length);
}

Result<void> Reader::readHeading()
{
    m_line = 1;
    const QByteArray line = readLine(maxHeaderLength);
    if (line.isEmpty())
        return base::failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "it is empty, and so no recording"));
    auto heading = m_decoder.heading(line);
    if (!heading && !line.endsWith('\n') && line.startsWith("{\"latchkey_recording\""))
        return base::failure(at(Text(QT_TRANSLATE_NOOP("core", "it is cut off before anything was recorded"))));
    if (!heading)
        return base::failure(at(heading.error().text));
    m_heading = *heading;
    return {};
}

std::optional<Entry> Reader::next()
{
    if (m_isOver)
        return std::nullopt;
    ++m_line;
    m_lineBegan = position();
    const QByteArray line = readLine(maxLineLength + 2);
    if (!line.isEmpty() && line.size() > maxLineLength) {
        m_problem =
            at(Text(QT_TRANSLATE_NOOP("core", "it is longer than any line of a recording; what came before it is "
                                              "shown")));
    } else if (line.isEmpty() || !line.endsWith('\n')) {
        m_problem = at(Text(QT_TRANSLATE_NOOP("core", "the recording is cut off here; what came before it is shown")));
        if (const auto last = m_decoder.entry(line); last && std::holds_alternative<EndMarker>(last->what))
            m_problem.reset(); // Only the line end is missing.
    } else {
        auto entry = m_decoder.entry(line);
        if (!entry)
            m_problem = at(Text(QT_TRANSLATE_NOOP("core", "%1; what came before it is shown"), entry.error().text));
        else if (!isPossible(entry->at))
            m_problem = at(Text(QT_TRANSLATE_NOOP(
                "core", "its time is not within ten years of the start; what came before it is shown")));
        else
            return accept(std::move(*entry));
    }
    m_isOver = true;
    return std::nullopt;
}

/// Returns the entry. After an end marker, the recording is over.
Entry Reader::accept(Entry entry)
{
    const auto *end = std::get_if<EndMarker>(&entry.what);
    m_isOver = end != nullptr;
    if (end != nullptr && end->isAtLimit)
        m_problem =
            at(Text(QT_TRANSLATE_NOOP("core", "the recording ends here at its size limit; later events were not "
                                              "recorded")));
    return entry;
}

base::MonotonicTime Reader::lastTime()
{
    const qint64 here = m_device->pos();
    m_device->seek(std::max(position(), m_device->size() - searchedBytes));
    const QByteArray end = m_device->readAll();
    m_device->seek(here);
    const auto lines = end.split('\n');
    for (auto line = lines.crbegin(); line != lines.crend(); ++line) {
        if (const auto time = timeOf(*line); time && isPossible(*time))
            return *time;
    }
    return ReplayClock::zero;
}

} // namespace latchkey::recording
