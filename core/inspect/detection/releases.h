#pragma once

#include "core/inspect/recognition/recogniser.h"
#include "core/keyspace/events/observation.h"
#include "core/keyspace/keys/keystore.h"

#include <QHash>
#include <QSet>

#include <deque>
#include <optional>
#include <vector>

namespace latchkey::detection {

/// A record of the keys with a random token that were deleted before their expiry, as the release of a lock does.
///
/// A key that reappears with another token behaves like a lock. Expiries, evictions, flushes and overwritten values are
/// not releases. Without change events, a key that a read finds gone is counted once the number of flushes before that
/// read is known. Beyond `maxKeys` keys the oldest are dropped. Owned by a LockFinder, and a listener of its
/// dispatcher; the store and the recogniser are not owned.
class Releases final : public events::ObservationListener
{
public:
    static constexpr qsizetype maxKeys = 20'000;

    Releases(const keys::KeyStore &store, const recognition::Recogniser &recogniser)
        : m_store(store)
        , m_recogniser(recogniser)
    {}

    /// Returns the number of observed releases of this key, except releases of this same value. 0 if the value is not a
    /// random token.
    [[nodiscard]] int count(const QByteArray &key, const keys::RawValue &value) const;
    /// Returns whether a release of this key was observed.
    [[nodiscard]] bool hasReleases(QByteArrayView key) const;

    /// Returns the keys with a release event since the last call. They may already have another token.
    [[nodiscard]] QList<QByteArray> takeAnnounced() { return std::exchange(m_announced, {}); }

    void observed(const events::Observations &observations) override;
    void emptied(events::NodeIndex node, base::MonotonicTime asked, base::MonotonicTime answered) override;
    void flushAnnounced(events::NodeIndex node, base::MonotonicTime received, events::FlushKind kind) override;
    void eventCoverageChanged(events::NodeIndex node, const events::EventCoverage &eventCoverage) override;
    void receivedUpTo(events::NodeIndex node, base::MonotonicTime time) override;

private:
    /// A key with a random token, in its last observed state.
    struct Hold
    {
        QByteArray token;
        base::Deadline deadline;
    };
    /// A release, unless the key was flushed.
    struct UnconfirmedRelease
    {
        QByteArray key;
        QByteArray token;
        base::MonotonicTime answered; ///< Time at which the key was gone.
        events::NodeIndex node = 0;
    };
    struct ReleaseCount
    {
        QByteArray lastToken;
        int count = 0;
    };

    [[nodiscard]] base::Deadline deadlineOf(const QByteArray &key) const;
    void noteValue(const QByteArray &key, const keys::RawValue &value, const base::Deadline &deadline);
    [[nodiscard]] std::optional<QByteArray> takeReleased(const events::Observation &observation);
    void noteGone(const events::Observation &observation);
    void noteChange(const events::Observation &observation, QByteArrayView event);
    void add(const QByteArray &key, const QByteArray &token);
    void dropUnconfirmed(events::NodeIndex node);

    const keys::KeyStore &m_store;               // Not owned.
    const recognition::Recogniser &m_recogniser; // Not owned.
    QHash<QByteArray, Hold> m_holds;
    QHash<QByteArray, ReleaseCount> m_released;
    QList<QByteArray> m_announced;
    std::vector<UnconfirmedRelease> m_unconfirmed;
    QSet<events::NodeIndex> m_flushCounting; ///< Nodes whose flushes are counted some time after they happened.
    std::deque<QByteArray> m_order;          ///< Keys of m_released, the oldest first.
};

} // namespace latchkey::detection
