#include "core/inspect/recording/recordingwriter.h"

#include "core/foundation/files/savedfile.h"

#include <QFile>
#include <QFileInfo>

namespace latchkey::recording {

using base::ErrorKind;
using base::Result;

namespace {

constexpr auto flushInterval = std::chrono::seconds(1);

} // namespace

Result<std::unique_ptr<RecordingWriter>> RecordingWriter::create(const QString &path, bool mayReplace)
{
    auto file = std::make_unique<QFile>(path);
    if (!mayReplace && file->exists())
        return base::failure(ErrorKind::Usage,
                             QT_TRANSLATE_NOOP("core", "%1: it is there already, and is not replaced"), path);
    const auto mode =
        QIODevice::WriteOnly | QIODevice::Unbuffered | (mayReplace ? QIODevice::Truncate : QIODevice::NewOnly);
    constexpr QFileDevice::Permissions ownerOnly = QFileDevice::ReadOwner | QFileDevice::WriteOwner;
    if (!file->open(mode, ownerOnly))
        return base::failure(ErrorKind::Local, QT_TRANSLATE_NOOP("core", "%1: %2"), path, file->errorString());
    // A replaced file keeps its permissions, and others must not read the values. A device keeps its own.
    if (QFileInfo(path).isFile() && !file->setPermissions(ownerOnly))
        return base::failure(ErrorKind::Local, QT_TRANSLATE_NOOP("core", "%1: %2"), path, file->errorString());
    return std::make_unique<RecordingWriter>(std::move(file));
}

RecordingWriter::RecordingWriter(std::unique_ptr<QIODevice> device)
    : m_device(std::move(device))
{
    m_flush.setInterval(flushInterval);
    connect(&m_flush, &QTimer::timeout, this, &RecordingWriter::flush);
    m_flush.start();
}

RecordingWriter::~RecordingWriter()
{
    flush();
}

void RecordingWriter::write(const QByteArray &line)
{
    if (m_error)
        return;
    m_unwritten += line;
    if (m_unwritten.size() > maxUnwritten)
        flush();
}

void RecordingWriter::flush()
{
    if (m_error || m_unwritten.isEmpty())
        return;
    const bool isWhole = files::writeAll(*m_device, m_unwritten);
    if (isWhole)
        m_written += m_unwritten.size();
    m_unwritten.clear();
    // A partially written last line counts as the end of a truncated recording.
    if (!isWhole)
        fail({ErrorKind::Local,
              base::Text(QT_TRANSLATE_NOOP("core", "the recording cannot be written: %1"), m_device->errorString())});
}

void RecordingWriter::stop(base::Error reason)
{
    flush();
    if (!m_error)
        fail(std::move(reason));
}

void RecordingWriter::fail(base::Error error)
{
    m_error = std::move(error);
    m_flush.stop();
    // Emitted from the event loop, because an error can occur before the owner has connected, or within a call of the
    // owner.
    QMetaObject::invokeMethod(this, [this] { Q_EMIT failed(*m_error); }, Qt::QueuedConnection);
}

} // namespace latchkey::recording
