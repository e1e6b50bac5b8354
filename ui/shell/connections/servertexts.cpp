#include "ui/shell/connections/servertexts.h"

#include <QCoreApplication>

namespace latchkey::ui::connections {

using latchkey::connections::ColourMark;
using latchkey::connections::Environment;
using widgets::Pill;

namespace {

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(latchkey::ui::connections)
};

} // namespace

QString textOf(Environment environment)
{
    switch (environment) {
    case Environment::Unspecified:
        break;
    case Environment::Development:
        return Words::tr("development");
    case Environment::Staging:
        return Words::tr("staging");
    case Environment::Production:
        return Words::tr("production");
    }
    return {};
}

QString textOf(ColourMark mark)
{
    switch (mark) {
    case ColourMark::None:
        break;
    case ColourMark::Red:
        return Words::tr("red");
    case ColourMark::Orange:
        return Words::tr("orange");
    case ColourMark::Green:
        return Words::tr("green");
    case ColourMark::Blue:
        return Words::tr("blue");
    case ColourMark::Violet:
        return Words::tr("violet");
    }
    return {};
}

Pill::Tone toneOf(Environment environment)
{
    switch (environment) {
    case Environment::Unspecified:
        break;
    case Environment::Development:
        return Pill::Tone::Good;
    case Environment::Staging:
        return Pill::Tone::Warning;
    case Environment::Production:
        return Pill::Tone::Critical;
    }
    return Pill::Tone::Neutral;
}

QColor colourOf(ColourMark mark, const theme::Theme &theme)
{
    switch (mark) {
    case ColourMark::None:
        break;
    case ColourMark::Red:
        return theme.critical;
    case ColourMark::Orange:
        return theme.warning;
    case ColourMark::Green:
        return theme.good;
    case ColourMark::Blue:
        return theme.accent;
    case ColourMark::Violet:
        return theme.endless;
    }
    return {};
}

} // namespace latchkey::ui::connections
