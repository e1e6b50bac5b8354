#include "core/explore/schedules/recordedschedule.h"

#include <QStringList>

namespace latchkey::schedules {

namespace {

/// Names the server of an event, if there are several.
QString eventOn(const QString &event, int server, int servers)
{
    return servers > 1 ? QStringLiteral("%1 on #%2").arg(event).arg(server + 1) : event;
}

} // namespace

QString ScheduleStep::action(int servers) const
{
    switch (kind) {
    case Kind::Command:
        return (servers > 1 ? QStringLiteral("#%1 ").arg(server + 1) : QString()) + command.toText();
    case Kind::Clock:
        return clock ? QStringLiteral("reads its clock: %1").arg(*clock) : QStringLiteral("reads its clock");
    case Kind::Wait:
        return QStringLiteral("waits");
    case Kind::Message:
        return servers > 1 ? QStringLiteral("is told by #%1").arg(server + 1) : QStringLiteral("is told");
    case Kind::HangUp:
        return eventOn(QStringLiteral("hangs up"), server, servers);
    case Kind::Write:
        return fencing ? QStringLiteral("writes to the resource, with number %1").arg(*fencing)
                       : QStringLiteral("writes to the resource");
    case Kind::Crash:
        return QStringLiteral("crash");
    case Kind::Lapse:
    case Kind::PassDeadline:
        return eventOn(QStringLiteral("lapse"), server, servers);
    case Kind::Failover:
        return eventOn(QStringLiteral("failover"), server, servers);
    case Kind::Restart:
        return eventOn(QStringLiteral("restart"), server, servers);
    case Kind::Outage:
        return eventOn(QStringLiteral("outage"), server, servers);
    case Kind::Return:
        return eventOn(QStringLiteral("return"), server, servers);
    case Kind::ClockJump:
        return eventOn(QStringLiteral("clock jump"), server, servers);
    }
    Q_UNREACHABLE();
}

QString ScheduleStep::toText(int servers) const
{
    QString text = (client.isEmpty() ? QStringLiteral("-") : client).leftJustified(3);
    const QString done = action(servers);
    if (kind == Kind::Command && isUnreached)
        text += done + QStringLiteral(" → (no reply)");
    else if (kind == Kind::Command)
        text += done + QStringLiteral(" → ") + reply.toText();
    else
        text += QStringLiteral("(%1)").arg(kind == Kind::Message ? done + u' ' + reply.toText() : done);
    QStringList outcome;
    if (inside.value_or(false))
        outcome += QStringLiteral("%1 is inside").arg(client);
    if (!note.isEmpty())
        outcome += note;
    return outcome.isEmpty() ? text : text + QStringLiteral("    — ") + outcome.join(QStringLiteral("; "));
}

} // namespace latchkey::schedules
