#pragma once

#include "core/foundation/base/error.h"

#include <QFileDevice>
#include <QSaveFile>

#include <memory>

namespace latchkey::files {

/// A file that is replaced completely or not at all.
///
/// QSaveFile alone is not sufficient: its commit() ignores a failure to write its buffer. On a full disk, an empty file
/// would replace the old one without an error. A path that names a device or a pipe is written directly. Owned by the
/// caller.
class SavedFile final
{
public:
    /// Prepares the file; the old contents stay until save(). Error (Local): `cannot write PATH: REASON`.
    [[nodiscard]] static base::Result<SavedFile> open(const QString &path);

    /// Sets the permissions of a new file; default: those of the process. Has no effect on an existing file.
    void setNewPermissions(QFileDevice::Permissions permissions);
    /// Writes the contents and replaces the old file. Call it once. Error (Local): as for open(). After an error a
    /// regular file is unchanged, but a device may have received a part.
    [[nodiscard]] base::Result<void> save(const QByteArray &contents);

private:
    explicit SavedFile(std::unique_ptr<QFileDevice> file, bool isReplaced);

    std::unique_ptr<QFileDevice> m_file;
    bool m_isReplaced = false; ///< Whether the file is a QSaveFile; false for a device.
};

/// Opens a SavedFile and saves the contents in one call.
[[nodiscard]] base::Result<void> saveFile(const QString &path, const QByteArray &contents);

/// Creates the folders that the file's path names. Error (Local): `cannot make the folder PATH: REASON`.
[[nodiscard]] base::Result<void> makeFolderFor(const QString &path);

/// Writes all bytes, even if the device accepts them in parts. Returns false with the reason in device.errorString().
/// QIODevice::write() alone reports a partial write as "Unknown error".
[[nodiscard]] bool writeAll(QIODevice &device, const QByteArray &bytes);

} // namespace latchkey::files
