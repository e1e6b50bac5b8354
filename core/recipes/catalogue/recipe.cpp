#include "core/recipes/catalogue/recipe.h"

#include <algorithm>

namespace latchkey::catalogue {

using base::ErrorKind;

QString promiseId(Promise promise)
{
    switch (promise) {
    case Promise::MutualExclusion:
        return QStringLiteral("mutual-exclusion");
    case Promise::CrashRelease:
        return QStringLiteral("crash-release");
    case Promise::OwnerOnlyRelease:
        return QStringLiteral("owner-only-release");
    case Promise::ContenderNeutral:
        return QStringLiteral("contender-neutral");
    case Promise::ClockFree:
        return QStringLiteral("clock-free");
    case Promise::Fenced:
        return QStringLiteral("fenced");
    case Promise::FailoverSafe:
        return QStringLiteral("failover-safe");
    case Promise::RestartSafe:
        return QStringLiteral("restart-safe");
    case Promise::ServerClockSafe:
        return QStringLiteral("server-clock-safe");
    case Promise::PartitionSafe:
        return QStringLiteral("partition-safe");
    case Promise::NoImmortalData:
        return QStringLiteral("no-immortal-data");
    case Promise::NoImmortalKey:
        return QStringLiteral("no-immortal-key");
    case Promise::ForeignKeySafe:
        return QStringLiteral("foreign-key-safe");
    case Promise::NoTornRead:
        return QStringLiteral("no-torn-read");
    case Promise::OneRecompute:
        return QStringLiteral("one-recompute");
    }
    Q_UNREACHABLE();
}

bool Recipe::hasPromise(Promise promise) const
{
    return std::ranges::find(promises, promise) != promises.end();
}

QStringList Recipe::promiseIds() const
{
    QStringList ids;
    for (const Promise promise : promises)
        ids += promiseId(promise);
    return ids;
}

tl::unexpected<base::Error> unknownRecipe(QStringView id, const QStringList &ids)
{
    return base::failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "unknown recipe \"%1\"; there are %2"),
                         id.toString(), ids.join(QStringLiteral(", ")));
}

tl::unexpected<base::Error> unsupported(const Recipe &recipe, const base::Text &option)
{
    return base::failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "the recipe %1 does not accept %2"), recipe.id,
                         option);
}

} // namespace latchkey::catalogue
