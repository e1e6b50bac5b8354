#include "app/cli/clocklibrary.h"

#include "core/shim/programclock.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

namespace latchkey::cli {

QString clockLibrary()
{
    const QFileInfo library(QDir(QCoreApplication::applicationDirPath()), shim::ProgramClock::libraryName);
    return library.isFile() ? library.filePath() : QString();
}

} // namespace latchkey::cli
