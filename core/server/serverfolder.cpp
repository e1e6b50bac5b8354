#include "core/server/serverfolder.h"

#include "core/base/logging.h"

#include <QDateTime>
#include <QDir>

#include <unistd.h>

namespace latchkey::server {

using base::ErrorKind;
using base::failure;
using namespace std::chrono_literals;

namespace {

constexpr auto prefix = QLatin1String("latchkey-server-");
constexpr auto lockName = QLatin1String("owner.lock");

QString placeFor(const QString &where)
{
    return where.isEmpty() ? QDir::tempPath() : where;
}

} // namespace

ServerFolder::ServerFolder(std::unique_ptr<QTemporaryDir> folder)
    : m_folder(std::move(folder))
    , m_lock(m_folder->filePath(lockName))
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
    constexpr qint64 youngestSeconds = 60;

    int swept = 0;
    const QDir place(placeFor(where));
    for (const QFileInfo &entry : place.entryInfoList({prefix + QLatin1Char('*')}, QDir::Dirs | QDir::NoSymLinks)) {
        if (entry.ownerId() != ::getuid())
            continue;
        const QString lockPath = entry.filePath() + QLatin1Char('/') + lockName;
        if (!QFileInfo::exists(lockPath) && entry.lastModified().secsTo(QDateTime::currentDateTime()) < youngestSeconds)
            continue;
        QLockFile lock(lockPath);
        lock.setStaleLockTime(0);
        if (!lock.tryLock(0ms))
            continue;
        qCInfo(base::lcServer).noquote() << "removing" << entry.filePath() << "that a killed run left behind";
        lock.unlock(); // Its file is about to go with the folder.
        if (QDir(entry.filePath()).removeRecursively())
            ++swept;
    }
    return swept;
}

} // namespace latchkey::server
