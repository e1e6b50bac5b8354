#pragma once

#include <QCoreApplication>

namespace latchkey::races {

/// What a run has shown, PromiseResult::complaint, as people read it: in the language of now. Stories keep the English.
[[nodiscard]] inline QString spokenComplaint(const QString &complaint)
{
    return complaint.isEmpty() ? complaint : QCoreApplication::translate("races", complaint.toUtf8().constData());
}

} // namespace latchkey::races
