#pragma once

#include <QCommandLineOption>
#include <QList>
#include <QString>

namespace latchkey::cli {

/// The parts of a help text.
struct HelpParts
{
    QString name;    ///< `latchkey-cli`, or `latchkey-cli acquire`.
    QString summary; ///< One line.
    QString usage;   ///< The arguments behind the name.
    QString text;    ///< With marks for the options; see withOptions().
    QList<QCommandLineOption> options;
};

/// Returns the help as a page for man(1), in troff.
[[nodiscard]] QString manualPage(const HelpParts &help);

} // namespace latchkey::cli
