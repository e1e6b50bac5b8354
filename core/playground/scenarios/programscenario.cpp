#include "core/playground/scenarios/programscenario.h"

#include "core/explore/schedules/searchtexts.h"
#include "core/explore/schedules/subscriptions.h"
#include "core/explore/schedules/violationtext.h"
#include "core/explore/schedules/waiting.h"
#include "core/playground/scenarios/schedulefaults.h"
#include "core/recipes/caches/catalogue.h"

#include <QCryptographicHash>
#include <QSet>

#include <algorithm>

namespace latchkey::scenarios {

using base::ErrorKind;
using base::Failure;
using base::Text;
using playground::ClientOrder;
using schedules::RecordedSchedule;
using schedules::ScheduleClient;
using schedules::ScheduleStep;
using namespace std::chrono_literals;

namespace {

/// TTL to which the player shortens the TTL of a key that expires next.
constexpr auto remainingLifetime = 1s;

/// Returns whether the reply is a time, which cannot be reproduced.
bool returnsTime(const resp::Command &command)
{
    static const QSet<QByteArray> names {"PTTL",         "TTL",  "PEXPIRETIME", "EXPIRETIME", "HPTTL",
                                         "HPEXPIRETIME", "HTTL", "HEXPIRETIME", "TIME"};
    return names.contains(command.name().toUpper());
}

/// A converter of a story recorded with a program into scenario steps, in order.
class ProgramSteps final
{
public:
    explicit ProgramSteps(const RecordedSchedule &schedule)
        : m_schedule(schedule)
    {}

    [[nodiscard]] ScenarioStep next(const ScheduleStep &step, const QString &location)
    {
        ScenarioStep converted;
        converted.location = location;
        converted.client = step.client;
        converted.action = actionOf(step, location);
        converted.sendsOneByOne = true; // Prevents a PING inside a transaction.
        converted.server = step.server;
        converted.losesReply = step.isLost;
        converted.passed = step.passed;
        if (step.inside)
            converted.inside = ScenarioStep::Inside {*step.inside, sectionOf(step)};
        converted.say = sentence(step);
        if (step.inside.value_or(false))
            m_inside += step.client;
        else if (step.inside || step.kind == ScheduleStep::Kind::Crash)
            m_inside.removeAll(step.client);
        converted.expectations = {expectationOf(step, location)};
        return converted;
    }

private:
    [[nodiscard]] StepAction actionOf(const ScheduleStep &step, const QString &location) const
    {
        if (const auto fault = serverFaultAction(step))
            return *fault;
        if (schedules::isServerFault(step.kind))
            throw Failure(base::Error {ErrorKind::Usage, Text::about(location, serverFaultReason())});
        switch (step.kind) {
        case ScheduleStep::Kind::Command:
            if (schedules::changesSubscriptions(step.command) || isConfirmation(step) || step.isUnreached)
                return CheckExpectations();
            return ClientOrder(playground::SendOrder {
                isTimeUp(step) ? schedules::withShortWait(step.command) : withScriptSource(step.command), step.server});
        case ScheduleStep::Kind::Crash:
            return Signal::Crash;
        case ScheduleStep::Kind::Lapse:
            return AwaitGone {base::Key(step.key), step.server, false, remainingLifetime};
        case ScheduleStep::Kind::Wait:
        case ScheduleStep::Kind::Message:
        case ScheduleStep::Kind::CloseSubscriber:
            return CheckExpectations();
        case ScheduleStep::Kind::Clock:
        case ScheduleStep::Kind::Write:
        case ScheduleStep::Kind::PassDeadline:
        case ScheduleStep::Kind::Failover: // Returned above, as the others.
        case ScheduleStep::Kind::Restart:
        case ScheduleStep::Kind::Outage:
        case ScheduleStep::Kind::Return:
        case ScheduleStep::Kind::ClockJump:
            break;
        }
        throw Failure(base::Error {
            ErrorKind::Usage,
            Text::about(location, Text(QT_TRANSLATE_NOOP("core", "nothing that a program does; explore --play plays it "
                                                                 "as it was recorded")))});
    }

    /// Returns whether a blocking command timed out. A played story skips that wait.
    [[nodiscard]] static bool isTimeUp(const ScheduleStep &step)
    {
        const auto waiting = schedules::waitingOf(step.command);
        return waiting && waiting->isTimeoutReply(step.reply);
    }

    /// Returns whether replicas have confirmed writes. The servers of a played story have no replicas.
    [[nodiscard]] static bool isConfirmation(const ScheduleStep &step)
    {
        return schedules::awaitedReplicas(step.command) && !isTimeUp(step);
    }

    /// Replaces the name of a script in the story by the script or its digest.
    [[nodiscard]] resp::Command withScriptSource(const resp::Command &command) const
    {
        const auto script = command.callsScript() && command.words().size() > 1
                              ? m_schedule.scripts.find(command.words()[1])
                              : m_schedule.scripts.end();
        if (script == m_schedule.scripts.end())
            return command;
        const bool isByDigest = command.name().toUpper().startsWith("EVALSHA");
        return command.withWord(1, isByDigest
                                       ? QCryptographicHash::hash(script->second, QCryptographicHash::Sha1).toHex()
                                       : script->second);
    }

    /// Returns `lock` of `ECHO latchkey:inside:lock`; empty for any other step.
    [[nodiscard]] static base::Key sectionOf(const ScheduleStep &step)
    {
        static const QByteArray prefix("latchkey:inside:");
        const auto &words = step.command.words();
        return base::Key(words.size() == 2 && words[1].startsWith(prefix) ? words[1].sliced(prefix.size())
                                                                          : QByteArray());
    }

    [[nodiscard]] QString sentence(const ScheduleStep &step) const
    {
        QStringList parts {actionText(step).toString()};
        if (step.inside.value_or(false)) {
            QStringList others = m_inside;
            others.removeAll(step.client);
            parts += insideText(step.client, others).toString();
        }
        const bool hasNote = step.kind == ScheduleStep::Kind::Command || step.kind == ScheduleStep::Kind::Wait;
        if (!step.note.isEmpty() && hasNote && !step.isLost && !step.isUnreached)
            parts += QStringLiteral("(%1)").arg(step.note.toString());
        return parts.join(u' ');
    }

    [[nodiscard]] Text actionText(const ScheduleStep &step) const
    {
        if (Text fault = serverFaultText(step, m_schedule.servers); !fault.isEmpty())
            return fault;
        if (step.kind == ScheduleStep::Kind::Crash)
            return Text(QT_TRANSLATE_NOOP("core", "The process of %1 is killed (SIGKILL)."), step.client);
        if (step.kind == ScheduleStep::Kind::Lapse)
            return Text(QT_TRANSLATE_NOOP("core", "The lifetime of %1 ends: the player has cut what was left of it "
                                                  "(PEXPIRE)."),
                        base::printable(step.key, 60));
        if (step.kind == ScheduleStep::Kind::Wait)
            return step.client.isEmpty() ? Text(QT_TRANSLATE_NOOP("core", "Time passes for all clients."))
                                         : Text(QT_TRANSLATE_NOOP("core", "%1 waits, and time goes by."), step.client);
        if (step.kind == ScheduleStep::Kind::CloseSubscriber)
            return Text(QT_TRANSLATE_NOOP("core", "%1 closes the connection over which it was told messages."),
                        step.client);
        if (step.kind == ScheduleStep::Kind::Message)
            return Text(QT_TRANSLATE_NOOP("core", "%1 is told %2. (The clients here are told no messages.)"),
                        step.client, step.reply.toText());
        if (schedules::changesSubscriptions(step.command))
            return Text(QT_TRANSLATE_NOOP("core", "%1 sends %2, and is answered %3. (The clients here do not "
                                                  "subscribe.)"),
                        step.client, step.action(m_schedule.servers), step.reply.toText());
        if (isConfirmation(step))
            return Text(
                QT_TRANSLATE_NOOP("core", "%1 sends %2, and is answered %3. (The servers here have no replicas.)"),
                step.client, step.action(m_schedule.servers), step.reply.toText());
        if (step.isUnreached)
            return Text(QT_TRANSLATE_NOOP("core", "%1 sends %2, which does not reach the server. (The client here does "
                                                  "not send it.)"),
                        step.client, step.action(m_schedule.servers));
        if (step.isLost)
            return Text(QT_TRANSLATE_NOOP("core", "%1 sends %2. It is carried out, but the reply is lost, and the "
                                                  "connection with it."),
                        step.client, step.action(m_schedule.servers));
        if (isTimeUp(step))
            return Text(QT_TRANSLATE_NOOP("core", "%1 has sent %2, and waited for nothing: %3. The player has cut the "
                                                  "wait."),
                        step.client, step.action(m_schedule.servers), step.reply.toText());
        return Text(QT_TRANSLATE_NOOP("core", "%1 sends %2, and is answered %3."), step.client,
                    step.action(m_schedule.servers), step.reply.toText());
    }

    [[nodiscard]] StepExpectation expectationOf(const ScheduleStep &step, const QString &location) const
    {
        StepExpectation expected;
        expected.location = location;
        expected.inside = m_inside;
        if (step.kind != ScheduleStep::Kind::Command || schedules::changesSubscriptions(step.command)
            || isConfirmation(step) || step.isUnreached)
            return expected;
        expected.outcomes = {step.isLost ? QStringLiteral("unknown") : QStringLiteral("answered")};
        const bool countsListeners = step.command.name().toUpper() == "PUBLISH"; // A played story has no subscribers.
        if (!step.isLost && !returnsTime(step.command) && !countsListeners)
            expected.reply = step.reply.toText();
        return expected;
    }

    const RecordedSchedule &m_schedule; // Not owned.
    QStringList m_inside;
};

} // namespace

bool isOfProgram(const RecordedSchedule &schedule)
{
    return !caches::findInAll(schedule.recipe)
        && std::ranges::none_of(schedule.steps, [](const ScheduleStep &step) { return step.begins.has_value(); })
        && std::ranges::all_of(schedule.clients, [](const ScheduleClient &actor) { return actor.lease == 0ms; });
}

base::Result<Scenario> scenarioFromProgram(const RecordedSchedule &schedule)
{
    try {
        Scenario converted;
        converted.title = titleOf(schedule);
        converted.summary =
            Text(QT_TRANSLATE_NOOP("core", "The shortest schedule that the race finder has found with the "
                                           "processes of %1. The program itself does not run here: clients "
                                           "of Latchkey's send what its processes have sent, and no "
                                           "lifetime ends before its turn."),
                 schedule.recipe)
                .toString();
        converted.servers = schedule.servers;
        converted.extendsTtls = true;
        for (const ScheduleClient &actor : schedule.clients)
            converted.clients += actor.name;
        for (const auto &[name, source] : schedule.scripts)
            converted.setupCommands.push_back(resp::Command {"SCRIPT", "LOAD", source});
        converted.setupCommands.insert(converted.setupCommands.end(), schedule.setupCommands.begin(),
                                       schedule.setupCommands.end());
        Alternative alternative;
        alternative.kind = Alternative::Kind::Flawed;
        alternative.title = schedule.recipe;
        alternative.verdict = verdictOf(schedule);
        ProgramSteps steps(schedule);
        for (std::size_t i = 0; i < schedule.steps.size(); ++i)
            alternative.steps.push_back(steps.next(schedule.steps[i], QStringLiteral("steps[%1]").arg(i)));
        markKeptSteps(schedule, alternative.steps);
        converted.alternatives = {std::move(alternative)};
        return converted;
    } catch (const Failure &failed) {
        return base::failure(failed.error());
    }
}

Text serverFaultReason()
{
    return Text(QT_TRANSLATE_NOOP("core", "a fault of a server cannot be played with client processes; explore --play "
                                          "plays it as it was recorded"));
}

Text insideText(const QString &client, const QStringList &others)
{
    return others.isEmpty()
             ? Text(QT_TRANSLATE_NOOP("core", "%1 is inside."), client)
             : Text(QT_TRANSLATE_NOOP("core", "%1 and %2 are both inside!"), client, others.join(QStringLiteral(", ")));
}

QString titleOf(const RecordedSchedule &schedule)
{
    const Text found = schedules::titleText(schedule.recipe, schedule.promise);
    return schedule.title == found.english() ? found.toString() : schedule.title;
}

QString verdictOf(const RecordedSchedule &schedule)
{
    const QString words = schedules::translatedViolation(schedule.verdict);
    if (words.isEmpty())
        return words;
    return Text(QT_TRANSLATE_NOOP("core", "%1."), QString(words.front().toUpper() + words.sliced(1))).toString();
}

} // namespace latchkey::scenarios
