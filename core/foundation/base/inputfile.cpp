#include "core/foundation/base/inputfile.h"

#include <QFile>
#include <QFileInfo>

namespace latchkey::base {

Result<void> openForReading(QFile &file)
{
    if (const QFileInfo info(file.fileName()); info.exists() && !info.isFile())
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "it is not a regular file"));
    if (!file.open(QIODevice::ReadOnly))
        return failure(ErrorKind::Local, Text(file.errorString()));
    return {};
}

} // namespace latchkey::base
