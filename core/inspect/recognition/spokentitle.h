#pragma once

#include <QCoreApplication>

namespace latchkey::recognition {

/// Returns the title of a dialect for display: translated if it is a built-in one with more than a library's name; a
/// user's own title unchanged.
[[nodiscard]] inline QString spokenTitle(const QString &title)
{
    return title.isEmpty() ? title : QCoreApplication::translate("dialects", title.toUtf8().constData());
}

} // namespace latchkey::recognition
