#pragma once

#include "app/cli/clusterscan.h"
#include "core/foundation/base/globs.h"
#include "core/inspect/inspection/keystoreupdater.h"
#include "core/inspect/recognition/recogniser.h"
#include "core/keyspace/budget/commandbudget.h"
#include "core/keyspace/budget/costmeter.h"

#include <QTimer>

#include <memory>

namespace latchkey::cli {

/// A single read of the keys of a server or a cluster: a scan, and the values of possible locks.
///
/// If only locks are requested, keys that cannot be locks are dropped during the scan. So the memory depends on the
/// number of locks, not on the number of keys. Otherwise a large number of keys is delivered in parts, unless a sorted
/// listing is requested. The scan waits until the caller has listed a part. Owned by the command. The recogniser is not
/// owned.
class KeyListing final : public QObject, private events::ObservationListener
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KeyListing)

public:
    struct Options
    {
        base::Globs globs;
        bool onlyLocks = false;
        bool isSorted = false;                     ///< All keys at once, regardless of their number.
        std::optional<budget::CommandLimit> limit; ///< Absent: no limit.
        std::chrono::milliseconds timeout {5000};  ///< Timeout of a request.
    };
    /// Approximate number of keys in one part. While at most this many keys were scanned, a key can be a lock even if
    /// neither its name nor its expiry indicates one.
    static constexpr qsizetype maxPartSize = 20'000;

    KeyListing(const recognition::Recogniser &recogniser, Options options);
    ~KeyListing() override;

    void start(const net::Endpoint &endpoint);
    /// Returns the session to the server of the URL, for further reads while a part is listed; from start() on. Such
    /// reads are not part of the coverage.
    [[nodiscard]] net::Session *session() { return &m_scan.session(); }
    /// Returns whether the limit permits another read now; always true without a limit. Charges the commands that were
    /// sent.
    [[nodiscard]] bool canAfford();
    /// Charges a read of the caller to the limit.
    void charge(const resp::Command &command) { m_budget.spend(m_budget.costOf({command})); }

    [[nodiscard]] keys::KeyStore &store() { return m_store; }
    [[nodiscard]] const keys::KeyStore &store() const { return m_store; }
    [[nodiscard]] events::Coverage coverage() const;
    [[nodiscard]] const ClusterScan &scan() const { return m_scan; }
    /// Returns whether the server refuses to report the expiry of this key. The store then has none.
    [[nodiscard]] bool isExpiryUnknown(const QByteArray &key) const { return m_unknownExpiries.contains(key); }
    /// Returns the error that ended the verification of the complete keys. Absent: none.
    [[nodiscard]] const std::optional<base::Error> &verificationError() const { return m_verificationError; }
    /// Applies pending observations to the store.
    void settle();
    /// Drops the listed part from the store and continues with the next one.
    void resume();

Q_SIGNALS:
    /// Emitted when the store has a part of the keys. resume() fetches the next part.
    void partGathered();
    /// Emitted when the store has all keys, or the last part of them.
    void finished();
    void failed(const latchkey::base::Error &error);

private:
    void observed(const events::Observations &observations) override;
    void emptied(events::NodeIndex, base::MonotonicTime, base::MonotonicTime) override {}

    [[nodiscard]] NodeScan::Shared sharedParts();
    [[nodiscard]] watching::Scanner::Options scanOptions() const;
    void begun();
    void takePart();
    void pace();
    [[nodiscard]] events::Observations unlisted(const events::Observations &observations) const;
    void readCandidates();
    void finish();
    [[nodiscard]] bool areKeysFew() const;
    [[nodiscard]] bool isCandidate(keys::KeyId id) const;
    [[nodiscard]] bool isKept(const events::Observation &observation);
    void fail(const base::Error &error);
    void stop();

    const recognition::Recogniser &m_recogniser; // Not owned.
    const Options m_options;
    keys::KeyStore m_store;
    inspection::KeyStoreUpdater m_updater;
    events::ObservationDispatcher m_dispatcher;
    budget::CommandCosts m_costs;
    budget::CostMeter m_costMeter;
    budget::CommandBudget m_budget;
    budget::CommandCost m_charged; ///< Cost of the scan that is charged to the budget.
    QTimer m_tick;                 ///< Active only with a limit.
    ClusterScan m_scan;
    qsizetype m_undecided = 0; ///< Number of kept keys for which neither name nor expiry indicates a lock.
    quint32 m_nextCandidate = 0;
    QSet<size_t> m_listed; ///< Hashes of the keys of earlier parts; SCAN may return a key twice.
    QSet<QByteArray> m_unknownExpiries;
    bool m_isVerifying = false;
    std::optional<base::Error> m_verificationError;
    bool m_isReadPostponed = false; ///< Whether the next values wait for the budget.
    bool m_isTaking = false;        ///< Whether a part is being read or listed.
    bool m_isPartGathered = false;  ///< Whether a part is being listed, or the last part was gathered.
    events::Observations m_early;   ///< Observations that arrived while a part was being listed.
};

} // namespace latchkey::cli
