#pragma once

#include <QCoreApplication>

namespace latchkey::scenarios {

/// Returns a text of a story in the current language, if the story is built in. The text of any other file is returned
/// unchanged, as is the empty text.
[[nodiscard]] inline QString spoken(const QString &text)
{
    return text.isEmpty() ? text : QCoreApplication::translate("stories", text.toUtf8().constData());
}

} // namespace latchkey::scenarios
