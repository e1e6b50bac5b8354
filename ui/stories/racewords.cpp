#include "ui/stories/racewords.h"

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

QString spokenComplaint(const QString &complaint)
{
    return complaint.isEmpty() ? complaint : QCoreApplication::translate("races", complaint.toUtf8().constData());
}

QString aboutPromise(const QString &promise)
{
    if (promise == u"mutual-exclusion")
        return RaceWords::tr(
            "No two clients are inside at once, no matter which of them crash, as long as nobody who lives outstays "
            "the lease that it asked for and the clocks agree.");
    if (promise == u"crash-release")
        return RaceWords::tr("When everybody has finished or died and every lease is over, a newcomer gets the lock.");
    if (promise == u"owner-only-release")
        return RaceWords::tr(
            "A release or extend, however late, never ends or changes a lock that is another's by then.");
    if (promise == u"contender-neutral")
        return RaceWords::tr("An acquire that fails leaves the holder's lock as it was, value and lease.");
    if (promise == u"clock-free")
        return RaceWords::tr("No two clients are inside at once, also where their clocks differ by more than a lease.");
    if (promise == u"fenced")
        return RaceWords::tr(
            "A resource that goes by fencing numbers never takes an older holder's write after a newer holder's.");
    if (promise == u"lost-update")
        return RaceWords::tr(
            "Nobody writes to the resource, from what it has read, over what another has written since.");
    if (promise == u"no-immortal-data")
        return RaceWords::tr("When everybody has finished or died, no data stays behind without a lifetime.");
    if (promise == u"no-immortal-key")
        return RaceWords::tr(
            "When everybody has finished or died, no key stays behind without a lifetime, not even an empty one.");
    if (promise == u"foreign-key-safe")
        return RaceWords::tr("A key that already holds a value of another type keeps both its value and its lifetime.");
    if (promise == u"no-torn-read")
        return RaceWords::tr(
            "While two clients write the same fields, a reader sees all of one write and nothing of the other.");
    if (promise == u"one-recompute")
        return RaceWords::tr("While the guard lasts, a miss is recomputed by one client only.");
    return {};
}

} // namespace latchkey::ui::stories
