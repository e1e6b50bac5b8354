#include "core/foundation/files/ownedfolder.h"

#include "core/foundation/base/logging.h"

#include <QDateTime>
#include <QDir>

#include <unistd.h>

namespace latchkey::files {

using namespace std::chrono_literals;

namespace {

constexpr auto lockName = QLatin1String("owner.lock");

QString placeFor(const QString &where)
{
    return where.isEmpty() ? QDir::tempPath() : where;
}

bool isLeft(const QFileInfo &folder)
{
    constexpr qint64 minAgeSeconds = 60;

    if (folder.ownerId() != ::getuid())
        return false;
    const QString lockPath = folder.filePath() + QLatin1Char('/') + lockName;
    if (!QFileInfo::exists(lockPath) && folder.lastModified().secsTo(QDateTime::currentDateTime()) < minAgeSeconds)
        return false;
    QLockFile lock(lockPath);
    lock.setStaleLockTime(0);
    return lock.tryLock(0ms); // The lock file is removed with the folder.
}

} // namespace

OwnedFolder::OwnedFolder(std::unique_ptr<QTemporaryDir> folder)
    : m_folder(std::move(folder))
    , m_lock(m_folder->filePath(lockName))
{
    m_lock.setStaleLockTime(0); // Only a dead owner makes the lock stale, not age.
}

base::Result<std::unique_ptr<OwnedFolder>> OwnedFolder::create(QLatin1String prefix, const QString &where)
{
    removeLeft(prefix, where);
    auto temporary =
        std::make_unique<QTemporaryDir>(placeFor(where) + QLatin1Char('/') + prefix + QStringLiteral("XXXXXX"));
    if (!temporary->isValid())
        return base::failure(base::ErrorKind::Local, QT_TRANSLATE_NOOP("core", "cannot make a folder in %1: %2"),
                             placeFor(where), temporary->errorString());
    std::unique_ptr<OwnedFolder> folder(new OwnedFolder(std::move(temporary)));
    if (!folder->m_lock.tryLock())
        return base::failure(base::ErrorKind::Local, QT_TRANSLATE_NOOP("core", "cannot lock the folder %1"),
                             folder->path());
    return folder;
}

int OwnedFolder::removeLeft(QLatin1String prefix, const QString &where)
{
    int removed = 0;
    for (const QFileInfo &entry :
         QDir(placeFor(where)).entryInfoList({prefix + QLatin1Char('*')}, QDir::Dirs | QDir::NoSymLinks)) {
        if (!isLeft(entry))
            continue;
        qCInfo(base::lcServer).noquote() << "removing" << entry.filePath() << "that a killed run left behind";
        if (QDir(entry.filePath()).removeRecursively())
            ++removed;
    }
    return removed;
}

} // namespace latchkey::files
