#pragma once

#include <QCoreApplication>

namespace latchkey::help {

/// The context of all texts of the command lines, for translators: `CommandLine::tr("it is gone")`. Help texts stand in
/// tables as QT_TRANSLATE_NOOP("CommandLine", "…") and are worded when they are printed.
class CommandLine final
{
    Q_DECLARE_TR_FUNCTIONS(CommandLine)
};

} // namespace latchkey::help
