#pragma once

#include "ui/shell/alerts/alertlog.h"

#include <QCoreApplication>

namespace latchkey::ui::alerts {

/// The texts of alert rules and alerts for the window. All are plain text.
class AlertTexts final
{
    Q_DECLARE_TR_FUNCTIONS(AlertTexts)

public:
    /// Returns the condition of a rule as a sentence without a full stop, such as "A lock has no expiry".
    [[nodiscard]] static QString condition(const latchkey::alerts::AlertRule &rule);
    /// Returns the keys of a rule: its pattern, or a text for all keys.
    [[nodiscard]] static QString keys(const latchkey::alerts::AlertRule &rule);
    /// Returns the key of the alert, or a text for the whole server.
    [[nodiscard]] static QString key(const latchkey::alerts::Alert &alert);
    /// Returns the duration of the alert, and how it ended. Both are unknown while its server does not reply.
    [[nodiscard]] static QString state(const LoggedAlert &logged, base::MonotonicTime now);
};

} // namespace latchkey::ui::alerts
