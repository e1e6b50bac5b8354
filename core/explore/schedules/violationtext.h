#pragma once

#include <QCoreApplication>

namespace latchkey::schedules {

/// Translates the description of a violation (races::PromiseResult::violation) to the current language for display.
/// Files keep the English text.
[[nodiscard]] inline QString translatedViolation(const QString &violation)
{
    return violation.isEmpty() ? violation : QCoreApplication::translate("core", violation.toUtf8().constData());
}

} // namespace latchkey::schedules
