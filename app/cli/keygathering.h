#pragma once

#include "core/foundation/base/globs.h"
#include "core/inspect/inspection/keyfeed.h"
#include "core/inspect/recognition/recogniser.h"
#include "core/keyspace/budget/commandbudget.h"
#include "core/keyspace/budget/costmeter.h"
#include "core/keyspace/events/coveragemeter.h"
#include "core/keyspace/watching/scanner.h"
#include "core/keyspace/watching/valuereader.h"
#include "core/redis/net/session.h"
#include "core/redis/resp/clusternodes.h"

#include <QTimer>

#include <memory>

namespace latchkey::cli {

/// A single read of the keys of a server: a scan, and the values of possible locks.
///
/// If only locks are requested, keys that cannot be locks are dropped during the scan. So the memory depends on the
/// number of locks, not on the number of keys. Otherwise a large number of keys is delivered in parts, unless a sorted
/// listing is requested. The scan waits until the caller has listed a part. Owned by the command. The recogniser is not
/// owned.
class KeyGathering final : public QObject, private events::ObservationListener
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KeyGathering)

public:
    struct Options
    {
        base::Globs globs;
        bool onlyLocks = false;
        bool isSorted = false;                     ///< All keys at once, regardless of their number.
        std::optional<budget::CommandLimit> limit; ///< Absent: no limit.
        std::chrono::milliseconds timeout {5000};  ///< Timeout of a request; of a part of the scan twice as much.
    };
    /// Approximate number of keys in one part. While at most this many keys were scanned, a key can be a lock even if
    /// neither its name nor its expiry indicates one.
    static constexpr qsizetype mostAtOnce = 20'000;

    KeyGathering(const recognition::Recogniser &recogniser, Options options);
    ~KeyGathering() override;

    void start(const net::Endpoint &endpoint);
    /// Returns the session, for further reads while a part is listed; null before start(). Such reads are not part of
    /// the coverage.
    [[nodiscard]] net::Session *session() const { return m_session.get(); }
    /// Returns whether the limit permits another read now; always true without a limit. Charges what was sent.
    [[nodiscard]] bool canAfford();
    /// Charges a read of the caller to the limit.
    void charge(const resp::Command &command) { m_budget.spend(m_budget.costOf({command})); }

    [[nodiscard]] keys::KeyStore &store() { return m_store; }
    [[nodiscard]] const keys::KeyStore &store() const { return m_store; }
    [[nodiscard]] events::Coverage coverage() const;
    /// Returns the number of keys that were scanned so far, whether they match or not. An estimate.
    [[nodiscard]] quint64 keysWalked() const { return m_scanner.keysWalked(); }
    /// Returns the number of the server's keys; absent: unknown.
    [[nodiscard]] const std::optional<qint64> &databaseSize() const { return m_databaseSize; }
    /// Returns the scanned part of a cluster, as far as the server reports it.
    [[nodiscard]] const std::optional<resp::ClusterPart> &part() const { return m_part; }
    /// Applies pending observations to the store.
    void settle();
    /// Drops the listed part from the store and continues with the next one.
    void goOn();

Q_SIGNALS:
    /// The store has a part of the keys; goOn() for the next one.
    void partGathered();
    /// The store has all keys, or the last part of them.
    void finished();
    void failed(const latchkey::base::Error &error);

private:
    void observed(const events::Observations &observations) override;
    void emptied(events::NodeIndex, base::MonotonicTime, base::MonotonicTime) override {}

    void sessionChanged(net::Session::State state);
    void begin();
    void ask(const resp::Command &command, std::function<void(const resp::Reply &)> answered);
    void takePart();
    void pace();
    [[nodiscard]] events::Observations unlisted(const events::Observations &observations) const;
    void readCandidates();
    [[nodiscard]] bool areKeysFew() const;
    [[nodiscard]] bool isCandidate(keys::KeyId id) const;
    [[nodiscard]] bool isKept(const events::Observation &observation);
    void scanFailed(const base::Error &error);
    void fail(const base::Error &error);
    void stop();

    const recognition::Recogniser &m_recogniser; // Not owned.
    const Options m_options;
    keys::KeyStore m_store;
    inspection::KeyFeed m_feed;
    events::FanOut m_fanOut;
    events::CoverageMeter m_meter;
    budget::CommandCosts m_costs;
    budget::CostMeter m_costMeter;
    budget::CommandBudget m_budget;
    budget::Expense m_charged; ///< Cost of scanner and reader that is charged to the budget.
    QTimer m_tick;             ///< Runs only with a limit.
    watching::Scanner m_scanner;
    watching::ValueReader m_reader;
    std::unique_ptr<net::Session> m_session; ///< Null until start().
    std::optional<resp::ClusterPart> m_part;
    std::optional<qint64> m_databaseSize;
    bool m_hasScanFailed = false;
    qsizetype m_unsaid = 0; ///< Number of kept keys for which neither name nor expiry indicates a lock.
    quint32 m_nextCandidate = 0;
    QSet<size_t> m_listed;          ///< Hashes of the keys of earlier parts; SCAN may return a key twice.
    bool m_hasFailed = false;       ///< The connection or the reading of values failed.
    bool m_isReadPostponed = false; ///< The next values wait for the budget.
    bool m_isTaking = false;        ///< A part is being read or listed.
    bool m_isPartGathered = false;  ///< A part is being listed, or the last one was gathered.
    events::Observations m_early;   ///< Observations that arrived while a part was being listed.
};

} // namespace latchkey::cli
