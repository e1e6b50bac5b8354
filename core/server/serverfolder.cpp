#include "core/server/serverfolder.h"

#include "core/base/leftfolders.h"

#include <QDir>

namespace latchkey::server {

using base::ErrorKind;
using base::failure;

namespace {

constexpr auto prefix = QLatin1String("latchkey-server-");

QString placeFor(const QString &where)
{
    return where.isEmpty() ? QDir::tempPath() : where;
}

} // namespace

ServerFolder::ServerFolder(std::unique_ptr<QTemporaryDir> folder)
    : m_folder(std::move(folder))
    , m_lock(m_folder->filePath(base::ownerLockName))
{
    m_lock.setStaleLockTime(0); // Only a dead owner makes it stale, not age.
}

base::Result<std::unique_ptr<ServerFolder>> ServerFolder::create(const QString &where)
{
    sweep(where);
    auto temporary =
        std::make_unique<QTemporaryDir>(placeFor(where) + QLatin1Char('/') + prefix + QStringLiteral("XXXXXX"));
    if (!temporary->isValid())
        return failure(ErrorKind::Local, QT_TRANSLATE_NOOP("core", "cannot make a folder in %1: %2"), placeFor(where),
                       temporary->errorString());
    std::unique_ptr<ServerFolder> folder(new ServerFolder(std::move(temporary)));
    if (!folder->m_lock.tryLock())
        return failure(ErrorKind::Local, QT_TRANSLATE_NOOP("core", "cannot lock the folder %1"), folder->path());
    return folder;
}

int ServerFolder::sweep(const QString &where)
{
    return base::removeLeftFolders(prefix, placeFor(where));
}

} // namespace latchkey::server
