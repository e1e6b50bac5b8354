#pragma once

#include <QCoreApplication>

namespace latchkey::races {

/// Translates PromiseResult::complaint to the current language for display. Stories keep the English text.
[[nodiscard]] inline QString spokenComplaint(const QString &complaint)
{
    return complaint.isEmpty() ? complaint : QCoreApplication::translate("races", complaint.toUtf8().constData());
}

} // namespace latchkey::races
