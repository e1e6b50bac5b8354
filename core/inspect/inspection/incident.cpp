#include "core/inspect/inspection/incident.h"

namespace latchkey::inspection {

using base::Text;

Text incidentText(const Incident &incident, const QString &server)
{
    switch (incident.kind) {
    case Incident::Kind::Flushed:
        return incident.keys == 1
                 ? Text(QT_TRANSLATE_NOOP("core", "%1 was flushed: its only key is gone"), server)
                 : Text::counted(incident.keys, QT_TRANSLATE_N_NOOP("core", "%1 was flushed: %n keys went at once"),
                                 server);
    case Incident::Kind::Restarted:
        return Text(QT_TRANSLATE_NOOP("core",
                                      "Another process answers at %1: it was restarted or replaced, or a failover took "
                                      "place; locks that it had may be lost"),
                    server);
    case Incident::Kind::FailedOver:
        return Text(QT_TRANSLATE_NOOP("core",
                                      "Failover: %1 is the primary of %2 now, instead of %3; locks that it does "
                                      "not know are lost, see History"),
                    incident.to, server, incident.from);
    case Incident::Kind::Demoted:
        return Text(QT_TRANSLATE_NOOP("core", "Failover: %1 is a replica now, and takes no writes"), server);
    case Incident::Kind::Promoted:
        return Text(QT_TRANSLATE_NOOP("core", "Failover: %1 is a primary now; locks of the old one may be lost"),
                    server);
    }
    Q_UNREACHABLE();
}

} // namespace latchkey::inspection
