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

Checked refusal(const QString &place, const base::Text &what)
{
    return ScheduleViolation {place, what};
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

base::Text whyNot(const Command &command)
{
    return base::Text(QT_TRANSLATE_NOOP("core",
                                        "%1 cannot be part of a story: after it, replies do not answer commands "
                                        "one by one"),
                      base::printable(command.name()));
}

Checked checkCommand(const QString &place, const Command &command)
{
    return changesConversation(command) ? refusal(place, whyNot(command)) : std::nullopt;
}

Checked checkNames(const RecordedSchedule &story)
{
    QSet<QString> names;
    for (std::size_t i = 0; i < story.actors.size(); ++i) {
        const QString &name = story.actors[i].name;
        const QString place = QStringLiteral("clients[%1].name").arg(i);
        if (name.isEmpty())
            return refusal(place, base::Text(QT_TRANSLATE_NOOP("core", "empty")));
        if (names.contains(name))
            return refusal(place,
                           base::Text(QT_TRANSLATE_NOOP("core", "\"%1\" is another client's name already"), name));
        names.insert(name);
    }
    return std::nullopt;
}

/// Checks the steps whose writes a fault loses: earlier commands on the same server, in order.
Checked checkLostSteps(const RecordedSchedule &story, std::size_t index)
{
    const ScheduleStep &step = story.steps[index];
    for (std::size_t i = 0; i < step.lostSteps.size(); ++i) {
        const std::size_t lost = step.lostSteps[i];
        const bool isInOrder = i == 0 || step.lostSteps[i - 1] < lost;
        if (lost >= index || !isInOrder || story.steps[lost].kind != ScheduleStep::Kind::Command
            || story.steps[lost].server != step.server)
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
    Checked follow(const ScheduleStep &step, std::size_t index)
    {
        const QString place = QStringLiteral("steps[%1]").arg(index);
        if (const auto crash = m_crashes.find(step.client); crash != m_crashes.end())
            return refusal(
                place + QStringLiteral(".client"),
                base::Text(QT_TRANSLATE_NOOP("core", "\"%1\" has crashed in steps[%2]"), step.client, crash->second));
        if (step.inside && *step.inside == m_inside.contains(step.client))
            return refusal(place + QStringLiteral(".inside"),
                           *step.inside ? base::Text(QT_TRANSLATE_NOOP("core", "\"%1\" is inside already"), step.client)
                                        : base::Text(QT_TRANSLATE_NOOP("core", "\"%1\" is not inside"), step.client));
        if (step.inside && *step.inside)
            m_inside.insert(step.client);
        else if (step.inside)
            m_inside.remove(step.client);
        if (step.kind == ScheduleStep::Kind::Crash)
            m_crashes[step.client] = index;
        return step.kind == ScheduleStep::Kind::Command ? checkCommand(place + QStringLiteral(".command"), step.command)
                                                        : std::nullopt;
    }

private:
    std::map<QString, std::size_t> m_crashes; ///< Index of the step of each client's crash.
    QSet<QString> m_inside;
};

} // namespace

std::optional<base::Text> whyNotInASchedule(const Command &command)
{
    if (!changesConversation(command) && !changesSubscriptions(command))
        return std::nullopt;
    return whyNot(command);
}

Checked violationIn(const RecordedSchedule &story)
{
    if (auto found = checkNames(story))
        return found;
    for (std::size_t i = 0; i < story.beforehand.size(); ++i) {
        if (auto why = whyNotInASchedule(story.beforehand[i])) // No client has subscribed yet.
            return refusal(QStringLiteral("beforehand[%1]").arg(i), *why);
    }
    ScheduleState state;
    for (std::size_t i = 0; i < story.steps.size(); ++i) {
        if (auto found = state.follow(story.steps[i], i))
            return found;
        if (auto found = checkLostSteps(story, i))
            return found;
    }
    return std::nullopt;
}

Result<void> checkSchedule(const RecordedSchedule &story)
{
    if (const auto found = violationIn(story))
        return failure(ErrorKind::Usage, base::Text::about(found->place, found->what));
    return {};
}

} // namespace latchkey::schedules
