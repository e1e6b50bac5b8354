#include "core/explore/schedules/searchtexts.h"

#include "core/foundation/base/bytes.h"
#include "core/recipes/catalogue/recipe.h"

#include <QCoreApplication>
#include <QStringList>

#include <array>

namespace latchkey::schedules {

using catalogue::Promise;

namespace {

struct SearchTexts
{
    Q_DECLARE_TR_FUNCTIONS(Schedules)
};

QString definitionOf(Promise promise)
{
    switch (promise) {
    case Promise::MutualExclusion:
        return SearchTexts::tr("two clients are never inside at once, whichever clients crash, if no living holder "
                               "stays longer than its lease and the clocks agree");
    case Promise::CrashRelease:
        return SearchTexts::tr("the lock of a crashed holder becomes free");
    case Promise::OwnerOnlyRelease:
        return SearchTexts::tr("no client ends or changes a lock that another client holds");
    case Promise::ContenderNeutral:
        return SearchTexts::tr("a failed acquire leaves the holder's value and lease unchanged");
    case Promise::ClockFree:
        return SearchTexts::tr("mutual-exclusion, also if the clients' clocks differ by more than a lease");
    case Promise::Fenced:
        return SearchTexts::tr("a resource that checks fencing numbers refuses the write of an older holder after "
                               "that of a newer one");
    case Promise::FailoverSafe:
        return SearchTexts::tr("mutual-exclusion, also if a replica takes over that lacks the last writes");
    case Promise::RestartSafe:
        return SearchTexts::tr("mutual-exclusion, also if a server restarts empty, or without its last writes");
    case Promise::ServerClockSafe:
        return SearchTexts::tr("mutual-exclusion, also if the clock of a server jumps forward");
    case Promise::PartitionSafe:
        return SearchTexts::tr("mutual-exclusion, also if a client does not reach a server for a while");
    case Promise::NoImmortalData:
        return SearchTexts::tr("no data is left without an expiry");
    case Promise::NoImmortalKey:
        return SearchTexts::tr("no key of the recipe is left without an expiry");
    case Promise::ForeignKeySafe:
        return SearchTexts::tr("a key with a value of another type keeps its value and its expiry");
    case Promise::NoTornRead:
        return SearchTexts::tr("a reader sees all fields of one write and none of another");
    case Promise::OneRecompute:
        return SearchTexts::tr("while the guard lasts, only one client recomputes a miss");
    }
    Q_UNREACHABLE();
}

constexpr std::array recipePromises {Promise::MutualExclusion,  Promise::CrashRelease,   Promise::OwnerOnlyRelease,
                                     Promise::ContenderNeutral, Promise::ClockFree,      Promise::Fenced,
                                     Promise::FailoverSafe,     Promise::RestartSafe,    Promise::ServerClockSafe,
                                     Promise::PartitionSafe,    Promise::NoImmortalData, Promise::NoImmortalKey,
                                     Promise::ForeignKeySafe,   Promise::NoTornRead,     Promise::OneRecompute};

/// Returns a count with its noun. Empty for zero.
QString counted(int count, const QString &one, const QString &many)
{
    return count == 1 ? one : count > 1 ? many.arg(count) : QString();
}

} // namespace

QString clockControlId(ClockControl control)
{
    switch (control) {
    case ClockControl::Controlled:
        return QStringLiteral("controlled");
    case ClockControl::PartlyControlled:
        return QStringLiteral("partly-controlled");
    case ClockControl::NotControlled:
        return QStringLiteral("not-controlled");
    }
    Q_UNREACHABLE();
}

ClockControl clockControlFrom(const QString &id)
{
    for (const ClockControl control : {ClockControl::Controlled, ClockControl::PartlyControlled}) {
        if (clockControlId(control) == id)
            return control;
    }
    return ClockControl::NotControlled;
}

base::Text titleText(const QString &subject, const QString &promise)
{
    return promise.isEmpty() ? base::Text(QT_TRANSLATE_NOOP("core", "%1: a client waits for ever"), subject)
                             : base::Text(QT_TRANSLATE_NOOP("core", "%1 breaks %2"), subject, promise);
}

QString countText(double count, const QLocale &locale)
{
    return count < 1e15 ? locale.toString(count, 'f', 0) : QString::number(count, 'g', 3);
}

QString clientsText(int clients)
{
    return clients == 1 ? SearchTexts::tr("1 client") : SearchTexts::tr("%1 clients").arg(clients);
}

QString limitsText(int clients, int servers, const FaultLimits &limits)
{
    QStringList faults {
        counted(limits.crashes, SearchTexts::tr("1 crash"), SearchTexts::tr("%1 crashes")),
        counted(limits.expirations, SearchTexts::tr("1 expiration"), SearchTexts::tr("%1 expirations")),
        counted(limits.timerSteps, SearchTexts::tr("1 timer step"), SearchTexts::tr("%1 timer steps")),
        counted(limits.lostReplies, SearchTexts::tr("1 lost reply"), SearchTexts::tr("%1 lost replies")),
    };
    faults.removeAll(QString());
    if (limits.preemptions) // Zero is a limit, too.
        faults += *limits.preemptions == 1 ? SearchTexts::tr("1 preemption")
                                           : SearchTexts::tr("%1 preemptions").arg(*limits.preemptions);
    const QString subject = servers == 1 ? clientsText(clients)
                                         : SearchTexts::tr("%1 on %2 servers").arg(clientsText(clients)).arg(servers);
    return faults.isEmpty() ? SearchTexts::tr("%1 without faults").arg(subject)
                            : SearchTexts::tr("%1 with at most %2").arg(subject, faults.join(SearchTexts::tr(", ")));
}

QString clockText(ClockControl control)
{
    switch (control) {
    case ClockControl::Controlled:
        return SearchTexts::tr("The program's clock was virtual: time advanced only at the steps shown.");
    case ClockControl::PartlyControlled:
        return SearchTexts::tr("The program's clock was partly virtual: it also uses timers of the system, and "
                               "behaviour that depends on these was not explored.");
    case ClockControl::NotControlled:
        return SearchTexts::tr("The program's clock was real: behaviour that depends on the time of day or on waiting "
                               "times was not explored.");
    }
    Q_UNREACHABLE();
}

QString failedEndText(int exitCode, const QString &printed)
{
    if (printed.isEmpty())
        return SearchTexts::tr("Some clients ended with exit code %1 without output.").arg(exitCode);
    return SearchTexts::tr("Some clients ended with exit code %1; last output: %2")
        .arg(exitCode)
        .arg(base::printable(printed.toUtf8()));
}

QString noEndText()
{
    return SearchTexts::tr("No client ended in any schedule, so promises about the state after all clients have ended "
                           "say little.");
}

QString livelockText(int repetitions, const QString &alone)
{
    if (!alone.isEmpty())
        return SearchTexts::tr("Livelock: one client alone, without any fault, repeats %1 forever. It never ends, so "
                               "promises about the state after all clients have ended say little.")
            .arg(alone);
    return SearchTexts::
        tr("Endless retries: a client repeated the same failing steps %1 times and was treated as retrying forever.")
            .arg(repetitions);
}

QString lateRetriesText(int retries)
{
    return SearchTexts::tr(
               "Many retries: after more than %1 retries, a client does something else, which was not explored: let it "
               "retry less often, or end after the last retry.")
        .arg(retries);
}

QString busyWaitText()
{
    return SearchTexts::tr("Busy wait: a client repeats its commands without sleeping until a time of its clock. Time "
                           "does not advance in such a loop, so what the client does afterwards was not explored: let "
                           "it sleep between two attempts.");
}

QString promiseDefinitions()
{
    QString text = SearchTexts::tr("Promises:\n");
    for (const Promise promise : recipePromises)
        text += QStringLiteral("  %1  %2\n").arg(promiseId(promise), -18).arg(definitionOf(promise));
    return text;
}

QString promiseDefinition(const QString &id)
{
    if (id == u"lost-update")
        return SearchTexts::tr("no client overwrites a value that another client has written since it read the key");
    for (const Promise promise : recipePromises) {
        if (promiseId(promise) == id)
            return definitionOf(promise);
    }
    return {};
}

} // namespace latchkey::schedules
