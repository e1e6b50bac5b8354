#include "core/races/schedule.h"

#include <QJsonObject>

namespace latchkey::races {

QString ScheduleStep::toText() const
{
    QString text = client.isEmpty() ? QStringLiteral("-") : client;
    text = text.leftJustified(3);
    if (!fault.isEmpty())
        text += QStringLiteral("(%1)").arg(fault);
    else if (reply.isEmpty())
        text += QStringLiteral("(%1)").arg(command);
    else
        text +=
            (server > 0 ? QStringLiteral("#%1 ").arg(server + 1) : QString()) + command + QStringLiteral(" → ") + reply;
    return note.isEmpty() ? text : text + QStringLiteral("    — ") + note;
}

QJsonArray toJson(const std::vector<ScheduleStep> &steps)
{
    QJsonArray array;
    for (const ScheduleStep &step : steps) {
        QJsonObject object;
        if (!step.client.isEmpty())
            object[QStringLiteral("client")] = step.client;
        if (!step.fault.isEmpty()) {
            object[QStringLiteral("fault")] = step.fault;
        } else {
            object[QStringLiteral("command")] = step.command;
            object[QStringLiteral("reply")] = step.reply;
            if (step.server > 0)
                object[QStringLiteral("server")] = step.server;
        }
        if (!step.note.isEmpty())
            object[QStringLiteral("note")] = step.note;
        array.append(object);
    }
    return array;
}

} // namespace latchkey::races
