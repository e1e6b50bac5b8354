#include "core/playground/scenarios/scenario.h"

#include "core/foundation/base/duration.h"

namespace latchkey::scenarios {

using base::Text;
using playground::ClientReport;

namespace {

QString shown(const base::Key &key)
{
    return base::printable(key.bytes(), 60);
}

Text lasting(const Text &action, const std::optional<base::Lease> &lease)
{
    if (!lease)
        return action;
    return Text(QT_TRANSLATE_NOOP("core", "%1, for %2"), action, base::formatDuration(lease->duration()));
}

struct OrderText
{
    Text operator()(const playground::AcquireOrder &order) const
    {
        return lasting(Text(QT_TRANSLATE_NOOP("core", "acquires %1 by %2"), shown(order.options.key), order.recipe),
                       order.options.lease);
    }
    Text operator()(const playground::ReleaseOrder & /*order*/) const
    {
        return Text(QT_TRANSLATE_NOOP("core", "releases its lock"));
    }
    Text operator()(const playground::ExtendOrder &order) const
    {
        return lasting(Text(QT_TRANSLATE_NOOP("core", "extends its lease")), order.lease);
    }
    Text operator()(const playground::PutOrder &order) const
    {
        return lasting(Text(QT_TRANSLATE_NOOP("core", "writes %1 by %2"), shown(order.options.key), order.recipe),
                       order.options.lifetime);
    }
    Text operator()(const playground::GetOrder &order) const
    {
        return Text(QT_TRANSLATE_NOOP("core", "reads %1 by %2"), shown(order.options.key), order.recipe);
    }
    Text operator()(const playground::RecomputeOrder &order) const
    {
        return Text(QT_TRANSLATE_NOOP("core", "reads %1 and recomputes it if needed"), shown(order.options.key));
    }
    Text operator()(const playground::SendOrder &order) const
    {
        return Text(QT_TRANSLATE_NOOP("core", "sends %1"), order.command.toText());
    }
    Text operator()(const playground::WriteOrder & /*order*/) const
    {
        return Text(QT_TRANSLATE_NOOP("core", "writes to the resource"));
    }
    Text operator()(const playground::ResumeOrder & /*order*/) const { return {}; }
    Text operator()(playground::ClockOrder /*order*/) const { return {}; }
    Text operator()(const playground::LoseReplyOrder & /*order*/) const { return {}; }
    Text operator()(playground::ReconnectOrder /*order*/) const { return {}; }
    Text operator()(const playground::QuitOrder & /*order*/) const { return {}; }
};

struct ActionText
{
    Text operator()(const CheckExpectations & /*action*/) const { return {}; }
    Text operator()(const playground::ClientOrder &order) const { return std::visit(OrderText {}, order); }
    Text operator()(Signal signal) const
    {
        switch (signal) {
        case Signal::Crash:
            return Text(QT_TRANSLATE_NOOP("core", "is killed (SIGKILL)"));
        case Signal::Pause:
            return Text(QT_TRANSLATE_NOOP("core", "is paused (SIGSTOP)"));
        case Signal::Resume:
            return Text(QT_TRANSLATE_NOOP("core", "is resumed (SIGCONT)"));
        }
        Q_UNREACHABLE();
    }
    Text operator()(ResumeClient /*action*/) const { return Text(QT_TRANSLATE_NOOP("core", "continues")); }
    Text operator()(const AwaitAnswer & /*action*/) const
    {
        return Text(QT_TRANSLATE_NOOP("core", "waits for its answer"));
    }
    Text operator()(AwaitReport action) const
    {
        return action.event == ClientReport::Event::Renewed
                 ? Text(QT_TRANSLATE_NOOP("core", "renews its lease automatically"))
                 : Text(QT_TRANSLATE_NOOP("core", "finds out that it has lost its lock"));
    }
    Text operator()(const AwaitGone &action) const
    {
        return Text(QT_TRANSLATE_NOOP("core", "the key %1 expires"), shown(action.key));
    }
    Text operator()(const AwaitDeadline &action) const
    {
        return Text(QT_TRANSLATE_NOOP("core", "the deadline in %1 passes"), shown(action.key));
    }
    Text operator()(Work action) const
    {
        return Text(QT_TRANSLATE_NOOP("core", "%1 of work"), base::formatDuration(action.time));
    }
    Text operator()(const AdvanceClocks &action) const
    {
        return Text(QT_TRANSLATE_NOOP("core", "all clocks are moved past the deadline in %1"), shown(action.key));
    }
    Text operator()(ChangeServerKeys action) const
    {
        switch (action.fault) {
        case ChangeServerKeys::Fault::LostNothing:
            return action.event == sequence::ServerEvent::FailedOver
                     ? Text(QT_TRANSLATE_NOOP("core", "a replica takes over for server %1"), action.server + 1)
                     : Text(QT_TRANSLATE_NOOP("core", "server %1 restarts with its saved data"), action.server + 1);
        case ChangeServerKeys::Fault::LostWrites:
            return Text(QT_TRANSLATE_NOOP("core", "server %1 loses its last writes"), action.server + 1);
        case ChangeServerKeys::Fault::LostAll:
            return Text(QT_TRANSLATE_NOOP("core", "server %1 loses all keys"), action.server + 1);
        case ChangeServerKeys::Fault::ClockJump:
            return Text(QT_TRANSLATE_NOOP("core", "the clock of server %1 jumps forward"), action.server + 1);
        }
        Q_UNREACHABLE();
    }
    Text operator()(KillServer action) const
    {
        return Text(QT_TRANSLATE_NOOP("core", "server %1 is killed"), action.server + 1);
    }
    Text operator()(RestartServer action) const
    {
        return Text(QT_TRANSLATE_NOOP("core", "server %1 restarts, empty"), action.server + 1);
    }
    Text operator()(CutReplica action) const
    {
        return Text(QT_TRANSLATE_NOOP("core", "replica %1 of server %2 is cut off"), action.replica + 1,
                    action.server + 1);
    }
    Text operator()(Failover action) const
    {
        return Text(QT_TRANSLATE_NOOP("core", "server %1 is killed, and its replica %2 is promoted"), action.server + 1,
                    action.replica + 1);
    }
};

} // namespace

Text ScenarioStep::actionText() const
{
    return std::visit(ActionText {}, action);
}

QString kindId(Alternative::Kind kind)
{
    switch (kind) {
    case Alternative::Kind::Plain:
        return {};
    case Alternative::Kind::Flawed:
        return QStringLiteral("flawed");
    case Alternative::Kind::Sound:
        return QStringLiteral("sound");
    }
    Q_UNREACHABLE();
}

QString outcomeId(const ClientReport &report)
{
    if (report.event == ClientReport::Event::Done)
        return report.operationResult.outcome;
    return playground::eventId(report.event);
}

} // namespace latchkey::scenarios
