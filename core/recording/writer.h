#pragma once

#include "core/base/error.h"

#include <QIODevice>
#include <QTimer>

#include <memory>

namespace latchkey::recording {

/// Writes the lines of a recording into a file: no more than longestUnwritten is ever kept back, nor for longer than a
/// second, so that little is lost if the program is killed. What cannot be written ends it; the file is of use as far
/// as it got. Owned by a Recorder.
class Writer final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Writer)

public:
    static constexpr qsizetype longestUnwritten = qsizetype(64) * 1024;

    /// A new file that only its owner can read. Error (Usage): there is one already, unless it may be replaced;
    /// (Local): it cannot be made.
    [[nodiscard]] static base::Result<std::unique_ptr<Writer>> create(const QString &path, bool mayReplace);
    /// Into a device that is open.
    explicit Writer(std::unique_ptr<QIODevice> device);
    ~Writer() override;

    void write(const QByteArray &line);
    /// Hands on what is kept back.
    void flush();
    /// Writes what is kept back, and nothing more. The reason becomes the error; no effect after an error.
    void stop(base::Error reason);
    /// Bytes written, and kept back.
    [[nodiscard]] qint64 size() const { return m_written + m_unwritten.size(); }
    /// Why nothing more is written; absent as long as it is.
    [[nodiscard]] const std::optional<base::Error> &error() const { return m_error; }

Q_SIGNALS:
    /// Nothing is written any more. Emitted from the event loop, within a second of the write that failed.
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
