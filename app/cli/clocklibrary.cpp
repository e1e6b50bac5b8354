#include "app/cli/clocklibrary.h"

#include "core/explore/shim/programclock.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

namespace latchkey::cli {

QString clockLibrary()
{
    const QFileInfo library(QDir(QCoreApplication::applicationDirPath()), shim::ProgramClock::libraryName);
    // In LD_PRELOAD, a space or a colon ends a name.
    const bool canBeNamed = !library.absoluteFilePath().contains(u' ') && !library.absoluteFilePath().contains(u':');
    return library.isFile() && canBeNamed ? library.filePath() : QString();
}

} // namespace latchkey::cli
