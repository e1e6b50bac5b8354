#include "core/foundation/files/inputfile.h"

#include <QFile>
#include <QFileInfo>

namespace latchkey::files {

base::Result<void> openForReading(QFile &file)
{
    if (const QFileInfo info(file.fileName()); info.exists() && !info.isFile())
        return base::failure(base::ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "it is not a regular file"));
    if (!file.open(QIODevice::ReadOnly))
        return base::failure(base::ErrorKind::Local, base::Text(file.errorString()));
    return {};
}

base::Result<QByteArray> contentsOf(const QString &path, qint64 maxSize)
{
    QFile file(path);
    if (const auto opened = openForReading(file); !opened)
        return base::failure(opened.error());
    QByteArray contents = file.read(maxSize + 1);
    if (file.error() != QFileDevice::NoError)
        return base::failure(base::ErrorKind::Local, base::Text(file.errorString()));
    if (contents.size() > maxSize)
        return base::failure(base::ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "it is larger than %1 bytes"), maxSize);
    return contents;
}

} // namespace latchkey::files
