#pragma once

#include "core/foundation/base/error.h"

#include <QLatin1String>
#include <QLockFile>
#include <QTemporaryDir>

#include <memory>

namespace latchkey::files {

/// A private temporary folder with a recorded owner, so that the next run can remove the leftovers of a killed run.
///
/// The folder contains a lock file while its owner lives. A folder of a dead owner is removed when the next folder with
/// the same prefix is created. A folder is kept if its owner lives or if it is too young to have its lock yet. Owned by
/// the user of its files; the destructor removes the folder.
class OwnedFolder final
{
public:
    /// Removes folders of killed runs, then creates a folder that only this user can access. Its name begins with
    /// `prefix`, and it is placed in `where` (default: the system's temporary folder). Error: Local.
    [[nodiscard]] static base::Result<std::unique_ptr<OwnedFolder>> create(QLatin1String prefix,
                                                                           const QString &where = {});

    /// Removes this user's folders in `where` that begin with `prefix` and whose owner is dead. Returns their number.
    static int removeLeft(QLatin1String prefix, const QString &where = {});

    [[nodiscard]] QString path() const { return m_folder->path(); }
    [[nodiscard]] QString filePath(const QString &name) const { return m_folder->filePath(name); }

private:
    explicit OwnedFolder(std::unique_ptr<QTemporaryDir> folder);

    // In this order: the lock file is removed before its folder.
    std::unique_ptr<QTemporaryDir> m_folder;
    QLockFile m_lock;
};

} // namespace latchkey::files
