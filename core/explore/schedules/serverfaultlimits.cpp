#include "core/explore/schedules/serverfaultlimits.h"

#include "core/recipes/catalogue/recipe.h"

#include <QCoreApplication>

namespace latchkey::schedules {

using catalogue::Promise;
using catalogue::promiseId;

namespace {

struct LimitTexts
{
    Q_DECLARE_TR_FUNCTIONS(Schedules)
};

QString numberOf(int count, const QString &one, const QString &many)
{
    return count == 1 ? one : many.arg(count);
}

} // namespace

QString persistenceId(Persistence persistence)
{
    switch (persistence) {
    case Persistence::None:
        return QStringLiteral("none");
    case Persistence::EverySec:
        return QStringLiteral("everysec");
    case Persistence::Always:
        return QStringLiteral("always");
    }
    Q_UNREACHABLE();
}

QStringList ServerFaultLimits::argumentsFor(const QStringList &promises) const
{
    QStringList arguments;
    const auto add = [&arguments](const char *option, int count) {
        arguments += {QLatin1String(option), QString::number(count)};
    };
    const bool hasFailovers = promises.contains(promiseId(Promise::FailoverSafe));
    const bool hasRestarts = promises.contains(promiseId(Promise::RestartSafe));
    if (hasFailovers)
        add("--failovers", failovers);
    if (hasRestarts)
        add("--restarts", restarts);
    if (hasRestarts)
        arguments += {QStringLiteral("--persistence"), persistenceId(persistence)};
    if (hasRestarts && restartsAfterLease)
        arguments += {QStringLiteral("--restart-delay"), QStringLiteral("lease")};
    if (hasFailovers || hasRestarts)
        add("--lost-writes", lostWrites);
    if (promises.contains(promiseId(Promise::ServerClockSafe)))
        add("--clock-jumps", clockJumps);
    if (promises.contains(promiseId(Promise::PartitionSafe)))
        add("--partitions", partitions);
    return arguments;
}

QString limitsText(const QStringList &promises, const ServerFaultLimits &limits)
{
    QStringList texts;
    if (promises.contains(promiseId(Promise::FailoverSafe)))
        texts += numberOf(limits.failovers, LimitTexts::tr("1 failover"), LimitTexts::tr("%1 failovers"));
    if (promises.contains(promiseId(Promise::RestartSafe)))
        texts += numberOf(limits.restarts, LimitTexts::tr("1 restart"), LimitTexts::tr("%1 restarts"));
    if (promises.contains(promiseId(Promise::ServerClockSafe)))
        texts += numberOf(limits.clockJumps, LimitTexts::tr("1 clock jump"), LimitTexts::tr("%1 clock jumps"));
    if (promises.contains(promiseId(Promise::PartitionSafe)))
        texts += numberOf(limits.partitions, LimitTexts::tr("1 partition"), LimitTexts::tr("%1 partitions"));
    return texts.join(LimitTexts::tr(", "));
}

} // namespace latchkey::schedules
