#include "app/cli/promisetexts.h"

#include "app/help/commandline.h"
#include "core/explore/programs/rules.h"
#include "core/recipes/catalogue/recipe.h"

#include <array>

namespace latchkey::cli {

using catalogue::Promise;
using help::CommandLine;

namespace {

QString definitionOf(Promise promise)
{
    switch (promise) {
    case Promise::MutualExclusion:
        return CommandLine::tr("two clients are never inside at once, whichever clients crash, if no living holder "
                               "stays longer than its lease and the clocks agree");
    case Promise::CrashRelease:
        return CommandLine::tr("the lock of a crashed holder becomes free");
    case Promise::OwnerOnlyRelease:
        return CommandLine::tr("no client ends or changes a lock that another client holds");
    case Promise::ContenderNeutral:
        return CommandLine::tr("a failed acquire leaves the holder's value and lease unchanged");
    case Promise::ClockFree:
        return CommandLine::tr("mutual-exclusion, also if the clients' clocks differ by more than a lease");
    case Promise::Fenced:
        return CommandLine::tr("a resource that checks fencing numbers refuses the write of an older holder after "
                               "that of a newer one");
    case Promise::FailoverSafe:
        return CommandLine::tr("mutual-exclusion, also if a replica takes over that lacks the last writes");
    case Promise::RestartSafe:
        return CommandLine::tr("mutual-exclusion, also if a server restarts empty, or without its last writes");
    case Promise::ServerClockSafe:
        return CommandLine::tr("mutual-exclusion, also if the clock of a server jumps forward");
    case Promise::PartitionSafe:
        return CommandLine::tr("mutual-exclusion, also if a client does not reach a server for a while");
    case Promise::NoImmortalData:
        return CommandLine::tr("no data is left without an expiry");
    case Promise::NoImmortalKey:
        return CommandLine::tr("no key of the recipe is left without an expiry");
    case Promise::ForeignKeySafe:
        return CommandLine::tr("a key with a value of another type keeps its value and its expiry");
    case Promise::NoTornRead:
        return CommandLine::tr("a reader sees all fields of one write and none of another");
    case Promise::OneRecompute:
        return CommandLine::tr("while the guard lasts, only one client recomputes a miss");
    }
    Q_UNREACHABLE();
}

constexpr std::array recipePromises {Promise::MutualExclusion,  Promise::CrashRelease,   Promise::OwnerOnlyRelease,
                                     Promise::ContenderNeutral, Promise::ClockFree,      Promise::Fenced,
                                     Promise::FailoverSafe,     Promise::RestartSafe,    Promise::ServerClockSafe,
                                     Promise::PartitionSafe,    Promise::NoImmortalData, Promise::NoImmortalKey,
                                     Promise::ForeignKeySafe,   Promise::NoTornRead,     Promise::OneRecompute};

} // namespace

QString promiseDefinitions()
{
    QString text = CommandLine::tr("Promises:\n");
    for (const Promise promise : recipePromises)
        text += QStringLiteral("  %1  %2\n").arg(promiseId(promise), -18).arg(definitionOf(promise));
    return text;
}

QString promiseDefinition(const QString &id)
{
    if (id == programs::lostUpdate())
        return CommandLine::tr("no client overwrites a value that another client has written since it read the key");
    for (const Promise promise : recipePromises) {
        if (promiseId(promise) == id)
            return definitionOf(promise);
    }
    return {};
}

} // namespace latchkey::cli
