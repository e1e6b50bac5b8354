#include "core/inspect/recording/replaycache.h"

#include <algorithm>

namespace latchkey::recording {

using base::Result;
using std::chrono::nanoseconds;

nanoseconds ReplayCache::positionOf(const OpenReplay &open)
{
    return open.replay->position();
}

ReplayCache::ReplayCache(QString path, base::RandomSource &random, SetUp setUp)
    : m_path(std::move(path))
    , m_random(random)
    , m_setUp(std::move(setUp))
{}

ReplayCache::~ReplayCache() = default;

Result<std::unique_ptr<ReplayCache>> ReplayCache::open(const QString &path, base::RandomSource &random, SetUp setUp)
{
    std::unique_ptr<ReplayCache> replayCache(new ReplayCache(path, random, std::move(setUp)));
    auto first = replayCache->fromTheStart();
    if (!first)
        return base::failure(first.error());
    replayCache->m_shown = *std::move(first);
    replayCache->m_clock.show(*replayCache->m_shown.clock);
    return replayCache;
}

Result<ReplayCache::OpenReplay> ReplayCache::fromTheStart()
{
    OpenReplay made;
    made.clock = std::make_unique<ReplayClock>();
    auto replay = Replay::open(m_path, *made.clock, m_random);
    if (!replay)
        return base::failure(replay.error());
    made.replay = *std::move(replay);
    if (m_setUp)
        m_setUp(*made.replay);
    return made;
}

std::vector<ReplayCache::OpenReplay>::iterator ReplayCache::nearestBefore(nanoseconds moment)
{
    const auto after =
        std::ranges::find_if(m_kept, [moment](const OpenReplay &open) { return open.replay->position() > moment; });
    return after == m_kept.begin() ? m_kept.end() : std::prev(after);
}

bool ReplayCache::isAnother(nanoseconds moment) const
{
    const nanoseconds here = m_shown.replay->position();
    return here > moment || std::ranges::any_of(m_kept, [&](const OpenReplay &open) {
               return open.replay->position() > here && open.replay->position() <= moment;
           });
}

Result<void> ReplayCache::moveTo(nanoseconds moment, const std::function<void()> &release)
{
    if (!isAnother(moment))
        return {};
    OpenReplay next;
    if (const auto nearest = nearestBefore(moment); nearest != m_kept.end()) {
        next = std::move(*nearest);
        m_kept.erase(nearest);
    } else {
        auto first = fromTheStart();
        if (!first)
            return base::failure(first.error());
        next = *std::move(first);
    }
    release();
    OpenReplay before = std::exchange(m_shown, std::move(next));
    m_clock.show(*m_shown.clock);
    keep(std::move(before));
    return {};
}

/// Keeps a replay. Beyond the capacity, one of the two closest replays is removed.
void ReplayCache::keep(OpenReplay replay)
{
    m_maxKeys = std::max(m_maxKeys, replay.replay->server().store().known().table.size());
    m_kept.insert(std::ranges::upper_bound(m_kept, positionOf(replay), {}, positionOf), std::move(replay));
    while (m_kept.size() > room())
        m_kept.erase(closestToPredecessor());
}

std::vector<ReplayCache::OpenReplay>::iterator ReplayCache::closestToPredecessor()
{
    auto closest = m_kept.begin(); // The replay before the first one is the start, which costs nothing.
    nanoseconds least = positionOf(*closest);
    for (auto each = std::next(closest); each != m_kept.end(); ++each) {
        const nanoseconds distance = positionOf(*each) - positionOf(*std::prev(each));
        if (distance < least) {
            least = distance;
            closest = each;
        }
    }
    return closest;
}

std::size_t ReplayCache::room() const
{
    return std::clamp(static_cast<std::size_t>(maxKeptKeys / m_maxKeys), std::size_t(1), maxReplays);
}

std::optional<nanoseconds> ReplayCache::missing() const
{
    const auto wanted = static_cast<int>(room());
    const nanoseconds step = m_length.value_or(m_shown.replay->length()) / (wanted + 1);
    for (int i = 1; i <= wanted && step > nanoseconds::zero(); ++i) {
        const auto isNear = [&](const OpenReplay &open) {
            const nanoseconds position = open.replay->position();
            return position > step * (i - 1) && position <= step * i;
        };
        if (!isNear(m_shown) && std::ranges::none_of(m_kept, isNear))
            return step * i;
    }
    return std::nullopt;
}

void ReplayCache::setUpAnew()
{
    if (!m_setUp)
        return;
    m_setUp(*m_shown.replay);
    for (const OpenReplay &open : m_kept)
        m_setUp(*open.replay);
    if (m_driven.replay)
        m_setUp(*m_driven.replay);
}

bool ReplayCache::prepare(QDeadlineTimer deadline)
{
    while (!deadline.hasExpired()) {
        if (m_driven.replay == nullptr) {
            const auto moment = m_kept.size() < room() ? missing() : std::nullopt;
            auto made = moment ? fromTheStart() : Result<OpenReplay>(OpenReplay());
            if (!moment || !made) // moveTo() reports a missing file.
                return false;
            m_driven = *std::move(made);
            m_drivenTo = *moment;
        }
        if (!m_driven.replay->advance(m_drivenTo, deadline, false))
            return true;
        // A file that is damaged in the middle ends earlier than its last line indicates.
        if (m_driven.replay->isAtEnd())
            m_length = m_driven.replay->length();
        keep(std::exchange(m_driven, {}));
    }
    return true;
}

} // namespace latchkey::recording
