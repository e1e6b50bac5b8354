#include "app/cli/keylisting.h"

#include "core/inspect/detection/lockcandidatequeue.h"
#include "core/inspect/detection/lockfinder.h"

#include <limits>

namespace latchkey::cli {

using events::Exists;
using keys::KeyId;
using recognition::LockLikelihood;
using watching::Scanner;
using namespace std::chrono_literals;

KeyListing::KeyListing(const recognition::Recogniser &recogniser, Options options)
    : m_recogniser(recogniser)
    , m_options(std::move(options))
    , m_store(base::SystemClock::instance())
    , m_updater(m_store)
    , m_costMeter(m_costs)
    , m_budget(m_options.limit.value_or(budget::CommandLimit::ofFirstScan()), base::SystemClock::instance().now(),
               &m_costs)
    , m_scan(sharedParts(), scanOptions())
{
    m_dispatcher.add(*this);
    m_costMeter.setFrequent(true);
    connect(&m_scan, &ClusterScan::begun, this, &KeyListing::begun);
    connect(&m_scan, &ClusterScan::over, this, &KeyListing::takePart);
    connect(&m_scan, &ClusterScan::failed, this, &KeyListing::fail);
    connect(&m_scan, &ClusterScan::valuesRead, this, &KeyListing::readCandidates);
    connect(&m_scan, &ClusterScan::verified, this, &KeyListing::finish);
    connect(&m_scan, &ClusterScan::pageScanned, this, &KeyListing::pace);
    connect(&m_tick, &QTimer::timeout, this, &KeyListing::pace);
}

KeyListing::~KeyListing() = default;

NodeScan::Shared KeyListing::sharedParts()
{
    NodeScan::Shared shared {m_store.known(),
                             m_dispatcher,
                             m_costs,
                             [this] { return !m_isPartGathered; },
                             {},
                             m_options.timeout,
                             [this](const QByteArray &key) {
                                 const auto before = m_unknownExpiries.size();
                                 m_unknownExpiries.insert(key);
                                 return m_unknownExpiries.size() > before;
                             }};
    const bool isManyGlobs = m_options.globs.all().size() > 1; // The server matches only a single pattern.
    if (m_options.onlyLocks || isManyGlobs)
        shared.isWanted = [this, isManyGlobs](QByteArrayView name) {
            return (!m_options.onlyLocks || m_recogniser.lockLikelihood(name) != LockLikelihood::None)
                && (!isManyGlobs || m_options.globs.matches(name));
        };
    return shared;
}

Scanner::Options KeyListing::scanOptions() const
{
    Scanner::Options options;
    options.timeout = m_options.timeout;
    if (m_options.globs.all().size() == 1)
        options.match = m_options.globs.all().front();
    options.readsTypes = !m_options.onlyLocks; // For locks, the type is read with the value.
    if (m_options.onlyLocks || !m_options.isSorted)
        options.maxKeys = std::numeric_limits<qsizetype>::max();
    if (m_options.limit)
        options.pace = Scanner::Pace::OnDemand;
    return options;
}

void KeyListing::start(const net::Endpoint &endpoint)
{
    m_scan.start(endpoint);
}

void KeyListing::begun()
{
    constexpr auto tickInterval = 20ms;
    m_undecided = 0;
    if (!m_options.limit || m_tick.isActive())
        return;
    m_costMeter.setConnection(session()->connection());
    m_tick.start(tickInterval);
}

/// Continues the scan, or the reading of values, as far as the limit allows.
void KeyListing::pace()
{
    const auto now = base::SystemClock::instance().now();
    m_budget.spend(m_budget.costOf(m_costMeter.poll(now)));
    if (m_isReadPostponed && canAfford()) {
        m_isReadPostponed = false;
        readCandidates();
    }
    while (!m_isTaking && m_scan.canStep() && canAfford())
        m_scan.step(m_budget.available(now));
}

bool KeyListing::canAfford()
{
    if (!m_options.limit)
        return true;
    const budget::CommandCost sent = m_scan.spent();
    m_budget.spend(sent - m_charged);
    m_charged = sent;
    return m_budget.available(base::SystemClock::instance().now()) > 0;
}

events::Coverage KeyListing::coverage() const
{
    return m_scan.coverage(static_cast<qint64>(m_listed.size() + m_store.known().table.size()));
}

void KeyListing::observed(const events::Observations &observations)
{
    // The values of keys that arrive now are not read yet, so these keys belong to the next part.
    if (m_isPartGathered) {
        m_early.insert(m_early.end(), observations.begin(), observations.end());
        return;
    }
    if (!m_options.onlyLocks) {
        m_updater.observed(m_listed.isEmpty() ? observations : unlisted(observations));
        if (!m_options.isSorted && m_store.known().table.size() > maxPartSize)
            takePart();
        return;
    }
    events::Observations kept;
    for (const events::Observation &observation : observations) {
        if (isKept(observation))
            kept.push_back(observation);
    }
    m_updater.observed(kept);
    if (m_store.stagedCount() > 100'000)
        settle();
}

events::Observations KeyListing::unlisted(const events::Observations &observations) const
{
    events::Observations others;
    for (const events::Observation &observation : observations) {
        if (!m_listed.contains(qHash(observation.key)))
            others.push_back(observation);
    }
    return others;
}

/// Reads the values of the found keys. Queued, because the observations may still be delivered to others.
void KeyListing::takePart()
{
    if (std::exchange(m_isTaking, true))
        return;
    m_scan.pause();
    QMetaObject::invokeMethod(this, &KeyListing::readCandidates, Qt::QueuedConnection);
}

void KeyListing::resume()
{
    const keys::KeyTable &table = m_store.known().table;
    for (quint32 id = 0; id < table.idLimit(); ++id) {
        if (table.isUsed(KeyId {id}))
            m_listed.insert(qHash(table.key(KeyId {id}).toByteArray()));
    }
    m_store.clear();
    m_nextCandidate = 0;
    m_isTaking = false;
    m_isPartGathered = false;
    observed(std::exchange(m_early, {}));
    if (m_scan.isRunning())
        m_scan.resume();
    else
        takePart();
}

/// Returns whether an observed key is kept. Keys that are candidates only in a small keyspace are kept while few keys
/// were found.
bool KeyListing::isKept(const events::Observation &observation)
{
    const LockLikelihood likelihood = m_recogniser.lockLikelihood(observation.key);
    const auto *exists = std::get_if<Exists>(&observation.content);
    if (likelihood != LockLikelihood::Some || exists == nullptr)
        return true;
    if (detection::LockCandidateQueue::isLockCandidate(likelihood, exists->deadline, observation.answered))
        return true;
    return areKeysFew() && m_undecided++ <= detection::LockFinder::fewKeys;
}

bool KeyListing::areKeysFew() const
{
    static_assert(maxPartSize == detection::LockFinder::fewKeys);
    return m_scan.keysScanned() <= static_cast<quint64>(maxPartSize);
}

/// Reads the values of the next portion of candidates. Without further candidates, reports the part, or verifies all
/// keys at the end of the scan.
void KeyListing::readCandidates()
{
    const std::size_t portion = m_options.limit ? 50 : 500;
    settle();
    if (!canAfford()) {
        m_isReadPostponed = true;
        return;
    }
    std::vector<QByteArray> candidates;
    const keys::KeyTable &table = m_store.known().table;
    for (; m_nextCandidate < table.idLimit() && candidates.size() < portion; ++m_nextCandidate) {
        const KeyId id {m_nextCandidate};
        if (table.isUsed(id) && isCandidate(id))
            candidates.push_back(table.key(id).toByteArray());
    }
    if (!candidates.empty())
        return m_scan.readValues(candidates);
    if (m_scan.isRunning()) {
        m_isPartGathered = true;
        Q_EMIT partGathered();
        return;
    }
    m_isVerifying = true;
    m_scan.verify();
}

void KeyListing::finish()
{
    stop();
    m_isPartGathered = true;
    Q_EMIT finished();
}

/// Returns whether a key may be a lock, by the rules of the window. Its name indicates a lock, its expiry resembles a
/// lease, or there are few keys.
bool KeyListing::isCandidate(KeyId id) const
{
    const keys::KeyTable &table = m_store.known().table;
    const LockLikelihood likelihood = m_recogniser.lockLikelihood(table.key(id));
    return likelihood == LockLikelihood::High || (likelihood == LockLikelihood::Some && areKeysFew())
        || detection::LockCandidateQueue::isLockCandidate(likelihood, table.deadline(id),
                                                          base::SystemClock::instance().now());
}

void KeyListing::settle()
{
    while (m_store.commit(100ms)) {}
}

void KeyListing::fail(const base::Error &error)
{
    if (m_isVerifying) { // All keys were read, so they are listed.
        m_verificationError = error;
        return finish();
    }
    stop();
    Q_EMIT failed(error);
}

void KeyListing::stop()
{
    m_tick.stop();
    m_scan.disconnect(this);
    m_scan.stop();
}

} // namespace latchkey::cli
