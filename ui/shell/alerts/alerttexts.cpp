#include "ui/shell/alerts/alerttexts.h"

#include "core/foundation/base/bytes.h"
#include "core/foundation/base/duration.h"
#include "core/inspect/findings/findingtexts.h"
#include "core/inspect/history/historytexts.h"

namespace latchkey::ui::alerts {

using latchkey::alerts::Alert;
using latchkey::alerts::AlertRule;
using Condition = AlertRule::Condition;
using State = LoggedAlert::State;

namespace {

/// Returns how long the alert lasted, as a range if the time of its end is uncertain.
QString lastedText(const LoggedAlert &logged)
{
    constexpr std::chrono::milliseconds negligible {100};
    const auto longest = logged.end.at - logged.alert.raisedAt;
    const QString text = base::displayDuration(longest);
    if (!logged.end.hold || !logged.end.hold->until)
        return text;
    const auto shortest =
        std::max(logged.end.hold->until->earliest - logged.alert.raisedAt, std::chrono::nanoseconds(0));
    return longest - shortest <= negligible
             ? text
             : AlertTexts::tr("%1 to %2", "two lengths of time").arg(base::displayDuration(shortest), text);
}

} // namespace

QString AlertTexts::condition(const AlertRule &rule)
{
    switch (rule.condition) {
    case Condition::NoExpiry:
        return tr("A lock has no expiry");
    case Condition::TwoHolders:
        return tr("A lock has more holders than it admits");
    case Condition::OlderThan:
        return tr("A lock is held for longer than %1").arg(base::displayDuration(rule.limit));
    case Condition::Finding:
        return tr("A lock has the finding \"%1\"").arg(findings::FindingTexts::title(rule.finding));
    case Condition::Blind:
        return rule.limit.count() == 0
                 ? tr("The server does not answer")
                 : tr("The server has not answered for %1").arg(base::displayDuration(rule.limit));
    }
    Q_UNREACHABLE();
}

QString AlertTexts::keys(const AlertRule &rule)
{
    if (rule.condition == Condition::Blind)
        return tr("the whole server");
    return rule.glob.pattern().isEmpty() ? tr("all keys") : base::printable(rule.glob.pattern());
}

QString AlertTexts::key(const Alert &alert)
{
    return alert.key ? base::printable(*alert.key) : tr("the whole server");
}

QString AlertTexts::state(const LoggedAlert &logged, base::MonotonicTime now)
{
    switch (logged.state) {
    case State::Open:
        if (logged.alert.key && logged.server && !logged.server->watcher().coverage().isObserving())
            return tr("not seen now");
        return tr("for %1").arg(base::wholeDuration(now - logged.alert.raisedAt));
    case State::Over: {
        const QString lasted = lastedText(logged);
        if (!logged.end.isLockGone)
            return tr("over after %1").arg(lasted);
        const QString how = logged.end.hold ? history::endingText(*logged.end.hold) : QString();
        return how.isEmpty() ? tr("over after %1, the lock is gone").arg(lasted)
                             : tr("over after %1: %2").arg(lasted, how);
    }
    case State::Unwatched:
        return tr("no longer watched");
    }
    Q_UNREACHABLE();
}

} // namespace latchkey::ui::alerts
