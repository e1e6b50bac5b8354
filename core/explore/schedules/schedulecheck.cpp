#include "core/explore/schedules/schedulecheck.h"

#include "core/explore/schedules/subscriptions.h"

#include <QSet>

#include <algorithm>
#include <array>

namespace latchkey::schedules {

using base::ErrorKind;
using base::failure;
using base::Result;
using resp::Command;

namespace {

using Checked = std::optional<ScheduleViolation>;

Checked refusal(const QString &location, const base::Text &what)
{
    return ScheduleViolation {location, what};
}

/// Returns whether the command, once sent, breaks the rule of one RESP2 reply per command.
bool changesConversation(const Command &command)
{
    static constexpr std::array alone {"SSUBSCRIBE", "SUNSUBSCRIBE", "MONITOR", "SYNC", "PSYNC", "QUIT"};
    const QByteArray name = command.name().toUpper();
    if (std::ranges::find(alone, name) != alone.end())
        return true;
    const QByteArray argument = command.words().size() > 1 ? command.words()[1].toUpper() : QByteArray();
    return (name == "HELLO" && !argument.isEmpty() && argument != "2") || (name == "CLIENT" && argument == "REPLY");
}

base::Text reasonOf(const Command &command)
{
    return base::Text(QT_TRANSLATE_NOOP("core",
                                        "%1 cannot be part of a story: after it, replies do not answer commands "
                                        "one by one"),
                      base::printable(command.name()));
}

Checked checkCommand(const QString &location, const Command &command)
{
    return changesConversation(command) ? refusal(location, reasonOf(command)) : std::nullopt;
}

Checked checkNames(const RecordedSchedule &schedule)
{
    QSet<QString> names;
    for (std::size_t i = 0; i < schedule.clients.size(); ++i) {
        const QString &name = schedule.clients[i].name;
        const QString location = QStringLiteral("clients[%1].name").arg(i);
        if (name.isEmpty())
            return refusal(location, base::Text(QT_TRANSLATE_NOOP("core", "empty")));
        if (names.contains(name))
            return refusal(location,
                           base::Text(QT_TRANSLATE_NOOP("core", "\"%1\" is another client's name already"), name));
        names.insert(name);
    }
    return std::nullopt;
}

/// Checks the steps whose writes a fault loses: earlier commands on the same server, in order.
Checked checkLostSteps(const RecordedSchedule &schedule, std::size_t index)
{
    const ScheduleStep &step = schedule.steps[index];
    for (std::size_t i = 0; i < step.lostSteps.size(); ++i) {
        const std::size_t lost = step.lostSteps[i];
        const bool isInOrder = i == 0 || step.lostSteps[i - 1] < lost;
        if (lost >= index || !isInOrder || schedule.steps[lost].kind != ScheduleStep::Kind::Command
            || schedule.steps[lost].server != step.server)
            return refusal(QStringLiteral("steps[%1].lost_steps[%2]").arg(index).arg(i),
                           base::Text(QT_TRANSLATE_NOOP("core", "not a later one of the earlier commands on the same "
                                                                "server")));
    }
    return std::nullopt;
}

/// The state of the clients during a check.
class ScheduleState final
{
public:
    Checked apply(const ScheduleStep &step, std::size_t index)
    {
        const QString location = QStringLiteral("steps[%1]").arg(index);
        if (const auto crash = m_crashes.find(step.client); crash != m_crashes.end())
            return refusal(
                location + QStringLiteral(".client"),
                base::Text(QT_TRANSLATE_NOOP("core", "\"%1\" has crashed in steps[%2]"), step.client, crash->second));
        if (step.inside && *step.inside == m_inside.contains(step.client))
            return refusal(location + QStringLiteral(".inside"),
                           *step.inside ? base::Text(QT_TRANSLATE_NOOP("core", "\"%1\" is inside already"), step.client)
                                        : base::Text(QT_TRANSLATE_NOOP("core", "\"%1\" is not inside"), step.client));
        if (step.inside && *step.inside)
            m_inside.insert(step.client);
        else if (step.inside)
            m_inside.remove(step.client);
        if (step.kind == ScheduleStep::Kind::Crash)
            m_crashes[step.client] = index;
        return step.kind == ScheduleStep::Kind::Command
                 ? checkCommand(location + QStringLiteral(".command"), step.command)
                 : std::nullopt;
    }

private:
    std::map<QString, std::size_t> m_crashes; ///< Index of the step of each client's crash.
    QSet<QString> m_inside;
};

} // namespace

std::optional<base::Text> forbiddenReason(const Command &command)
{
    if (!changesConversation(command) && !changesSubscriptions(command))
        return std::nullopt;
    return reasonOf(command);
}

Checked violationIn(const RecordedSchedule &schedule)
{
    if (auto found = checkNames(schedule))
        return found;
    for (std::size_t i = 0; i < schedule.setupCommands.size(); ++i) {
        if (auto why = forbiddenReason(schedule.setupCommands[i])) // No client has subscribed yet.
            return refusal(QStringLiteral("beforehand[%1]").arg(i), *why);
    }
    ScheduleState state;
    for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
        if (auto found = state.apply(schedule.steps[i], i))
            return found;
        if (auto found = checkLostSteps(schedule, i))
            return found;
    }
    return std::nullopt;
}

Result<void> checkSchedule(const RecordedSchedule &schedule)
{
    if (const auto found = violationIn(schedule))
        return failure(ErrorKind::Usage, base::Text::about(found->location, found->what));
    return {};
}

} // namespace latchkey::schedules
