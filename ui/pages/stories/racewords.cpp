#include "ui/pages/stories/racewords.h"

#include <QCoreApplication>
#include <QLocale>

namespace latchkey::ui::stories {

namespace {

/// From this value on, only the order of magnitude is displayed.
constexpr double mostExact = 1e15;

struct RaceWords
{
    Q_DECLARE_TR_FUNCTIONS(latchkey::ui::stories::RaceWords)
};

} // namespace

QString grouped(double count)
{
    return count < mostExact ? QLocale().toString(count, 'f', 0) : QString::number(count, 'g', 3);
}

QString clientsText(int clients)
{
    return clients == 1 ? RaceWords::tr("1 client") : RaceWords::tr("%n clients", nullptr, clients);
}

QString aboutPromise(const QString &promise)
{
    if (promise == u"mutual-exclusion")
        return RaceWords::tr("No two clients are inside at once, even if clients crash, while no live holder exceeds "
                             "its lease and the clocks agree.");
    if (promise == u"crash-release")
        return RaceWords::tr(
            "When all clients have finished or crashed and all leases are over, a new client gets the lock.");
    if (promise == u"owner-only-release")
        return RaceWords::tr("A late release or extend never ends or changes a lock that another client holds.");
    if (promise == u"contender-neutral")
        return RaceWords::tr("A failed acquire changes neither the value nor the lease of the holder's lock.");
    if (promise == u"clock-free")
        return RaceWords::tr("No two clients are inside at once, even if their clocks differ by more than a lease.");
    if (promise == u"fenced")
        return RaceWords::tr(
            "A resource that checks fencing numbers never accepts an older holder's write after a newer holder's.");
    if (promise == u"failover-safe")
        return RaceWords::tr("No two clients are inside at once, even if a replica takes over that lacks the last "
                             "writes of its server.");
    if (promise == u"restart-safe")
        return RaceWords::tr("No two clients are inside at once, even if a server restarts empty.");
    if (promise == u"server-clock-safe")
        return RaceWords::tr("No two clients are inside at once, even if the clock of a server jumps forward.");
    if (promise == u"partition-safe")
        return RaceWords::tr(
            "No two clients are inside at once, even if a client does not reach a server for a while.");
    if (promise == u"lost-update")
        return RaceWords::tr("No client overwrites another client's write with a value computed from an older read.");
    if (promise == u"no-immortal-data")
        return RaceWords::tr("When all clients have finished or crashed, no data is left without an expiry.");
    if (promise == u"no-immortal-key")
        return RaceWords::tr(
            "When all clients have finished or crashed, no key is left without an expiry, not even an empty one.");
    if (promise == u"foreign-key-safe")
        return RaceWords::tr("A key that already holds a value of another type keeps both its value and its lifetime.");
    if (promise == u"no-torn-read")
        return RaceWords::tr(
            "While two clients write the same fields, a reader sees all of one write and none of the other.");
    if (promise == u"one-recompute")
        return RaceWords::tr("While the guard lasts, only one client recomputes a miss.");
    return {};
}

} // namespace latchkey::ui::stories
