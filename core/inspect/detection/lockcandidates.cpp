#include "core/inspect/detection/lockcandidates.h"

namespace latchkey::detection {

using base::MonotonicTime;
using keys::KeyId;
using keys::RawValue;
using recognition::KeySample;
using std::chrono::milliseconds;

LockCandidates::LockCandidates(const keys::KeyStore &store, const CompanionKeys &companions, const Releases &releases,
                               const base::Clock &clock)
    : m_store(store)
    , m_companions(companions)
    , m_releases(releases)
    , m_clock(clock)
{}

bool LockCandidates::remove(const QByteArray &key)
{
    const auto found = m_candidates.constFind(key);
    if (found == m_candidates.cend())
        return false;
    m_sharedValues.remove(key, found->value);
    m_candidates.erase(found);
    return true;
}

void LockCandidates::clear()
{
    m_candidates.clear();
    m_sharedValues.clear();
}

bool LockCandidates::update(KeyId id, const QByteArray &key)
{
    const keys::KnownKeys &known = m_store.known();
    Candidate &candidate = m_candidates[key];
    const RawValue *value = known.value(id);
    if (value != nullptr && *value != candidate.value) {
        m_sharedValues.remove(key, candidate.value);
        m_sharedValues.add(key, *value);
        candidate.value = *value;
        candidate.ttlHistory = {}; // The value has changed, so this is another hold.
    }
    const MonotonicTime sampled = known.table.sampled(id);
    const base::Deadline deadline = known.table.deadline(id);
    const bool hasMoved = !deadline.agreesWith(candidate.deadline);
    if (hasMoved || candidate.ttlHistory == recognition::TtlHistory()) {
        const auto left = deadline.remaining(sampled);
        candidate.ttlHistory.addSample(sampled,
                                       left ? std::optional(std::chrono::floor<milliseconds>(*left)) : std::nullopt);
    }
    const bool isWithoutValue = hasMoved && value == nullptr && candidate.sampled != MonotonicTime();
    candidate.sampled = sampled;
    candidate.deadline = deadline;
    return isWithoutValue;
}

void LockCandidates::recordOwnExpiryChange(const QByteArray &key, const base::Deadline &deadline, MonotonicTime at)
{
    const auto found = m_candidates.find(key);
    if (found == m_candidates.end())
        return;
    found->ttlHistory.setBaseline(at, deadline.isNever() ? std::nullopt : std::optional(keys::leftAt(deadline, at)));
    found->deadline = deadline;
    found->sampled = at;
}

const recognition::TtlHistory *LockCandidates::ttlHistory(const QByteArray &key) const
{
    const auto found = m_candidates.constFind(key);
    return found == m_candidates.cend() ? nullptr : &found->ttlHistory;
}

KeySample LockCandidates::sampleOf(KeyId id, const QByteArray &key) const
{
    const keys::KnownKeys &known = m_store.known();
    KeySample sample;
    sample.key = key;
    sample.type = known.table.type(id);
    if (const RawValue *value = known.value(id))
        sample.value = *value;
    const MonotonicTime now = m_clock.now();
    const auto leftOf = [&](KeyId of) -> std::optional<milliseconds> {
        const auto left = known.table.deadline(of).remaining(now);
        return left ? std::optional(std::chrono::floor<milliseconds>(*left)) : std::nullopt;
    };
    sample.isExpiryKnown = true;
    sample.left = leftOf(id);
    if (const auto existed = known.existedAt(id))
        sample.existedFor = std::chrono::floor<milliseconds>(now - *existed);
    sample.endsWithFields = !sample.left && !known.endOf(id).isNever();
    if (const recognition::TtlHistory *history = ttlHistory(key))
        sample.ttlHistory = *history;
    for (const QByteArray &name : m_companions.companionsOf(key)) {
        const auto companion = known.table.find(name);
        if (companion && known.isLive(*companion) && known.value(*companion) != nullptr)
            sample.companions.insert(name, {true, *known.value(*companion), leftOf(*companion)});
        else if (m_companions.isAbsent(name))
            sample.companions.insert(name, {});
    }
    if (sample.value)
        sample.releases = m_releases.count(key, *sample.value);
    if (sample.value && sample.value->isWholeString())
        sample.sameValue = m_sharedValues.others(key, *sample.value);
    sample.now = m_clock.wallNow() + m_serverAhead;
    return sample;
}

KeySample LockCandidates::sampleWithValue(const QByteArray &key, const RawValue &value) const
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
    sample.releases = m_releases.count(key, value);
    sample.now = m_clock.wallNow() + m_serverAhead;
    return sample;
}

} // namespace latchkey::detection
