#pragma once

#include <QCoreApplication>

namespace latchkey::scenarios {

/// Translates a text of a built-in story to the current language. The text of any other story is returned unchanged, as
/// is the empty text.
[[nodiscard]] inline QString translated(const QString &text)
{
    return text.isEmpty() ? text : QCoreApplication::translate("stories", text.toUtf8().constData());
}

} // namespace latchkey::scenarios
