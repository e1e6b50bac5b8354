#include "app/cli/promisetexts.h"

#include "app/help/commandline.h"
#include "core/explore/programs/rules.h"
#include "core/recipes/caches/recipe.h"
#include "core/recipes/locks/recipe.h"

#include <array>

namespace latchkey::cli {

using help::CommandLine;

namespace {

QString definitionOf(locks::Promise promise)
{
    switch (promise) {
    case locks::Promise::MutualExclusion:
        return CommandLine::tr("two clients are never inside at once, whichever clients crash, if no living holder "
                               "stays longer than its lease and the clocks agree");
    case locks::Promise::CrashRelease:
        return CommandLine::tr("the lock of a crashed holder becomes free");
    case locks::Promise::OwnerOnlyRelease:
        return CommandLine::tr("no client ends or changes a lock that another client holds");
    case locks::Promise::ContenderNeutral:
        return CommandLine::tr("a failed acquire leaves the holder's value and lease unchanged");
    case locks::Promise::ClockFree:
        return CommandLine::tr("mutual-exclusion, also if the clients' clocks differ by more than a lease");
    case locks::Promise::Fenced:
        return CommandLine::tr("a resource that checks fencing numbers refuses the write of an older holder after "
                               "that of a newer one");
    case locks::Promise::FailoverSafe:
        return CommandLine::tr("mutual-exclusion, also if a replica takes over that lacks the last writes");
    case locks::Promise::RestartSafe:
        return CommandLine::tr("mutual-exclusion, also if a server restarts empty, or without its last writes");
    case locks::Promise::ServerClockSafe:
        return CommandLine::tr("mutual-exclusion, also if the clock of a server jumps forward");
    case locks::Promise::PartitionSafe:
        return CommandLine::tr("mutual-exclusion, also if a client does not reach a server for a while");
    }
    Q_UNREACHABLE();
}

QString definitionOf(caches::Promise promise)
{
    switch (promise) {
    case caches::Promise::NoImmortalData:
        return CommandLine::tr("no data is left without an expiry");
    case caches::Promise::NoImmortalKey:
        return CommandLine::tr("no key of the recipe is left without an expiry");
    case caches::Promise::ForeignKeySafe:
        return CommandLine::tr("a key with a value of another type keeps its value and its expiry");
    case caches::Promise::NoTornRead:
        return CommandLine::tr("a reader sees all fields of one write and none of another");
    case caches::Promise::OneRecompute:
        return CommandLine::tr("while the guard lasts, only one client recomputes a miss");
    }
    Q_UNREACHABLE();
}

constexpr std::array lockPromises {locks::Promise::MutualExclusion,  locks::Promise::CrashRelease,
                                   locks::Promise::OwnerOnlyRelease, locks::Promise::ContenderNeutral,
                                   locks::Promise::ClockFree,        locks::Promise::Fenced,
                                   locks::Promise::FailoverSafe,     locks::Promise::RestartSafe,
                                   locks::Promise::ServerClockSafe,  locks::Promise::PartitionSafe};
constexpr std::array cachePromises {caches::Promise::NoImmortalData, caches::Promise::NoImmortalKey,
                                    caches::Promise::ForeignKeySafe, caches::Promise::NoTornRead,
                                    caches::Promise::OneRecompute};

QString definitionLines(const auto &promises)
{
    QString text;
    for (const auto promise : promises)
        text += QStringLiteral("  %1  %2\n").arg(promiseId(promise), -18).arg(definitionOf(promise));
    return text;
}

} // namespace

QString promiseDefinitions()
{
    return CommandLine::tr("Promises:\n") + definitionLines(lockPromises) + definitionLines(cachePromises);
}

QString promiseDefinition(const QString &id)
{
    if (id == programs::lostUpdate())
        return CommandLine::tr("no client overwrites a value that another client has written since it read the key");
    for (const auto promise : lockPromises) {
        if (promiseId(promise) == id)
            return definitionOf(promise);
    }
    for (const auto promise : cachePromises) {
        if (promiseId(promise) == id)
            return definitionOf(promise);
    }
    return {};
}

} // namespace latchkey::cli
