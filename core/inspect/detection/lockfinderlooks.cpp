// The part of LockFinder that collects the known data of one key.

#include "core/inspect/detection/lockfinder.h"

namespace latchkey::detection {

using base::MonotonicTime;
using keys::KeyId;
using keys::RawValue;
using recognition::Interest;
using recognition::KeySample;
using recognition::Recognition;

KeySample LockFinder::sampleOf(KeyId id, const QByteArray &key) const
{
    const keys::KnownKeys &known = m_store.known();
    KeySample sample;
    sample.key = key;
    sample.type = known.table.type(id);
    if (const RawValue *value = known.value(id))
        sample.value = *value;
    const MonotonicTime now = m_clock.now();
    const auto leftOf = [&](KeyId of) -> std::optional<std::chrono::milliseconds> {
        const auto left = known.table.deadline(of).remaining(now);
        return left ? std::optional(std::chrono::floor<std::chrono::milliseconds>(*left)) : std::nullopt;
    };
    sample.isExpiryKnown = true;
    sample.left = leftOf(id);
    if (const auto existed = known.existedAt(id))
        sample.existedFor = std::chrono::floor<std::chrono::milliseconds>(now - *existed);
    sample.endsWithFields = !sample.left && !known.endOf(id).isNever();
    if (const auto candidate = m_candidates.constFind(key); candidate != m_candidates.cend())
        sample.ttlHistory = candidate->ttlHistory;
    for (const QByteArray &name : m_companions.wantedBy(key)) {
        const auto companion = known.table.find(name);
        if (companion && known.isLive(*companion) && known.value(*companion) != nullptr)
            sample.companions.insert(name, {true, *known.value(*companion), leftOf(*companion)});
        else if (m_companions.isAbsent(name))
            sample.companions.insert(name, {});
    }
    if (sample.value)
        sample.releases = m_releases.of(key, *sample.value);
    if (sample.value && sample.value->isWholeString())
        sample.sameValue = m_sameValues.others(key, *sample.value);
    sample.now = m_clock.wallNow() + m_serverAhead;
    return sample;
}

std::optional<LockFinder::RecognisedKey> LockFinder::lookUp(const QByteArray &key) const
{
    const keys::KnownKeys &known = m_store.known();
    const auto id = known.table.find(key);
    if (!id || !known.isLive(*id))
        return std::nullopt;
    RecognisedKey recognised;
    recognised.sample = sampleOf(*id, key);
    recognised.recognition = m_recogniser.recognise(recognised.sample, m_serverContext.known());
    return recognised;
}

Recognition LockFinder::recognise(const QByteArray &key) const
{
    const auto recognised = lookUp(key);
    return recognised ? recognised->recognition : Recognition();
}

Recognition LockFinder::recogniseHolding(const QByteArray &key, const RawValue &value) const
{
    const keys::KnownKeys &known = m_store.known();
    const auto id = known.table.find(key);
    KeySample sample;
    if (id && known.isLive(*id)) {
        sample = sampleOf(*id, key);
        if (sample.value != value)
            sample.ttlHistory = {}; // The TTL history belongs to another hold.
    }
    sample.key = key;
    sample.type = value.type;
    sample.value = value;
    sample.releases = m_releases.of(key, value);
    sample.now = m_clock.wallNow() + m_serverAhead;
    return m_recogniser.recognise(sample, m_serverContext.known());
}

bool LockFinder::isLikely(QByteArrayView name) const
{
    return m_recogniser.interest(name) == Interest::High || m_releases.hasReleases(name);
}

void LockFinder::recordOwnExpiryChange(const QByteArray &key, const base::Deadline &deadline, MonotonicTime at)
{
    const auto found = m_candidates.find(key);
    if (found == m_candidates.end())
        return;
    found->ttlHistory.setBaseline(at, deadline.isNever() ? std::nullopt : std::optional(keys::leftAt(deadline, at)));
    found->deadline = deadline;
    found->sampled = at;
}

const recognition::TtlHistory *LockFinder::ttlHistory(const QByteArray &key) const
{
    const auto found = m_candidates.constFind(key);
    return found == m_candidates.cend() ? nullptr : &found->ttlHistory;
}

} // namespace latchkey::detection
