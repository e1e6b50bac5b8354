#pragma once

#include <QCoreApplication>

namespace latchkey::recognition {

/// Returns the title of a dialect for display. Built-in titles that contain more than a library's name are translated.
/// Any other title, such as a user-defined one, is unchanged.
[[nodiscard]] inline QString displayTitle(const QString &title)
{
    return title.isEmpty() ? title : QCoreApplication::translate("dialects", title.toUtf8().constData());
}

} // namespace latchkey::recognition
