#pragma once

#include <QString>

namespace latchkey::help {

/// The parts of a page for man(1). `body` is troff, the other parts are text.
struct ManualPage
{
    QString name;    ///< `latchkey-cli`, or `latchkey-cli acquire`.
    QString summary; ///< One line.
    QString usage;   ///< The arguments behind the name.
    QString body;    ///< The section DESCRIPTION; see manualBody().
};

/// Escapes a text for troff.
[[nodiscard]] QString escapedForManual(QString text);

/// Converts a help text to troff. Indented lines keep their layout; all others are filled. The marks for options stay.
[[nodiscard]] QString manualBody(const QString &text);

/// Returns the page in troff.
[[nodiscard]] QString manualPage(const ManualPage &page);

} // namespace latchkey::help
