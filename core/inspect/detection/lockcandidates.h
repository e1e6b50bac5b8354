#pragma once

#include "core/inspect/detection/companionkeys.h"
#include "core/inspect/detection/releases.h"
#include "core/inspect/detection/sharedvalueindex.h"
#include "core/inspect/recognition/keysample.h"

namespace latchkey::detection {

/// The keys that may be locks, with their last value and the history of their TTL.
///
/// From this data and the known keys, it assembles the sample of a key for recognition. Owned by the LockFinder, which
/// decides which keys are candidates. Store, companions, releases and clock are not owned.
class LockCandidates final
{
public:
    LockCandidates(const keys::KeyStore &store, const CompanionKeys &companions, const Releases &releases,
                   const base::Clock &clock);

    [[nodiscard]] bool contains(const QByteArray &key) const { return m_candidates.contains(key); }
    [[nodiscard]] qsizetype count() const { return m_candidates.size(); }
    void insert(const QByteArray &key) { m_candidates.insert(key, {}); }
    /// Removes the key. Returns false if it is not a candidate.
    bool remove(const QByteArray &key);
    void clear();

    /// Updates a candidate from the known key. Returns true if the expiry has changed, although the value was not read.
    [[nodiscard]] bool update(keys::KeyId id, const QByteArray &key);
    /// Notes that this program changed the key's expiry, so that the change does not count as a renewal by the holder.
    void recordOwnExpiryChange(const QByteArray &key, const base::Deadline &deadline, base::MonotonicTime at);
    /// Returns the history of the key's TTL during this hold. Null if the key is not a candidate. Valid until the next
    /// change of the candidates.
    [[nodiscard]] const recognition::TtlHistory *ttlHistory(const QByteArray &key) const;

    /// Sets the offset of the server's clock from the local clock; positive: ahead. Times in values are compared with
    /// the server's clock.
    void setServerAhead(std::chrono::milliseconds ahead) { m_serverAhead = ahead; }
    /// Returns the known data of a live key.
    [[nodiscard]] recognition::KeySample sampleOf(keys::KeyId id, const QByteArray &key) const;
    /// Returns the known data of a key with this value instead of the stored one, such as that of an earlier hold.
    [[nodiscard]] recognition::KeySample sampleWithValue(const QByteArray &key, const keys::RawValue &value) const;

private:
    /// A key that may be a lock.
    struct Candidate
    {
        keys::RawValue value; ///< The value at the last examination.
        recognition::TtlHistory ttlHistory;
        base::MonotonicTime sampled; ///< Time up to which the history of the TTL is known.
        base::Deadline deadline;
    };

    const keys::KeyStore &m_store;     // Not owned.
    const CompanionKeys &m_companions; // Not owned.
    const Releases &m_releases;        // Not owned.
    const base::Clock &m_clock;        // Not owned.
    QHash<QByteArray, Candidate> m_candidates;
    SharedValueIndex m_sharedValues;
    std::chrono::milliseconds m_serverAhead {};
};

} // namespace latchkey::detection
