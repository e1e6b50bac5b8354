#include "app/cli/recipeoperation.h"

#include "app/help/commandline.h"

namespace latchkey::cli {

using base::Error;
using help::CommandLine;

Error wrongFamily(const QString &id, const char *verb, bool needsLock)
{
    const QString text = needsLock ? CommandLine::tr("%1 is a cache recipe; %2 needs a lock recipe")
                                   : CommandLine::tr("%1 is a lock recipe; %2 needs a cache recipe");
    return {base::ErrorKind::Usage, text.arg(id, QLatin1String(verb))};
}

} // namespace latchkey::cli
