#include "ui/pages/detail/leasecurve.h"

#include "core/foundation/base/timetext.h"
#include "ui/views/keytable/keytext.h"
#include "ui/views/timeline/lanelayout.h"

#include <QCoreApplication>

#include <algorithm>

namespace latchkey::ui::detail {

using base::MonotonicTime;
using history::Hold;
using history::KnownExpiry;
using std::chrono::nanoseconds;
using namespace std::chrono_literals;

namespace {

struct CurveText
{
    Q_DECLARE_TR_FUNCTIONS(CurveText)
};

/// Part of the past that is shown if it was observed: at least this time, and this many leases.
constexpr auto minPast = 30s;
constexpr int leasesBack = 3;
/// Least width of the past, so that a new curve is not magnified further.
constexpr auto finestPast = 5s;
/// Largest ratio of future to past; with more future, the past would not be visible.
constexpr int maxFutureLeases = 3;
/// Longest past that the pixels of the chart can resolve.
constexpr auto longestPast = 6h;
/// Lower limit of the vertical scale.
constexpr nanoseconds minUpperBound = 1ms;

/// Returns the time until which the hold is known to have existed.
MonotonicTime seenUntil(const Hold &hold)
{
    if (!hold.until)
        return MonotonicTime::max();
    if (hold.ending == events::Ending::Expired)
        return timeline::endOf(hold);
    return std::max(hold.until->earliest, hold.from.latest);
}

bool isMovedByUser(const Hold &hold, const KnownExpiry &end)
{
    return std::ranges::any_of(hold.ownChanges,
                               [&](const history::OwnChange &change) { return change.when == end.since; });
}

void addStretches(const Hold &hold, std::vector<LeaseCurve::Segment> &segments)
{
    std::vector<KnownExpiry> ends = hold.ends;
    if (ends.empty() && hold.deadline)
        ends.push_back({hold.from, *hold.deadline});
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const MonotonicTime from = ends[i].since.latest;
        const MonotonicTime to = i + 1 < ends.size() ? ends[i + 1].since.earliest : seenUntil(hold);
        segments.push_back(
            {from, std::max(from, to), ends[i].deadline, hold.holder, i > 0, i > 0 && isMovedByUser(hold, ends[i])});
    }
}

} // namespace

std::optional<nanoseconds> LeaseCurve::Segment::leftAt(MonotonicTime time) const
{
    const auto left = deadline.remaining(time);
    return left ? std::optional(std::max(*left, 0ns)) : std::nullopt;
}

bool LeaseCurve::isFlat() const
{
    return std::ranges::all_of(segments, [](const Segment &segment) { return segment.deadline.isNever(); });
}

const LeaseCurve::Segment *LeaseCurve::current() const
{
    return segments.empty() || !segments.back().continues() ? nullptr : &segments.back();
}

LeaseCurve curveOf(const std::deque<Hold> &holds)
{
    LeaseCurve curve;
    // Counts back from the last hold, so that a long history costs nothing.
    auto hold = holds.end();
    for (std::size_t segments = 0; hold != holds.begin() && segments < LeaseCurve::maxSegments;)
        segments += std::max<std::size_t>(1, (--hold)->ends.size());
    for (; hold != holds.end(); ++hold) {
        addStretches(*hold, curve.segments);
        if (hold->isOver())
            curve.finishes.push_back({timeline::endOf(*hold), timeline::endMark(*hold), hold->deadline});
    }
    if (curve.segments.size() > LeaseCurve::maxSegments)
        curve.segments.erase(curve.segments.begin(),
                             curve.segments.end() - static_cast<std::ptrdiff_t>(LeaseCurve::maxSegments));
    return curve;
}

LeaseFrame frameOf(const LeaseCurve &curve, MonotonicTime now)
{
    LeaseFrame frame {now - finestPast, now, now + finestPast, minUpperBound};
    if (curve.segments.empty())
        return frame;
    // The last segment determines the shown past, so that longer earlier leases do not compress the picture.
    nanoseconds lease = 0ns;
    const LeaseCurve::Segment &last = curve.segments.back();
    if (const auto left = last.leftAt(last.from))
        lease = *left;
    const nanoseconds known = now - curve.segments.front().from;
    const nanoseconds wanted = std::max<nanoseconds>(
        {minPast, leasesBack * std::min<nanoseconds>(lease, longestPast), last.continues() ? 0ns : now - last.from});
    const nanoseconds past =
        std::clamp<nanoseconds>(std::min(known, wanted), finestPast, std::chrono::nanoseconds(longestPast));
    frame.from = now - past;
    nanoseconds ahead = past / 10; // Keeps the current moment away from the edge.
    if (const LeaseCurve::Segment *current = curve.current()) {
        if (const auto left = current->leftAt(now)) {
            const nanoseconds shown =
                std::min<nanoseconds>(*left, maxFutureLeases * past); // The limit avoids an overflow.
            ahead = std::clamp(shown + shown / 20, ahead, maxFutureLeases * past);
        }
    }
    frame.to = now + ahead;
    for (const LeaseCurve::Segment &segment : curve.segments) {
        if (segment.to < frame.from)
            continue;
        if (const auto left = segment.leftAt(std::max(segment.from, frame.from)))
            frame.longestTime = std::max(frame.longestTime, *left);
    }
    // Without an expiry within the frame, the scale considers earlier segments.
    if (frame.longestTime == minUpperBound) {
        for (const LeaseCurve::Segment &segment : curve.segments)
            frame.longestTime = std::max(frame.longestTime, segment.leftAt(segment.from).value_or(minUpperBound));
    }
    return frame;
}

QString curveText(const LeaseCurve &curve, MonotonicTime now, base::WallTime wallNow)
{
    const LeaseFrame frame = frameOf(curve, now);
    QStringList parts {CurveText::tr("TTL over the last %1").arg(keytable::durationText(now - frame.from))};
    const auto moved = std::ranges::count_if(curve.segments, [&](const LeaseCurve::Segment &segment) {
        return segment.isMoved && segment.from >= frame.from;
    });
    parts += moved == 0 ? CurveText::tr("expiry not changed")
           : moved == 1 ? CurveText::tr("expiry changed once")
                        : CurveText::tr("expiry changed %Ln times", nullptr, static_cast<int>(moved));
    for (const LeaseCurve::Finish &finish : curve.finishes) {
        if (finish.at >= frame.from)
            parts += CurveText::tr("a hold ended: %1").arg(timeline::endMarkText(finish.mark));
    }
    if (const LeaseCurve::Segment *current = curve.current()) {
        const auto wall = base::localTime(wallNow);
        parts += current->deadline.isNever()
                   ? CurveText::tr("no expiry now")
                   : CurveText::tr("expires at %1").arg(keytable::endText(current->deadline, now, wall));
    }
    return parts.join(QStringLiteral("; "));
}

} // namespace latchkey::ui::detail
