#pragma once

#include "ui/shell/alerts/alertlog.h"

#include <QCoreApplication>

namespace latchkey::ui::alerts {

/// Turns alert rules and alerts into texts for the window. All are plain text.
class AlertTexts final
{
    Q_DECLARE_TR_FUNCTIONS(AlertTexts)

public:
    /// Returns the condition of a rule as a sentence without a full stop, such as "A lock has no expiry".
    [[nodiscard]] static QString condition(const latchkey::alerts::AlertRule &rule);
    /// Returns the keys of a rule: its pattern, or that all keys are meant.
    [[nodiscard]] static QString keys(const latchkey::alerts::AlertRule &rule);
    /// Returns the key of the alert, or that it is about the whole server.
    [[nodiscard]] static QString key(const latchkey::alerts::Alert &alert);
    /// Returns how long the alert has lasted, and how it ended. While its server does not answer, neither is known.
    [[nodiscard]] static QString state(const LoggedAlert &logged, base::MonotonicTime now);
};

} // namespace latchkey::ui::alerts
