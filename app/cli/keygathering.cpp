#include "app/cli/keygathering.h"

#include "core/inspect/detection/lockcandidatequeue.h"
#include "core/inspect/detection/lockfinder.h"

#include <limits>

namespace latchkey::cli {

using events::Exists;
using keys::KeyId;
using recognition::Interest;
using watching::Scanner;
using watching::ValueReader;
using namespace std::chrono_literals;

KeyGathering::KeyGathering(const recognition::Recogniser &recogniser, Options options)
    : m_recogniser(recogniser)
    , m_options(std::move(options))
    , m_store(base::SystemClock::instance())
    , m_feed(m_store)
    , m_meter(base::SystemClock::instance())
    , m_costMeter(m_costs)
    , m_budget(m_options.limit.value_or(budget::CommandLimit::ofFirstScan()), base::SystemClock::instance().now(),
               &m_costs)
    , m_scanner(m_store.known(), m_fanOut, base::SystemClock::instance())
    , m_reader(m_store.known(), m_fanOut)
{
    m_fanOut.add(*this);
    const bool isManyGlobs = m_options.globs.all().size() > 1; // The server matches a single one.
    if (m_options.onlyLocks || isManyGlobs)
        m_scanner.setWanted([this, isManyGlobs](QByteArrayView name) {
            return (!m_options.onlyLocks || m_recogniser.interest(name) != Interest::None)
                && (!isManyGlobs || m_options.globs.matches(name));
        });
    connect(&m_scanner, &Scanner::failed, this, &KeyGathering::scanFailed);
    connect(&m_scanner, &Scanner::finished, this, &KeyGathering::takePart);
    connect(&m_reader, &ValueReader::finished, this, &KeyGathering::readCandidates, Qt::QueuedConnection);
    m_scanner.setCosts(&m_costs);
    m_reader.setCosts(&m_costs);
    m_costMeter.setHurried(true);
    connect(&m_scanner, &Scanner::pageMet, this, &KeyGathering::pace);
    connect(&m_tick, &QTimer::timeout, this, &KeyGathering::pace);
}

KeyGathering::~KeyGathering() = default;

void KeyGathering::start(const net::Endpoint &endpoint)
{
    m_session = std::make_unique<net::Session>(endpoint, base::SystemClock::instance(), base::SystemRandom::instance());
    net::Session::Timing timing;
    timing.dialTimeout = m_options.timeout;
    m_session->setTiming(timing);
    m_session->setPinging(false); // Each read has a timeout.
    m_session->addTrafficObserver([this, observer = m_meter.trafficObserver()](const resp::Commands &commands) {
        return m_isPartGathered ? net::Connection::ReplyObserver() : observer(commands);
    });
    connect(m_session.get(), &net::Session::stateChanged, this, &KeyGathering::sessionChanged);
    m_session->start();
}

void KeyGathering::sessionChanged(net::Session::State state)
{
    if (state == net::Session::State::Ready)
        begin();
    else if (state == net::Session::State::Waiting)
        fail(*m_session->lastError());
}

/// Starts the scan. A cluster node lists its own keys only; if permitted, it is asked for its part of the cluster.
void KeyGathering::begin()
{
    const resp::ServerInfo &server = m_session->server();
    if (server.mode.isEmpty() || server.mode == u"cluster")
        ask({"CLUSTER", "NODES"}, [this](const resp::Reply &reply) { m_part = resp::ClusterPart::fromNodes(reply); });
    ask({"DBSIZE"}, [this](const resp::Reply &reply) {
        if (!reply.isInteger())
            return;
        m_databaseSize = reply.toInteger();
        m_scanner.setExpected(m_databaseSize);
    });
    Scanner::Options options;
    options.timeout = 2 * m_options.timeout; // The server walks through many keys.
    if (m_options.globs.all().size() == 1)
        options.match = m_options.globs.all().front();
    options.readsTypes = !m_options.onlyLocks; // For locks, the type is read with the value.
    if (m_options.onlyLocks || !m_options.isSorted)
        options.mostKeys = std::numeric_limits<qsizetype>::max();
    if (m_options.limit) {
        constexpr auto tickInterval = 20ms;
        options.pace = Scanner::Pace::OnDemand;
        m_costMeter.setConnection(m_session->connection());
        m_tick.start(tickInterval);
    }
    m_scanner.begin(*m_session->connection(), options);
}

/// Continues the scan, or the reading of values, as far as the limit allows.
void KeyGathering::pace()
{
    const auto now = base::SystemClock::instance().now();
    m_budget.spend(m_budget.costOf(m_costMeter.ask(now)));
    if (m_isReadPostponed && canAfford()) {
        m_isReadPostponed = false;
        readCandidates();
    }
    while (!m_isTaking && m_scanner.canStep() && canAfford())
        m_scanner.step(m_budget.available(now));
}

bool KeyGathering::canAfford()
{
    if (!m_options.limit)
        return true;
    budget::Expense sent = m_scanner.spent();
    sent += m_reader.spent();
    m_budget.spend(sent - m_charged);
    m_charged = sent;
    return m_budget.available(base::SystemClock::instance().now()) > 0;
}

void KeyGathering::ask(const resp::Command &command, std::function<void(const resp::Reply &)> answered)
{
    m_session->connection()->send(
        {command}, m_options.timeout, this,
        [answered = std::move(answered)](const base::Result<net::Connection::Delivery> &delivery) {
            if (delivery)
                answered(delivery->replies.front());
        });
}

events::Coverage KeyGathering::coverage() const
{
    const bool isAll = !m_hasScanFailed && !m_hasFailed && !m_scanner.isIncomplete();
    const auto known = static_cast<qint64>(m_listed.size() + m_store.known().table.size());
    const auto met = static_cast<qint64>(m_scanner.keysMet());
    return m_meter.coverage({isAll, isAll ? m_databaseSize.value_or(met) : known, m_databaseSize});
}

void KeyGathering::observed(const events::Observations &observations)
{
    // The values of keys that arrive now are not read yet, so these keys belong to the next part.
    if (m_isPartGathered) {
        m_early.insert(m_early.end(), observations.begin(), observations.end());
        return;
    }
    if (!m_options.onlyLocks) {
        m_feed.observed(m_listed.isEmpty() ? observations : unlisted(observations));
        if (!m_options.isSorted && m_store.known().table.size() > mostAtOnce)
            takePart();
        return;
    }
    events::Observations kept;
    for (const events::Observation &observation : observations) {
        if (isKept(observation))
            kept.push_back(observation);
    }
    m_feed.observed(kept);
    if (m_store.stagedCount() > 100'000)
        settle();
}

events::Observations KeyGathering::unlisted(const events::Observations &observations) const
{
    events::Observations others;
    for (const events::Observation &observation : observations) {
        if (!m_listed.contains(qHash(observation.key)))
            others.push_back(observation);
    }
    return others;
}

/// Reads the values of the found keys. Queued, because the observations may still be delivered to others.
void KeyGathering::takePart()
{
    if (std::exchange(m_isTaking, true))
        return;
    m_scanner.hold();
    QMetaObject::invokeMethod(this, &KeyGathering::readCandidates, Qt::QueuedConnection);
}

void KeyGathering::goOn()
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
    if (m_scanner.isRunning())
        m_scanner.goOn();
    else
        takePart();
}

/// Whether an observed key is kept. Keys that are candidates only if there are few keys are kept as long as few keys
/// were found.
bool KeyGathering::isKept(const events::Observation &observation)
{
    const Interest interest = m_recogniser.interest(observation.key);
    const auto *exists = std::get_if<Exists>(&observation.what);
    if (interest != Interest::Some || exists == nullptr)
        return true;
    if (detection::LockCandidateQueue::isLockCandidate(interest, exists->deadline, observation.answered))
        return true;
    return areKeysFew() && m_unsaid++ <= detection::LockFinder::fewKeys;
}

bool KeyGathering::areKeysFew() const
{
    static_assert(mostAtOnce == detection::LockFinder::fewKeys);
    return m_scanner.keysMet() <= static_cast<quint64>(mostAtOnce);
}

/// Reads the values of the next portion of candidates. Without further candidates, reports the part, or the end of the
/// scan.
void KeyGathering::readCandidates()
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
        return m_reader.read(*m_session->connection(), candidates, ValueReader::What::Values);
    if (m_scanner.isRunning()) {
        m_isPartGathered = true;
        Q_EMIT partGathered();
        return;
    }
    stop();
    m_isPartGathered = true;
    Q_EMIT finished();
}

/// Whether a key may be a lock, by the rules of the window. Its name indicates a lock, its expiry resembles a lease, or
/// there are few keys.
bool KeyGathering::isCandidate(KeyId id) const
{
    const keys::KeyTable &table = m_store.known().table;
    const Interest interest = m_recogniser.interest(table.key(id));
    return interest == Interest::High || (interest == Interest::Some && areKeysFew())
        || detection::LockCandidateQueue::isLockCandidate(interest, table.deadline(id),
                                                          base::SystemClock::instance().now());
}

void KeyGathering::settle()
{
    while (m_store.commit(100ms)) {}
}

/// Ends the scan with the keys found so far. The coverage says why there are no others.
void KeyGathering::scanFailed(const base::Error &error)
{
    if (error.kind == base::ErrorKind::ConnectionLost || error.kind == base::ErrorKind::TimedOut)
        return fail(error);
    m_hasScanFailed = true;
    m_meter.setScanFailure(error);
    takePart();
}

void KeyGathering::fail(const base::Error &error)
{
    m_hasFailed = true;
    stop();
    m_session->stop();
    Q_EMIT failed(error);
}

void KeyGathering::stop()
{
    m_tick.stop();
    m_scanner.stop();
    m_reader.stop();
    m_session->disconnect(this);
}

} // namespace latchkey::cli
