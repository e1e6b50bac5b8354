#pragma once

#include "core/inspect/inspection/inspectedserver.h"

#include <functional>

namespace latchkey::cli {

/// A printer of the line `failed-over` of `watch` and `replay`, after the sentinels of the server have named another
/// primary. The lines of the lost locks follow that line. Owned by the command. Server and clock are not owned.
class IncidentPrinter final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(IncidentPrinter)

public:
    /// `printed`: called after each line.
    IncidentPrinter(const inspection::InspectedServer &server, const base::Clock &clock, bool json,
                    std::function<void()> printed);

private:
    void print(const inspection::Incident &incident) const;

    const base::Clock &m_clock; // Not owned.
    const bool m_json;
    const std::function<void()> m_printed;
};

} // namespace latchkey::cli
