#include "app/cli/incidentprinter.h"

#include "app/cli/output.h"
#include "app/help/commandline.h"
#include "core/foundation/files/json.h"

#include <QDateTime>

#include <cstdio>

namespace latchkey::cli {

using help::CommandLine;
using inspection::Incident;

IncidentPrinter::IncidentPrinter(const inspection::InspectedServer &server, const base::Clock &clock, bool json,
                                 std::function<void()> printed)
    : m_clock(clock)
    , m_json(json)
    , m_printed(std::move(printed))
{
    connect(&server, &inspection::InspectedServer::incidentHappened, this, &IncidentPrinter::print);
}

void IncidentPrinter::print(const Incident &incident) const
{
    if (incident.kind != Incident::Kind::FailedOver)
        return;
    const auto at = static_cast<qint64>(m_clock.wallNow().time_since_epoch().count());
    const QString event = QStringLiteral("failed-over");
    if (m_json) {
        printBytes(files::toLine({{QStringLiteral("at_ms"), at},
                                  {QStringLiteral("event"), event},
                                  {QStringLiteral("from"), incident.from},
                                  {QStringLiteral("to"), incident.to}})
                   + '\n');
    } else {
        const QString text = CommandLine::tr("%1 is the primary now, instead of %2").arg(incident.to, incident.from);
        printBytes(QStringLiteral("%1  %2  %3\n")
                       .arg(QDateTime::fromMSecsSinceEpoch(at).toString(QStringLiteral("HH:mm:ss.zzz")), event, text)
                       .toUtf8());
    }
    std::fflush(stdout);
    m_printed();
}

} // namespace latchkey::cli
