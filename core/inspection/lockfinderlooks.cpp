// The part of LockFinder that assembles what is known of one key.

#include "core/inspection/lockfinder.h"

namespace latchkey::inspection {

using base::MonotonicTime;
using keys::KeyId;
using keys::RawValue;
using recognition::Interest;
using recognition::Recognition;
using recognition::Sighting;

Sighting LockFinder::sightingOf(KeyId id, const QByteArray &key) const
{
    const keys::KnownKeys &known = m_store.known();
    Sighting sighting;
    sighting.key = key;
    sighting.type = known.table.type(id);
    if (const RawValue *value = known.value(id))
        sighting.value = *value;
    const MonotonicTime now = m_clock.now();
    const auto leftOf = [&](KeyId of) -> std::optional<std::chrono::milliseconds> {
        const auto left = known.table.deadline(of).remaining(now);
        return left ? std::optional(std::chrono::floor<std::chrono::milliseconds>(*left)) : std::nullopt;
    };
    sighting.isExpiryKnown = true;
    sighting.left = leftOf(id);
    sighting.endsWithFields = !sighting.left && !known.endOf(id).isNever();
    if (const auto candidate = m_candidates.constFind(key); candidate != m_candidates.cend())
        sighting.rhythm = candidate->rhythm;
    for (const QByteArray &name : m_companions.wantedBy(key)) {
        const auto companion = known.table.find(name);
        if (companion && known.isLive(*companion) && known.value(*companion) != nullptr)
            sighting.companions.insert(name, {true, *known.value(*companion), leftOf(*companion)});
        else if (m_companions.isAbsent(name))
            sighting.companions.insert(name, {});
    }
    if (sighting.value)
        sighting.releases = m_releases.of(key, *sighting.value);
    if (sighting.value && sighting.value->isWholeString())
        sighting.sameValue = m_sameValues.others(key, *sighting.value);
    sighting.now = m_clock.wallNow() + m_serverAhead;
    return sighting;
}

std::optional<LockFinder::Looked> LockFinder::lookUp(const QByteArray &key) const
{
    const keys::KnownKeys &known = m_store.known();
    const auto id = known.table.find(key);
    if (!id || !known.isLive(*id))
        return std::nullopt;
    Looked looked;
    looked.sighting = sightingOf(*id, key);
    looked.recognition = m_recogniser.recognise(looked.sighting, m_surroundings.known());
    return looked;
}

Recognition LockFinder::recognise(const QByteArray &key) const
{
    const auto looked = lookUp(key);
    return looked ? looked->recognition : Recognition();
}

Recognition LockFinder::recogniseHolding(const QByteArray &key, const RawValue &value) const
{
    const keys::KnownKeys &known = m_store.known();
    const auto id = known.table.find(key);
    Sighting sighting;
    if (id && known.isLive(*id)) {
        sighting = sightingOf(*id, key);
        if (sighting.value != value)
            sighting.rhythm = {}; // Of another hold.
    }
    sighting.key = key;
    sighting.type = value.type;
    sighting.value = value;
    sighting.releases = m_releases.of(key, value);
    sighting.now = m_clock.wallNow() + m_serverAhead;
    return m_recogniser.recognise(sighting, m_surroundings.known());
}

bool LockFinder::isLikely(QByteArrayView name) const
{
    return m_recogniser.interest(name) == Interest::High || m_releases.areAnyOf(name);
}

void LockFinder::endMovedHere(const QByteArray &key, const base::Deadline &deadline, MonotonicTime at)
{
    const auto found = m_candidates.find(key);
    if (found == m_candidates.end())
        return;
    found->rhythm.skip(at, deadline.isNever() ? std::nullopt : std::optional(keys::leftAt(deadline, at)));
    found->deadline = deadline;
    found->sampled = at;
}

const recognition::Rhythm *LockFinder::rhythm(const QByteArray &key) const
{
    const auto found = m_candidates.constFind(key);
    return found == m_candidates.cend() ? nullptr : &found->rhythm;
}

} // namespace latchkey::inspection
