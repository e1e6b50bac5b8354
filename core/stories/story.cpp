#include "core/stories/story.h"

namespace latchkey::stories {

bool Step::isFault() const
{
    return kind == Kind::Crash || kind == Kind::Lapse || kind == Kind::PassDeadline;
}

QString Step::deed() const
{
    switch (kind) {
    case Kind::Command:
        return (server > 0 ? QStringLiteral("#%1 ").arg(server + 1) : QString()) + command.toText();
    case Kind::Clock:
        return clock ? QStringLiteral("reads its clock: %1").arg(*clock) : QStringLiteral("reads its clock");
    case Kind::Wait:
        return QStringLiteral("waits");
    case Kind::Write:
        return fencing ? QStringLiteral("writes to the resource, with number %1").arg(*fencing)
                       : QStringLiteral("writes to the resource");
    case Kind::Crash:
        return QStringLiteral("crash");
    case Kind::Lapse:
    case Kind::PassDeadline:
        return QStringLiteral("lapse");
    }
    Q_UNREACHABLE();
}

QString Step::toText() const
{
    QString text = (client.isEmpty() ? QStringLiteral("-") : client).leftJustified(3);
    text +=
        kind == Kind::Command ? deed() + QStringLiteral(" → ") + reply.toText() : QStringLiteral("(%1)").arg(deed());
    return note.isEmpty() ? text : text + QStringLiteral("    — ") + note;
}

} // namespace latchkey::stories
