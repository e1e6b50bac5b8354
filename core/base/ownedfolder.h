#pragma once

#include "core/base/error.h"

#include <QLatin1String>
#include <QLockFile>
#include <QTemporaryDir>

#include <memory>

namespace latchkey::base {

/// A private temporary folder that says whose it is, so that the next run can remove what a killed one left behind.
///
/// The folder holds a lock file for as long as its owner lives. A folder whose owner is dead is nobody's and is
/// removed by whoever makes the next with the same prefix; one whose owner lives, or that is too young to have its
/// lock yet, is left alone. Owned by whoever keeps files in it; removes the folder when it goes.
class OwnedFolder final
{
public:
    /// Removes what killed runs have left, then makes a folder, for this user only, whose name begins with prefix,
    /// below where (the system's temporary folder unless given). Error: Local.
    [[nodiscard]] static Result<std::unique_ptr<OwnedFolder>> create(QLatin1String prefix, const QString &where = {});

    /// Removes the folders in where whose names begin with prefix and whose owners no longer live; how many.
    static int removeLeft(QLatin1String prefix, const QString &where = {});

    [[nodiscard]] QString path() const { return m_folder->path(); }
    [[nodiscard]] QString filePath(const QString &name) const { return m_folder->filePath(name); }

private:
    explicit OwnedFolder(std::unique_ptr<QTemporaryDir> folder);

    // In this order: the lock's file goes before its folder.
    std::unique_ptr<QTemporaryDir> m_folder;
    QLockFile m_lock;
};

} // namespace latchkey::base
