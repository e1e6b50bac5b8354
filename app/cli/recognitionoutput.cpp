#include "app/cli/recognitionoutput.h"

#include "app/cli/exitcode.h"
#include "app/help/commandline.h"
#include "core/inspect/recognition/userdialects.h"

#include <QFileInfo>

namespace latchkey::cli {

using help::CommandLine;

base::Result<void> checkUserDialects()
{
    const QString named = qEnvironmentVariable("LATCHKEY_DIALECTS");
    if (named.isEmpty() || QFileInfo::exists(named))
        return {};
    return base::failure(base::ErrorKind::Usage,
                         CommandLine::tr("LATCHKEY_DIALECTS names \"%1\", which does not exist").arg(named));
}

const recognition::Dialects &userDialects()
{
    static const recognition::Dialects dialects = [] {
        const recognition::UserDialects own(recognition::UserDialects::defaultFile());
        if (own.problem())
            printError(own.problem()->message());
        return own.dialects();
    }();
    return dialects;
}

} // namespace latchkey::cli
