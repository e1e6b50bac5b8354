#include "core/inspect/expectations/expectationtexts.h"

#include "core/inspect/history/historytexts.h"

#include <QCoreApplication>

#include <algorithm>

namespace latchkey::expectations {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using Outcome = Verdict::Outcome;
using Why = Verdict::Why;

namespace {

/// Formats a time to the millisecond, as bounds are given to the millisecond.
QString secondsText(nanoseconds time)
{
    const qint64 whole = std::chrono::round<milliseconds>(std::max(time, nanoseconds(0))).count();
    return QCoreApplication::translate("core", "%1.%2 s").arg(whole / 1000).arg(whole % 1000, 3, 10, QLatin1Char('0'));
}

QString sinceText(const Verdict &verdict)
{
    return verdict.isSinceWriting ? QCoreApplication::translate("core", "after it was written")
                                  : QCoreApplication::translate("core", "after the first look");
}

/// Returns the middle of the interval with its uncertainty.
QString elapsedText(const Verdict &verdict)
{
    const nanoseconds half = (verdict.upperBound - verdict.lowerBound) / 2;
    return QCoreApplication::translate("core", "%1 %2, give or take %3 ms")
        .arg(secondsText(verdict.lowerBound + half), sinceText(verdict))
        .arg(std::chrono::ceil<milliseconds>(half).count());
}

QString renewedText(const Verdict &verdict)
{
    const QString times = verdict.count == 1
                            ? QCoreApplication::translate("core", "renewed once")
                            : QCoreApplication::translate("core", "renewed %n times", nullptr, verdict.count);
    return QCoreApplication::translate("core", "%1, at most %2 apart").arg(times, secondsText(verdict.upperBound));
}

} // namespace

QString outcomeText(Outcome outcome)
{
    switch (outcome) {
    case Outcome::Open:
        return QCoreApplication::translate("core", "open");
    case Outcome::Holds:
        return QCoreApplication::translate("core", "holds");
    case Outcome::Fails:
        return QCoreApplication::translate("core", "fails");
    case Outcome::Unknown:
        return QCoreApplication::translate("core", "not known");
    }
    Q_UNREACHABLE();
}

QString groundsText(const Verdict &verdict)
{
    switch (verdict.why) {
    case Why::None:
        return QCoreApplication::translate("core", "nothing has been seen yet");
    case Why::Ended:
        return QCoreApplication::translate("core", "%1 %2")
            .arg(history::endingText(verdict.ending), elapsedText(verdict));
    case Why::StillExists:
        return QCoreApplication::translate("core", "still there %1 %2")
            .arg(secondsText(verdict.lowerBound), sinceText(verdict));
    case Why::NeverExisted:
        return QCoreApplication::translate("core", "the key never existed");
    case Why::NeverSeen:
        return QCoreApplication::translate("core", "the key was never seen; no verdict");
    case Why::WatchedTooShort:
        if (verdict.outcome == Outcome::Unknown)
            return QCoreApplication::translate("core", "watched for only %1").arg(secondsText(verdict.lowerBound));
        return verdict.lowerBound < milliseconds(1)
                 ? QCoreApplication::translate("core", "there at the first look")
                 : QCoreApplication::translate("core", "there for %1").arg(secondsText(verdict.lowerBound));
    case Why::TooShortLived:
        return QCoreApplication::translate("core", "the key never existed long enough for a verdict");
    case Why::WritingNotSeen:
        return QCoreApplication::translate("core",
                                           "it was there before the first look, and has not been written since");
    case Why::MayHaveComeBack:
        return QCoreApplication::translate("core", "the key may have ended and returned unobserved");
    case Why::MayHaveBeenWritten:
        return QCoreApplication::translate(
            "core", "the key was written again, or only its expiry changed; the server does not report which "
                    "(notify-keyspace-events)");
    case Why::Renewed:
        return verdict.count == 0 ? QCoreApplication::translate("core", "not renewed yet") : renewedText(verdict);
    case Why::NotRenewed:
        return QCoreApplication::translate("core", "not renewed for %1").arg(secondsText(verdict.lowerBound));
    case Why::AlwaysExpiring: {
        const QString looks = verdict.count == 1 ? QCoreApplication::translate("core", "an expiry in the one look")
                                                 : QCoreApplication::translate("core", "an expiry in each of %n looks",
                                                                               nullptr, verdict.count);
        return QCoreApplication::translate("core", "%1, at most %2 apart").arg(looks, secondsText(verdict.upperBound));
    }
    case Why::WithoutExpiry:
        return QCoreApplication::translate("core", "without an expiry %1").arg(elapsedText(verdict));
    }
    Q_UNREACHABLE();
}

} // namespace latchkey::expectations
