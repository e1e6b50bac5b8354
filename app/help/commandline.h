#pragma once

#include <QCoreApplication>

namespace latchkey::help {

/// The translation context of all texts of the command line: `CommandLine::tr("it is gone")`. Help texts are in tables
/// as QT_TRANSLATE_NOOP("CommandLine", "…") and are translated when they are printed.
class CommandLine final
{
    Q_DECLARE_TR_FUNCTIONS(CommandLine)
};

} // namespace latchkey::help
