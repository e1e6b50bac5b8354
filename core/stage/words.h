#pragma once

#include <QCoreApplication>

namespace latchkey::stage {

/// A text of a story as it is told: in the language of now, where the story comes with the program. What stands in
/// anybody else's file is said as it is there. The empty text stays empty.
[[nodiscard]] inline QString spoken(const QString &text)
{
    return text.isEmpty() ? text : QCoreApplication::translate("stories", text.toUtf8().constData());
}

} // namespace latchkey::stage
