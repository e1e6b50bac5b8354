#include "app/cli/exitcode.h"

#include "core/base/terminaltext.h"

#include <cstdio>

namespace latchkey::cli {

ExitCode exitCodeFor(const base::Error &error)
{
    return error.kind == base::ErrorKind::Usage ? ExitCode::Usage : ExitCode::Error;
}

void complain(const QString &message)
{
    std::fprintf(stderr, "latchkey-cli: %s\n", base::terminalText(message).toUtf8().constData());
}

ExitCode complain(const base::Error &error)
{
    complain(error.message());
    return exitCodeFor(error);
}

} // namespace latchkey::cli
