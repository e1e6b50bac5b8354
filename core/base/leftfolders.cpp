#include "core/base/leftfolders.h"

#include "core/base/logging.h"

#include <QDateTime>
#include <QDir>
#include <QLockFile>

#include <unistd.h>

namespace latchkey::base {

using namespace std::chrono_literals;

int removeLeftFolders(QLatin1String prefix, const QString &where)
{
    constexpr qint64 youngestSeconds = 60;

    int removed = 0;
    for (const QFileInfo &entry :
         QDir(where).entryInfoList({prefix + QLatin1Char('*')}, QDir::Dirs | QDir::NoSymLinks)) {
        if (entry.ownerId() != ::getuid())
            continue;
        const QString lockPath = entry.filePath() + QLatin1Char('/') + ownerLockName;
        if (!QFileInfo::exists(lockPath) && entry.lastModified().secsTo(QDateTime::currentDateTime()) < youngestSeconds)
            continue;
        QLockFile lock(lockPath);
        lock.setStaleLockTime(0);
        if (!lock.tryLock(0ms))
            continue;
        qCInfo(lcServer).noquote() << "removing" << entry.filePath() << "that a killed run left behind";
        lock.unlock(); // Its file is about to go with the folder.
        if (QDir(entry.filePath()).removeRecursively())
            ++removed;
    }
    return removed;
}

} // namespace latchkey::base
