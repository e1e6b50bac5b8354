#include "core/inspect/expectations/verdict.h"

namespace latchkey::expectations {

QLatin1String outcomeName(Verdict::Outcome outcome)
{
    switch (outcome) {
    case Verdict::Outcome::Open:
        return QLatin1String("open");
    case Verdict::Outcome::Holds:
        return QLatin1String("holds");
    case Verdict::Outcome::Fails:
        return QLatin1String("fails");
    case Verdict::Outcome::Unknown:
        return QLatin1String("unknown");
    }
    Q_UNREACHABLE();
}

QLatin1String whyName(Verdict::Why why)
{
    switch (why) {
    case Verdict::Why::None:
        return QLatin1String("none");
    case Verdict::Why::Ended:
        return QLatin1String("went");
    case Verdict::Why::StillExists:
        return QLatin1String("still-there");
    case Verdict::Why::NeverExisted:
        return QLatin1String("never-there");
    case Verdict::Why::NeverSeen:
        return QLatin1String("never-seen");
    case Verdict::Why::WatchedTooShort:
        return QLatin1String("watched-too-short");
    case Verdict::Why::TooShortLived:
        return QLatin1String("too-short-lived");
    case Verdict::Why::WritingNotSeen:
        return QLatin1String("writing-not-seen");
    case Verdict::Why::MayHaveComeBack:
        return QLatin1String("may-have-come-back");
    case Verdict::Why::MayHaveBeenWritten:
        return QLatin1String("may-have-been-written");
    case Verdict::Why::Renewed:
        return QLatin1String("renewed");
    case Verdict::Why::NotRenewed:
        return QLatin1String("not-renewed");
    case Verdict::Why::AlwaysExpiring:
        return QLatin1String("always-expiring");
    case Verdict::Why::WithoutExpiry:
        return QLatin1String("without-expiry");
    }
    Q_UNREACHABLE();
}

} // namespace latchkey::expectations
