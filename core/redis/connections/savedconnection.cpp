#include "core/redis/connections/savedconnection.h"

namespace latchkey::connections {

QString nameOf(Environment environment)
{
    switch (environment) {
    case Environment::Unspecified:
        break;
    case Environment::Development:
        return QStringLiteral("development");
    case Environment::Staging:
        return QStringLiteral("staging");
    case Environment::Production:
        return QStringLiteral("production");
    }
    return {};
}

QString nameOf(ColourMark mark)
{
    switch (mark) {
    case ColourMark::None:
        break;
    case ColourMark::Red:
        return QStringLiteral("red");
    case ColourMark::Orange:
        return QStringLiteral("orange");
    case ColourMark::Green:
        return QStringLiteral("green");
    case ColourMark::Blue:
        return QStringLiteral("blue");
    case ColourMark::Violet:
        return QStringLiteral("violet");
    }
    return {};
}

} // namespace latchkey::connections
