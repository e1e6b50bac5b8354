#pragma once

#include "core/foundation/base/error.h"

#include <QIODevice>
#include <QTimer>

#include <memory>

namespace latchkey::recording {

/// A writer of the lines of a recording to a file. At most maxUnwritten bytes are buffered, for at most a second,
/// so that little is lost if the program is killed. After a write error nothing more is written; the file is usable up
/// to that point. Owned by a Recorder.
class RecordingWriter final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RecordingWriter)

public:
    static constexpr qsizetype maxUnwritten = qsizetype(64) * 1024;

    /// Creates or replaces a file that only its owner can read. Error Usage: the file exists and must not be replaced;
    /// Local: it cannot be created.
    [[nodiscard]] static base::Result<std::unique_ptr<RecordingWriter>> create(const QString &path, bool mayReplace);
    /// Writes to an open device.
    explicit RecordingWriter(std::unique_ptr<QIODevice> device);
    ~RecordingWriter() override;

    void write(const QByteArray &line);
    /// Writes the buffered lines.
    void flush();
    /// Writes the buffered lines, and stops writing. The reason becomes the error; no effect after an error.
    void stop(base::Error reason);
    /// Returns the number of bytes that were written or buffered.
    [[nodiscard]] qint64 size() const { return m_written + m_unwritten.size(); }
    /// Returns why writing has stopped. Absent while it continues.
    [[nodiscard]] const std::optional<base::Error> &error() const { return m_error; }

Q_SIGNALS:
    /// Emitted when writing has stopped, from the event loop and within a second after the failed write.
    void failed(const latchkey::base::Error &error);

private:
    void fail(base::Error error);

    std::unique_ptr<QIODevice> m_device;
    QByteArray m_unwritten;
    QTimer m_flush;
    qint64 m_written = 0;
    std::optional<base::Error> m_error;
};

} // namespace latchkey::recording
