#include "app/cli/colours.h"

#include <unistd.h>

namespace latchkey::cli {

namespace {

QLatin1String sequenceOf(Colour colour)
{
    switch (colour) {
    case Colour::None:
        return {};
    case Colour::Title:
        return QLatin1String("\x1b[1m");
    case Colour::Problem:
        return QLatin1String("\x1b[31m");
    case Colour::Caution:
        return QLatin1String("\x1b[33m");
    case Colour::Good:
        return QLatin1String("\x1b[32m");
    }
    Q_UNREACHABLE();
}

} // namespace

bool hasColours()
{
    static const bool has = ::isatty(STDOUT_FILENO) != 0 && qEnvironmentVariableIsEmpty("NO_COLOR")
                         && !qEnvironmentVariableIsEmpty("TERM") && qgetenv("TERM") != "dumb";
    return has;
}

QString coloured(const QString &text, Colour colour)
{
    return colour == Colour::None || !hasColours() ? text : sequenceOf(colour) + text + QLatin1String("\x1b[0m");
}

} // namespace latchkey::cli
