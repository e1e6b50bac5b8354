#pragma once

#include "app/cli/arguments.h"
#include "core/inspect/alerts/alertwatch.h"

#include <QJsonObject>

namespace latchkey::cli {

/// A printer of alerts, for `watch --alert` and `replay --alert`: a line for each alert and for its end. Owned by the
/// command; the clock is not owned.
class AlertPrinter final
{
public:
    /// An alert, or its end.
    struct Event
    {
        const alerts::Alert &alert;
        const alerts::AlertEnd *end = nullptr; ///< Null for the alert itself.
        const QString &node;                   ///< See ServerAlerts::raised().
    };

    /// Reads the rules of --alert. Error (Usage): an invalid rule.
    [[nodiscard]] static base::Result<std::vector<alerts::AlertRule>> rulesFrom(const Arguments &arguments);

    AlertPrinter(const base::Clock &clock, bool json)
        : m_clock(clock)
        , m_json(json)
    {}

    /// Prints the line of the event, and returns it as JSON.
    QJsonObject print(const Event &event) const;

private:
    [[nodiscard]] QJsonObject toJson(const Event &event) const;

    const base::Clock &m_clock; // Not owned.
    const bool m_json;
};

} // namespace latchkey::cli
