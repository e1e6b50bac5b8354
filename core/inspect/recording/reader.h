#pragma once

#include "core/inspect/recording/format.h"

#include <QIODevice>

#include <memory>

namespace latchkey::recording {

/// A reader of a recording that reads entry by entry and keeps nothing, so the size of the recording does not matter.
///
/// All complete lines are read. Reading ends at a truncated or invalid line, and problem() gives the reason. Owned by a
/// Replay.
class Reader final
{
    Q_DISABLE_COPY_MOVE(Reader)

public:
    /// Opens a file. Error Local: the file cannot be read; Usage: it is not a recording, with the line.
    [[nodiscard]] static base::Result<std::unique_ptr<Reader>> open(const QString &path);
    /// Reads from an open device.
    [[nodiscard]] static base::Result<std::unique_ptr<Reader>> open(std::unique_ptr<QIODevice> device);

    [[nodiscard]] const Header &heading() const { return m_heading; }
    /// Returns the next entry; absent after the EndMarker, which is the last entry of a complete recording.
    [[nodiscard]] std::optional<Entry> next();
    /// Returns why the recording ends early, as one sentence with the location. Absent if the recording ended properly
    /// or the end is not reached yet.
    [[nodiscard]] const std::optional<base::Error> &problem() const { return m_problem; }

    /// Returns the time of the last complete line, as far as it can be determined without reading everything.
    [[nodiscard]] base::MonotonicTime lastTime();
    [[nodiscard]] qint64 size() const { return m_device->size(); }
    /// Returns the number of bytes that were read.
    [[nodiscard]] qint64 position() const { return m_device->pos() - (m_read.size() - m_taken); }

private:
    explicit Reader(std::unique_ptr<QIODevice> device)
        : m_device(std::move(device))
    {}
    [[nodiscard]] Entry accept(Entry entry);
    [[nodiscard]] QByteArray readLine(qsizetype longest);
    [[nodiscard]] base::Result<void> readHeading();
    /// Returns an error about the last line that was read.
    [[nodiscard]] base::Error at(const base::Text &what) const;

    std::unique_ptr<QIODevice> m_device;
    QByteArray m_read;     ///< Data read from the device.
    qsizetype m_taken = 0; ///< Part of m_read that was consumed.
    Decoder m_decoder;
    Header m_heading;
    qint64 m_line = 0;      ///< Line number, from 1.
    qint64 m_lineBegan = 0; ///< Offset of the line in bytes.
    bool m_isOver = false;
    std::optional<base::Error> m_problem;
};

} // namespace latchkey::recording
