#pragma once

#include "core/recording/format.h"

#include <QIODevice>

#include <memory>

namespace latchkey::recording {

/// Reads a recording entry by entry, and keeps nothing of it: its size does not matter.
///
/// What is whole is read; where it is cut off, or is no recording any more, it ends, and problem() says so.
/// Owned by a Replay.
class Reader final
{
    Q_DISABLE_COPY_MOVE(Reader)

public:
    /// Error (Local): it cannot be read; (Usage): it is no recording, with the line.
    [[nodiscard]] static base::Result<std::unique_ptr<Reader>> open(const QString &path);
    /// From a device that is open.
    [[nodiscard]] static base::Result<std::unique_ptr<Reader>> open(std::unique_ptr<QIODevice> device);

    [[nodiscard]] const Heading &heading() const { return m_heading; }
    /// The next one; absent at the end.
    [[nodiscard]] std::optional<Entry> next();
    /// Why it ends where it does, in one sentence with the place; absent where it was ended by the program that
    /// recorded, or where the end is not reached yet.
    [[nodiscard]] const std::optional<base::Error> &problem() const { return m_problem; }

    /// The time of its last whole line, as far as can be told without reading all.
    [[nodiscard]] base::MonotonicTime lastTime();
    [[nodiscard]] qint64 size() const { return m_device->size(); }
    /// How many bytes have been read.
    [[nodiscard]] qint64 position() const { return m_device->pos() - (m_read.size() - m_taken); }

private:
    explicit Reader(std::unique_ptr<QIODevice> device)
        : m_device(std::move(device))
    {}
    [[nodiscard]] QByteArray readLine(qsizetype longest);
    [[nodiscard]] base::Result<void> readHeading();
    /// Of the line that was read last.
    [[nodiscard]] base::Error at(const base::Text &what) const;

    std::unique_ptr<QIODevice> m_device;
    QByteArray m_read;     ///< Of the device, and
    qsizetype m_taken = 0; ///< so much of it by us.
    Decoder m_decoder;
    Heading m_heading;
    qint64 m_line = 0;      ///< Counted from 1.
    qint64 m_lineBegan = 0; ///< In bytes.
    bool m_isOver = false;
    std::optional<base::Error> m_problem;
};

} // namespace latchkey::recording
