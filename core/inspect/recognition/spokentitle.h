#pragma once

#include <QCoreApplication>

namespace latchkey::recognition {

/// Returns the title of a dialect for display. A built-in title is translated if it contains more than a library's
/// name; a user-defined title is unchanged.
[[nodiscard]] inline QString displayTitle(const QString &title)
{
    return title.isEmpty() ? title : QCoreApplication::translate("dialects", title.toUtf8().constData());
}

} // namespace latchkey::recognition
