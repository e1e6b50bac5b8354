#include "core/foundation/files/savedfile.h"

#include <QFile>
#include <QFileInfo>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace latchkey::files {

namespace {

tl::unexpected<base::Error> cannotWrite(const QString &path, const QString &reason)
{
    return base::failure(base::ErrorKind::Local, QT_TRANSLATE_NOOP("core", "cannot write %1: %2"), path, reason);
}

/// Returns the reason why the file did not reach the disk. Empty on success. File systems with delayed allocation
/// report the error here.
QString syncFailure(const QFileDevice &file)
{
    if (::fsync(file.handle()) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS)
        return {};
    return qt_error_string(errno);
}

} // namespace

SavedFile::SavedFile(std::unique_ptr<QFileDevice> file, bool isReplaced)
    : m_file(std::move(file))
    , m_isReplaced(isReplaced)
{}

base::Result<SavedFile> SavedFile::open(const QString &path)
{
    const QFileInfo info(path);
    const bool isReplaced = !info.exists() || info.isFile() || info.isDir();
    std::unique_ptr<QFileDevice> file;
    if (isReplaced)
        file = std::make_unique<QSaveFile>(path);
    else
        file = std::make_unique<QFile>(path);
    // With a buffer, the reason of a partial write would be lost.
    const QIODevice::OpenMode mode = QIODevice::WriteOnly | QIODevice::Unbuffered;
    if (!file->open(isReplaced ? mode : mode | QIODevice::ExistingOnly))
        return cannotWrite(path, file->errorString());
    return SavedFile(std::move(file), isReplaced);
}

void SavedFile::setNewPermissions(QFileDevice::Permissions permissions)
{
    if (m_isReplaced && !QFileInfo::exists(m_file->fileName()))
        m_file->setPermissions(permissions);
}

base::Result<void> SavedFile::save(const QByteArray &contents)
{
    QFileDevice &file = *m_file;
    if (!writeAll(file, contents))
        return cannotWrite(file.fileName(), file.errorString());
    if (!m_isReplaced)
        return {};
    if (const QString reason = syncFailure(file); !reason.isEmpty())
        return cannotWrite(file.fileName(), reason);
    if (!static_cast<QSaveFile &>(file).commit())
        return cannotWrite(file.fileName(), file.errorString());
    return {};
}

base::Result<void> saveFile(const QString &path, const QByteArray &contents)
{
    auto file = SavedFile::open(path);
    if (!file)
        return base::failure(std::move(file.error()));
    return file->save(contents);
}

base::Result<void> makeFolderFor(const QString &path)
{
    const QString folder = QFileInfo(path).absolutePath();
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(QFile::encodeName(folder).toStdString()), error);
    if (error)
        return base::failure(base::ErrorKind::Local, QT_TRANSLATE_NOOP("core", "cannot make the folder %1: %2"), folder,
                             qt_error_string(error.value()));
    return {};
}

bool writeAll(QIODevice &device, const QByteArray &bytes)
{
    for (qint64 written = 0; written < bytes.size();) {
        const qint64 part = device.write(bytes.constData() + written, bytes.size() - written);
        if (part <= 0)
            return false;
        written += part;
    }
    return true;
}

} // namespace latchkey::files
