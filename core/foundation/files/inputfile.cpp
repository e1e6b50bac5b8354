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

} // namespace latchkey::files
