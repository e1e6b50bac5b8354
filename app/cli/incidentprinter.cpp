#include "app/cli/incidentprinter.h"

#include "app/cli/output.h"
#include "app/help/commandline.h"
#include "core/foundation/files/json.h"

#include <cstdio>

namespace latchkey::cli {

using base::MonotonicTime;
using help::CommandLine;
using inspection::Incident;

IncidentPrinter::IncidentPrinter(const inspection::InspectedServer &server, const base::Clock &clock, bool json,
                                 std::function<void()> printed, EventOrigin origin)
    : m_clock(clock)
    , m_json(json)
    , m_printed(std::move(printed))
    , m_origin(std::move(origin))
{
    connect(&server, &inspection::InspectedServer::incidentHappened, this, &IncidentPrinter::print);
}

void IncidentPrinter::print(const Incident &incident) const
{
    if (m_isClosed)
        return;
    if (incident.kind == Incident::Kind::FailedOver) {
        printLine("failed-over", incident.at,
                  CommandLine::tr("%1 is the primary now, instead of %2").arg(incident.to, incident.from),
                  {{QStringLiteral("from"), incident.from}, {QStringLiteral("to"), incident.to}});
    } else if (incident.kind == Incident::Kind::Restarted && m_origin.node.isEmpty()) {
        printLine("restarted", incident.at,
                  CommandLine::tr("another process answers: locks that the server had may be lost"), {});
    } else if (incident.kind == Incident::Kind::Restarted) {
        printLine("restarted", incident.at,
                  CommandLine::tr("another process answers at %1: locks that it had may be lost").arg(m_origin.node),
                  {{QStringLiteral("node"), m_origin.node}});
    }
}

void IncidentPrinter::printLine(const char *event, MonotonicTime at, const QString &text,
                                const QJsonObject &members) const
{
    const base::WallTime wallTime = m_clock.wallAt(at);
    if (m_json) {
        QJsonObject line = members;
        line[QStringLiteral("at_ms")] = static_cast<qint64>(wallTime.time_since_epoch().count());
        line[QStringLiteral("event")] = QLatin1String(event);
        if (!m_origin.server.isEmpty())
            line[QStringLiteral("server")] = m_origin.server;
        printBytes(files::toLine(line) + '\n');
    } else {
        printEvent(wallTime, event, text, m_origin);
    }
    std::fflush(stdout);
    m_printed();
}

} // namespace latchkey::cli
