#pragma once

#include "core/base/error.h"

#include <QLockFile>
#include <QTemporaryDir>

#include <memory>

namespace latchkey::server {

/// A private temporary folder that says whose it is, so that the next run can sweep what a killed one left behind.
///
/// The folder holds a lock file for as long as its owner lives. A folder whose owner is dead is nobody's and is
/// removed; one whose owner lives, or that is too young to have its lock yet, is left alone. Owned by the
/// PrivateServer; removes the folder when it goes.
class ServerFolder final
{
public:
    /// Sweeps, then makes a folder below where (the system's temporary folder unless given). Error: Local.
    [[nodiscard]] static base::Result<std::unique_ptr<ServerFolder>> create(const QString &where = {});

    /// Removes the folders of owners that no longer live; how many.
    static int sweep(const QString &where = {});

    [[nodiscard]] QString path() const { return m_folder->path(); }
    [[nodiscard]] QString filePath(const QString &name) const { return m_folder->filePath(name); }

private:
    explicit ServerFolder(std::unique_ptr<QTemporaryDir> folder);

    // In this order: the lock's file goes before its folder.
    std::unique_ptr<QTemporaryDir> m_folder;
    QLockFile m_lock;
};

} // namespace latchkey::server
