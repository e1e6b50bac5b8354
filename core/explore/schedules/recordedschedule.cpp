#include "core/explore/schedules/recordedschedule.h"

namespace latchkey::schedules {

using base::Text;

namespace {

/// Names the server of an event, if there are several.
Text eventOn(const Text &event, int server, int servers)
{
    return servers > 1 ? Text(QT_TRANSLATE_NOOP("core", "%1 on #%2"), event, server + 1) : event;
}

} // namespace

Text ScheduleStep::action(int servers) const
{
    switch (kind) {
    case Kind::Command:
        return Text((servers > 1 ? QStringLiteral("#%1 ").arg(server + 1) : QString()) + command.toText());
    case Kind::Clock:
        return clock ? Text(QT_TRANSLATE_NOOP("core", "reads its clock: %1"), *clock)
                     : Text(QT_TRANSLATE_NOOP("core", "reads its clock"));
    case Kind::Wait:
        return client.isEmpty() ? Text(QT_TRANSLATE_NOOP("core", "time passes"))
                                : Text(QT_TRANSLATE_NOOP("core", "waits"));
    case Kind::Message:
        return servers > 1 ? Text(QT_TRANSLATE_NOOP("core", "is told by #%1"), server + 1)
                           : Text(QT_TRANSLATE_NOOP("core", "is told"));
    case Kind::CloseSubscriber:
        return eventOn(Text(QT_TRANSLATE_NOOP("core", "hangs up")), server, servers);
    case Kind::Write:
        return fencing ? Text(QT_TRANSLATE_NOOP("core", "writes to the resource, with number %1"), *fencing)
                       : Text(QT_TRANSLATE_NOOP("core", "writes to the resource"));
    case Kind::Crash:
        return Text(QT_TRANSLATE_NOOP("core", "crash"));
    case Kind::Lapse:
    case Kind::PassDeadline:
        return eventOn(Text(QT_TRANSLATE_NOOP("core", "lapse")), server, servers);
    case Kind::Failover:
        return eventOn(Text(QT_TRANSLATE_NOOP("core", "failover")), server, servers);
    case Kind::Restart:
        return eventOn(Text(QT_TRANSLATE_NOOP("core", "restart")), server, servers);
    case Kind::Outage:
        return eventOn(Text(QT_TRANSLATE_NOOP("core", "outage")), server, servers);
    case Kind::Return:
        return eventOn(Text(QT_TRANSLATE_NOOP("core", "return")), server, servers);
    case Kind::ClockJump:
        return eventOn(Text(QT_TRANSLATE_NOOP("core", "clock jump")), server, servers);
    }
    Q_UNREACHABLE();
}

Text ScheduleStep::toText(int servers) const
{
    const QString who = (client.isEmpty() ? QStringLiteral("-") : client).leftJustified(3);
    const Text done = action(servers);
    const Text event = kind == Kind::Command && isUnreached ? Text(QT_TRANSLATE_NOOP("core", "%1 → (no reply)"), done)
                     : kind == Kind::Command ? Text(QT_TRANSLATE_NOOP("core", "%1 → %2"), done, reply.toText())
                     : kind == Kind::Message ? Text(QT_TRANSLATE_NOOP("core", "(%1 %2)"), done, reply.toText())
                                             : Text(QT_TRANSLATE_NOOP("core", "(%1)"), done);
    Text outcome;
    if (inside.value_or(false))
        outcome = Text(QT_TRANSLATE_NOOP("core", "%1 is inside"), client);
    outcome = Text::joined(outcome, note);
    return outcome.isEmpty() ? Text(QT_TRANSLATE_NOOP("core", "%1%2"), who, event)
                             : Text(QT_TRANSLATE_NOOP("core", "%1%2    — %3"), who, event, outcome);
}

} // namespace latchkey::schedules
