#pragma once

#include <QCoreApplication>

namespace latchkey::recognition {

/// Returns the title of a dialect for display. A built-in title with more than a library's name is translated; a user's
/// own title is unchanged.
[[nodiscard]] inline QString spokenTitle(const QString &title)
{
    return title.isEmpty() ? title : QCoreApplication::translate("dialects", title.toUtf8().constData());
}

} // namespace latchkey::recognition
