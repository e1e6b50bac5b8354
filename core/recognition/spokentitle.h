#pragma once

#include <QCoreApplication>

namespace latchkey::recognition {

/// The title of a dialect as it is read: in the language of now, where the dialect comes with the program and its title
/// is more than a library's name. One of the user's own is said as it is.
[[nodiscard]] inline QString spokenTitle(const QString &title)
{
    return title.isEmpty() ? title : QCoreApplication::translate("dialects", title.toUtf8().constData());
}

} // namespace latchkey::recognition
