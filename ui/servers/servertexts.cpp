#include "ui/servers/servertexts.h"

#include <QCoreApplication>

namespace latchkey::ui::servers {

using latchkey::servers::Environment;
using latchkey::servers::Mark;
using widgets::Pill;

namespace {

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(latchkey::ui::servers)
};

} // namespace

QString textOf(Environment environment)
{
    switch (environment) {
    case Environment::Unsaid:
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

QString textOf(Mark mark)
{
    switch (mark) {
    case Mark::None:
        break;
    case Mark::Red:
        return Words::tr("red");
    case Mark::Orange:
        return Words::tr("orange");
    case Mark::Green:
        return Words::tr("green");
    case Mark::Blue:
        return Words::tr("blue");
    case Mark::Violet:
        return Words::tr("violet");
    }
    return {};
}

Pill::Tone toneOf(Environment environment)
{
    switch (environment) {
    case Environment::Unsaid:
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

QColor colourOf(Mark mark, const theme::Theme &theme)
{
    switch (mark) {
    case Mark::None:
        break;
    case Mark::Red:
        return theme.critical;
    case Mark::Orange:
        return theme.warning;
    case Mark::Green:
        return theme.good;
    case Mark::Blue:
        return theme.accent;
    case Mark::Violet:
        return theme.endless;
    }
    return {};
}

} // namespace latchkey::ui::servers
