#include "core/recipes/caches/lifetime.h"

namespace latchkey::caches {

resp::Command expireIn(const base::Key &key, base::Lease lifetime, LifetimeUnit unit)
{
    switch (unit) {
    case LifetimeUnit::Seconds:
        return resp::expire(key, lifetime);
    case LifetimeUnit::Milliseconds:
        return resp::pexpire(key, lifetime);
    }
    Q_UNREACHABLE();
}

bool gaveLifetime(const exchange::Answer &answer)
{
    if (!answer) {
        const bool isOutcomeUnknown = base::leavesOutcomeUnknown(answer.error().kind);
        throw base::Failure(answer.error().during(
            isOutcomeUnknown
                ? base::Text(
                      QT_TRANSLATE_NOOP("core", "the data was written and may have been left without a lifetime"))
                : base::Text(QT_TRANSLATE_NOOP("core", "the data was written and is left without a lifetime"))));
    }
    return answer->isInteger(1);
}

} // namespace latchkey::caches
