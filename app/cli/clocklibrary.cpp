#include "app/cli/clocklibrary.h"

#include "core/explore/shim/programclock.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

namespace latchkey::cli {

QString clockLibrary()
{
    const QDir programs(QCoreApplication::applicationDirPath());
    // The library is beside the program in a build, and below `lib` of any prefix in an installation.
    for (const QString &folder : {QStringLiteral("."), QStringLiteral("../lib/latchkey/preload")}) {
        const QString library =
            QDir::cleanPath(programs.absoluteFilePath(folder + u'/' + shim::ProgramClock::libraryName));
        // In LD_PRELOAD, a space or a colon ends a name.
        const bool canBeNamed = !library.contains(u' ') && !library.contains(u':');
        if (canBeNamed && QFileInfo(library).isFile())
            return library;
    }
    return {};
}

} // namespace latchkey::cli
