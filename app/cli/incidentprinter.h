#pragma once

#include "app/cli/output.h"
#include "core/inspect/inspection/inspectedserver.h"

#include <QJsonObject>

#include <functional>

namespace latchkey::cli {

/// A printer of the lines `failed-over` and `restarted` of `watch` and `replay`: the sentinels of the server have named
/// another primary, or another process answers at the address. The lines of the locks that this has ended follow. Owned
/// by the command. Server and clock are not owned.
class IncidentPrinter final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(IncidentPrinter)

public:
    /// `printed`: called after each line. `origin`: the server, if it is one of several.
    IncidentPrinter(const inspection::InspectedServer &server, const base::Clock &clock, bool json,
                    std::function<void()> printed, EventOrigin origin = {});

    /// Prints nothing from now on.
    void close() { m_isClosed = true; }

private:
    void print(const inspection::Incident &incident) const;
    void printLine(const char *event, base::MonotonicTime at, const QString &text, const QJsonObject &members) const;

    const base::Clock &m_clock; // Not owned.
    const bool m_json;
    const std::function<void()> m_printed;
    const EventOrigin m_origin;
    bool m_isClosed = false;
};

} // namespace latchkey::cli
