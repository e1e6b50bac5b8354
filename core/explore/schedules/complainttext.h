#pragma once

#include <QCoreApplication>

namespace latchkey::schedules {

/// Translates the description of a violation (races::PromiseResult::complaint) to the current language for display.
/// Files keep the English text.
[[nodiscard]] inline QString translatedViolation(const QString &complaint)
{
    return complaint.isEmpty() ? complaint : QCoreApplication::translate("core", complaint.toUtf8().constData());
}

} // namespace latchkey::schedules
