#include "core/playground/scenarios/schedulescenario.h"

#include "core/explore/schedules/schedulefile.h"
#include "core/playground/scenarios/programscenario.h"
#include "core/playground/scenarios/scenarioreader.h"
#include "core/playground/scenarios/schedulefaults.h"
#include "core/recipes/caches/catalogue.h"
#include "core/recipes/locks/catalogue.h"
#include "core/redis/exchange/script.h"

#include <algorithm>

namespace latchkey::scenarios {

using base::ErrorKind;
using base::Failure;
using base::Text;
using playground::ClientOrder;
using schedules::Operation;
using schedules::RecordedSchedule;
using schedules::ScheduleClient;
using schedules::ScheduleStep;
using namespace std::chrono_literals;

namespace {

/// TTL to which the player shortens a lease that expires next.
constexpr auto remainingLease = 1s;

[[noreturn]] void refuse(const Text &what)
{
    throw Failure(base::Error {ErrorKind::Usage, what});
}

/// A converter of a story recorded with a recipe into scenario steps, in order.
class Converter final
{
public:
    explicit Converter(const RecordedSchedule &schedule)
        : m_schedule(schedule)
    {
        const auto recipe = caches::findInAll(schedule.recipe);
        if (!recipe)
            refuse(recipe.error().text);
        if ((*recipe)->isLock)
            m_lock = *locks::findRecipe(schedule.recipe);
        else
            m_cache = *caches::findRecipe(schedule.recipe);
        if (m_lock != nullptr && m_lock->needsReplica)
            refuse(Text(QT_TRANSLATE_NOOP("core", "the recipe %1 needs a replica, which the servers of a story do not "
                                                  "have; explore --play plays it as it was recorded"),
                        schedule.recipe));
        if (schedule.key.isEmpty())
            refuse(Text(QT_TRANSLATE_NOOP("core", "the story does not say which key its recipe is used on; explore "
                                                  "--play plays it as it was recorded")));
        // TYPE is not included: clients use it only as a preliminary check.
        for (const QString &command : (*recipe)->commands)
            m_breakBefore += command.toLatin1();
        const auto readsClock = [](const ScheduleStep &step) { return step.kind == ScheduleStep::Kind::Clock; };
        if (std::ranges::any_of(schedule.steps,
                                readsClock)) // In other stories, the moment of the reading has no effect.
            m_breakBefore += "CLOCK";
        m_breakBefore += "WAIT";
    }

    [[nodiscard]] std::vector<ScenarioStep> steps()
    {
        std::vector<ScenarioStep> converted;
        for (std::size_t i = 0; i < m_schedule.steps.size(); ++i) {
            converted.push_back(scenarioStep(m_schedule.steps[i], QStringLiteral("steps[%1]").arg(i)));
        }
        return converted;
    }

private:
    [[nodiscard]] ScenarioStep scenarioStep(const ScheduleStep &step, const QString &location)
    {
        ScenarioStep converted;
        converted.location = location;
        converted.client = step.client;
        converted.action = actionOf(step, location);
        if (isOfRecipe(step)) {
            converted.sendsOneByOne = true;
            converted.server = step.server;
            converted.breakBefore = m_breakBefore;
        }
        convert(step);
        converted.say = sentence(step);
        converted.expectations = {expectationOf(step, location)};
        return converted;
    }

    /// Returns whether the recipe takes this step automatically when its client continues.
    [[nodiscard]] static bool isOfRecipe(const ScheduleStep &step)
    {
        return step.kind == ScheduleStep::Kind::Command || step.kind == ScheduleStep::Kind::Clock
            || step.kind == ScheduleStep::Kind::Wait;
    }

    void convert(const ScheduleStep &step)
    {
        if (step.inside.value_or(false))
            m_inside += step.client;
        else if (step.inside || step.kind == ScheduleStep::Kind::Crash)
            m_inside.removeAll(step.client);
    }

    [[nodiscard]] StepAction actionOf(const ScheduleStep &step, const QString &location)
    {
        // A recipe with WATCH depends on its connection, which ends in the recorded fault and stays open here.
        if (const auto fault = serverFaultAction(step); fault && m_lock != nullptr && !m_lock->needsOwnConnection)
            return *fault;
        if (schedules::isServerFault(step.kind) || step.isLost || step.isUnreached)
            refuse(Text::about(location, serverFaultReason()));
        switch (step.kind) {
        case ScheduleStep::Kind::Crash:
            return Signal::Crash;
        case ScheduleStep::Kind::Write:
            return ClientOrder(playground::WriteOrder());
        case ScheduleStep::Kind::Lapse:
            return AwaitGone {base::Key(step.key), step.server, false, remainingLease};
        case ScheduleStep::Kind::PassDeadline:
            return AdvanceClocks {base::Key(step.key), step.server};
        case ScheduleStep::Kind::Failover:
        case ScheduleStep::Kind::Restart:
        case ScheduleStep::Kind::Outage:
        case ScheduleStep::Kind::Return:
        case ScheduleStep::Kind::ClockJump:
        case ScheduleStep::Kind::Command:
        case ScheduleStep::Kind::Clock:
        case ScheduleStep::Kind::Wait:
        case ScheduleStep::Kind::Message: // No recipe subscribes.
        case ScheduleStep::Kind::CloseSubscriber:
            break;
        }
        if (!step.begins) {
            if (!m_begun.contains(step.client))
                refuse(
                    Text::about(location, Text(QT_TRANSLATE_NOOP("core", "the story does not say what %1 begins here; "
                                                                         "explore --play plays it as it was recorded"),
                                               step.client)));
            return ResumeClient();
        }
        m_begun += step.client;
        return orderOf(step, location);
    }

    [[nodiscard]] ClientOrder orderOf(const ScheduleStep &step, const QString &location) const
    {
        const ScheduleClient &actor = *std::ranges::find_if(
            m_schedule.clients, [&](const ScheduleClient &each) { return each.name == step.client; });
        const bool isOfLock = *step.begins == Operation::Acquire || *step.begins == Operation::Release
                           || *step.begins == Operation::Extend;
        if (isOfLock != (m_lock != nullptr))
            refuse(Text::about(
                location, Text(QT_TRANSLATE_NOOP("core", "not an operation of the recipe \"%1\""), m_schedule.recipe)));
        switch (*step.begins) {
        case Operation::Acquire: {
            playground::AcquireOrder order;
            order.recipe = m_schedule.recipe;
            order.options.key = base::Key(m_schedule.key);
            if (m_lock->hasLease)
                order.options.lease = leaseOf(actor.lease, location);
            return order;
        }
        case Operation::Release:
            return playground::ReleaseOrder();
        case Operation::Extend:
            return playground::ExtendOrder {leaseOf(step.lease, location)};
        case Operation::Put: {
            playground::PutOrder order {m_schedule.recipe, optionsOf(actor, location), caches::Content::ofValue({})};
            if (m_cache->holdsFields) {
                caches::Fields fields;
                for (const auto &[name, value] : actor.fields)
                    fields.push_back({name, value});
                order.content = caches::Content::ofFields(fields);
            } else {
                order.content = caches::Content::ofValue(actor.value.value_or(QByteArray()));
            }
            return order;
        }
        case Operation::Get:
            return playground::GetOrder {m_schedule.recipe, optionsOf(actor, location)};
        }
        Q_UNREACHABLE();
    }

    [[nodiscard]] caches::CacheOptions optionsOf(const ScheduleClient &actor, const QString &location) const
    {
        caches::CacheOptions options;
        options.key = base::Key(m_schedule.key);
        options.lifetime = leaseOf(actor.lease, location);
        return options;
    }

    [[nodiscard]] static base::Lease leaseOf(std::chrono::milliseconds time, const QString &location)
    {
        const auto lease = base::Lease::of(time);
        if (!lease)
            refuse(Text::about(location, lease.error().text));
        return *lease;
    }

    /// Returns a sentence with the event and its consequence.
    [[nodiscard]] QString sentence(const ScheduleStep &step) const
    {
        QStringList parts;
        if (const Text begun = beginning(step); !begun.isEmpty())
            parts += begun.toString();
        parts += actionText(step).toString();
        if (step.inside.value_or(false)) {
            QStringList others = m_inside;
            others.removeAll(step.client);
            parts += insideText(step.client, others).toString();
        }
        if (!step.note.isEmpty() && isOfRecipe(step))
            parts += QStringLiteral("(%1)").arg(step.note.toString());
        return parts.join(u' ');
    }

    [[nodiscard]] static Text beginning(const ScheduleStep &step)
    {
        if (!step.begins)
            return {};
        switch (*step.begins) {
        case Operation::Acquire:
            return Text(QT_TRANSLATE_NOOP("core", "%1 wants the lock."), step.client);
        case Operation::Release:
            return Text(QT_TRANSLATE_NOOP("core", "%1 releases its lock."), step.client);
        case Operation::Extend:
            return Text(QT_TRANSLATE_NOOP("core", "%1 extends its lease."), step.client);
        case Operation::Put:
            return Text(QT_TRANSLATE_NOOP("core", "%1 writes what expires."), step.client);
        case Operation::Get:
            return Text(QT_TRANSLATE_NOOP("core", "%1 reads."), step.client);
        }
        Q_UNREACHABLE();
    }

    [[nodiscard]] Text actionText(const ScheduleStep &step) const
    {
        if (Text fault = serverFaultText(step, m_schedule.servers); !fault.isEmpty())
            return fault;
        const QString key = base::printable(step.key, 60);
        switch (step.kind) {
        case ScheduleStep::Kind::Command:
            return Text(QT_TRANSLATE_NOOP("core", "%1 sends %2, and is answered %3."), step.client,
                        step.action(m_schedule.servers), step.reply.toText());
        case ScheduleStep::Kind::Clock:
            return Text(QT_TRANSLATE_NOOP("core", "%1 reads its clock."), step.client);
        case ScheduleStep::Kind::Wait:
            return Text(QT_TRANSLATE_NOOP("core", "%1 waits before it tries again."), step.client);
        case ScheduleStep::Kind::Message:
        case ScheduleStep::Kind::CloseSubscriber:
            return step.action();
        case ScheduleStep::Kind::Write:
            return Text(QT_TRANSLATE_NOOP("core", "%1 writes to the resource that the lock protects."), step.client);
        case ScheduleStep::Kind::Crash:
            return Text(QT_TRANSLATE_NOOP("core", "The process of %1 is killed (SIGKILL)."), step.client);
        case ScheduleStep::Kind::Lapse:
            return Text(QT_TRANSLATE_NOOP("core",
                                          "The time of %1 ends. It is hours long, so the player has cut what was "
                                          "left of it (PEXPIRE)."),
                        key);
        case ScheduleStep::Kind::PassDeadline:
            return Text(QT_TRANSLATE_NOOP("core",
                                          "All clocks pass the deadline in %1: the player has moved those of the "
                                          "clients."),
                        key);
        case ScheduleStep::Kind::Failover: // Returned above, or refused by actionOf(), as the others.
        case ScheduleStep::Kind::Restart:
        case ScheduleStep::Kind::Outage:
        case ScheduleStep::Kind::Return:
        case ScheduleStep::Kind::ClockJump:
            break;
        }
        Q_UNREACHABLE();
    }

    [[nodiscard]] StepExpectation expectationOf(const ScheduleStep &step, const QString &location) const
    {
        StepExpectation expected;
        expected.location = location;
        if (m_lock != nullptr)
            expected.inside = m_inside;
        if (step.kind == ScheduleStep::Kind::Command)
            expected.lastCommand = CommandExpectation {QString::fromUtf8(step.command.name()), step.reply.toText()};
        // The recipe derives any of these outcomes, including an error, from the reply.
        if (isOfRecipe(step) && m_cache != nullptr)
            expected.outcomes = {QStringLiteral("held"),    QStringLiteral("written"), QStringLiteral("exists"),
                                 QStringLiteral("nothing"), QStringLiteral("gone"),    QStringLiteral("hit"),
                                 QStringLiteral("miss"),    QStringLiteral("error")};
        return expected;
    }

    const RecordedSchedule &m_schedule;      // Not owned.
    const locks::Recipe *m_lock = nullptr;   // Not owned: the catalogue's.
    const caches::Recipe *m_cache = nullptr; // Not owned: the catalogue's.
    QList<QByteArray> m_breakBefore;
    QStringList m_begun;
    QStringList m_inside;
};

Text summaryOf(const RecordedSchedule &schedule)
{
    return Text(QT_TRANSLATE_NOOP("core", "The shortest schedule that the race finder has found. Each client is a "
                                          "separate process that uses %1 and is held before each command."),
                schedule.recipe);
}

} // namespace

base::Result<Scenario> scenarioFrom(const RecordedSchedule &schedule)
{
    if (isOfProgram(schedule))
        return scenarioFromProgram(schedule);
    try {
        Scenario converted;
        converted.title = titleOf(schedule);
        converted.summary = summaryOf(schedule).toString();
        converted.servers = schedule.servers;
        for (const ScheduleClient &actor : schedule.clients) {
            converted.clients += actor.name;
            if (actor.clockAhead != 0s)
                converted.clockAhead[actor.name] = actor.clockAhead;
        }
        for (const auto &[name, source] : schedule.scripts)
            converted.setupCommands.push_back(resp::Command {"SCRIPT", "LOAD", source});
        for (const resp::Command &command : schedule.setupCommands)
            converted.setupCommands.push_back(command);
        Alternative alternative;
        alternative.kind = Alternative::Kind::Flawed;
        alternative.recipe = schedule.recipe;
        alternative.verdict = verdictOf(schedule);
        alternative.steps = Converter(schedule).steps();
        markKeptSteps(schedule, alternative.steps);
        converted.alternatives = {std::move(alternative)};
        return converted;
    } catch (const Failure &failed) {
        return base::failure(failed.error());
    }
}

base::Result<Scenario> readAnyStory(const QString &name, const QByteArray &contents)
{
    if (storyVersion(contents) != 1)
        return readScenario(name, contents);
    const auto recorded = schedules::fromFile(contents, name);
    if (!recorded)
        return base::failure(recorded.error());
    auto converted = scenarioFrom(*recorded);
    if (!converted)
        return base::failure(converted.error().during(name));
    return converted;
}

} // namespace latchkey::scenarios
