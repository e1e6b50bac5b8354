#include "core/redis/connections/savedconnections.h"
#include "tests/fuzz/target.h"

#include <QFile>
#include <QScopeGuard>
#include <QTemporaryDir>

namespace latchkey::fuzz {

/// Checks that servers from a file have no password, and that export and import keep them equal.
void fuzzServers(QByteArrayView bytes)
{
    static const QTemporaryDir folder(QStringLiteral("/dev/shm/latchkey-fuzz-XXXXXX"));
    // Each input has its own files, because QSettings treats files of equal size and time as the same file.
    static quint64 count = 0;
    const QString path = folder.filePath(QStringLiteral("servers-%1.ini").arg(++count));
    const QString copy = folder.filePath(QStringLiteral("copy-%1.ini").arg(count));
    const auto removed = qScopeGuard([&] {
        QFile::remove(path);
        QFile::remove(copy);
    });
    QFile file(path);
    require(file.open(QIODevice::WriteOnly) && file.write(bytes.data(), bytes.size()) == bytes.size(),
            "the file is written");
    file.close();
    const connections::SavedConnections saved(path);
    for (const connections::SavedConnection &server : saved.servers())
        require(server.endpoint.password.isEmpty(), "a kept server has no password");

    if (saved.servers().empty() || !saved.exportTo(copy))
        return;
    auto expected = saved.servers();
    for (connections::SavedConnection &server : expected)
        server.hasSecrets = false;
    const connections::SavedConnections again(copy);
    require(again.problems().empty(), "an exported file has no problems");
    require(again.servers() == expected, "exported servers are read as they were");
}

} // namespace latchkey::fuzz
