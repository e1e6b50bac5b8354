#include "core/keyspace/watching/valuequeue.h"

#include <algorithm>

namespace latchkey::watching {

using base::MonotonicTime;
using keys::KeyId;
using net::Connection;
using namespace std::chrono_literals;

namespace {

/// Interval between reads of a value on screen.
constexpr auto attentionInterval = 1s;
/// Approximate cost of a value in commands: its type, two PTTL, and one or two for the content.
constexpr int commandsPerValue = 5;
/// Number of requests per batch: enough to use a round trip, few enough not to delay urgent reads.
constexpr std::size_t maxRequestSize = 200;
constexpr std::size_t maxCompletionSize = 500;
/// Number of changed keys per batch: few enough to process their replies within a few milliseconds.
constexpr std::size_t maxValueBatch = 250;
/// Number of keys with refused values that are kept for a retry. The others count as unread.
constexpr qsizetype maxRefused = 100'000;
/// Interval of the retries of one refused key.
constexpr auto retryInterval = 2s;

} // namespace

ValueQueue::ValueQueue(const keys::KnownKeys &known, const events::ObservationDispatcher &dispatcher,
                       budget::CommandBudget &budget, const base::Clock &clock, QObject *parent)
    : QObject(parent)
    , m_known(known)
    , m_budget(budget)
    , m_clock(clock)
    , m_reader(known, dispatcher)
    , m_completion(known)
{
    m_reader.setCosts(m_budget.costs());
    connect(&m_reader, &ValueReader::refused, this, [this](const QByteArray &name) {
        if (m_refused.size() < maxRefused)
            m_refused.push(name);
        else
            ++m_forgotten;
    });
    // Queued: an empty batch finishes at once, and must not start the next one recursively.
    connect(&m_reader, &ValueReader::finished, this, &ValueQueue::resume, Qt::QueuedConnection);
}

void ValueQueue::setConnection(Connection *connection)
{
    m_connection = connection;
    m_waiting.clear();
    m_areRequestsFree = false;
    m_refused.clear();
    m_outdated.clear();
    m_forgotten = 0;
    m_reader.stop();
    for (const QByteArray &name : std::exchange(m_requestsUnderWay, {}))
        request(name);
}

void ValueQueue::setVisibleKeys(const std::vector<KeyId> &ids)
{
    // Rows that have just appeared on screen have no values yet; do not wait a whole second.
    if (ids != m_visibleKeys)
        m_nextAttention = std::min(m_nextAttention, std::max(m_clock.now() + 50ms, m_attentionPaid));
    m_visibleKeys = ids;
}

bool ValueQueue::isReady() const
{
    return m_connection != nullptr && !m_isPaused && !m_reader.isReading();
}

void ValueQueue::read(std::vector<QByteArray> names, ValueReader::Part what, events::Source source, Charging charging)
{
    settle();
    m_charging = charging;
    m_isRetry = false; // retryRefused() sets it again.
    if (const MonotonicTime now = m_clock.now(); now - m_readLatelySince >= 1s) {
        m_readBefore = std::exchange(m_readLately, {});
        m_readLatelySince = now;
    }
    m_readLately.unite({names.begin(), names.end()});
    m_reader.read(*m_connection, names, what, source);
}

void ValueQueue::settle()
{
    const budget::CommandCost sent = m_reader.spent() - m_settled;
    if (m_charging == Charging::InTime)
        m_budget.spend(sent);
    else if (m_charging == Charging::Ahead)
        m_budget.spendForChanges(sent);
    m_settled = m_reader.spent();
}

void ValueQueue::readAtOnce(const QByteArray &name, events::Source source)
{
    if (m_waiting.empty())
        m_waitingSince = m_clock.now();
    m_waiting.push_back(name);
    m_waitingSource = source;
}

void ValueQueue::readWaiting()
{
    if (m_waiting.empty() || m_connection == nullptr || m_reader.isReading())
        return;
    const auto end = m_waiting.begin() + static_cast<std::ptrdiff_t>(std::min(maxValueBatch, m_waiting.size()));
    std::vector<QByteArray> names(std::make_move_iterator(m_waiting.begin()), std::make_move_iterator(end));
    m_waiting.erase(m_waiting.begin(), end);
    const events::Source source =
        m_waiting.empty() ? std::exchange(m_waitingSource, events::Source::Read) : m_waitingSource;
    read(std::move(names), ValueReader::Part::Values, source, Charging::Ahead);
}

void ValueQueue::requestValues(const QList<QByteArray> &names)
{
    for (const QByteArray &name : names)
        request(name);
}

void ValueQueue::requestKnown()
{
    for (auto value = m_known.values.cbegin(); value != m_known.values.cend(); ++value) {
        if (m_known.isLive(value.key()))
            (void)m_outdated.push(m_known.table.key(value.key()).toByteArray());
    }
}

void ValueQueue::request(const QByteArray &name)
{
    if (!m_requested.push(name))
        return;
    m_requestedSince.push_back({m_clock.now(), m_unreadRequested});
    m_unreadRequested += isUnread(name) ? 1 : 0;
}

bool ValueQueue::isUnread(const QByteArray &name) const
{
    const auto id = m_known.table.find(name);
    return id && m_known.value(*id) == nullptr;
}

qint64 ValueQueue::unread(MonotonicTime now) const
{
    if (m_requestedSince.empty())
        return m_forgotten;
    const auto recent = std::ranges::upper_bound(m_requestedSince, now - 1s, {}, &Waiting::since);
    const qint64 before = recent == m_requestedSince.end() ? m_unreadRequested : recent->unreadBefore;
    return m_forgotten + before - m_requestedSince.front().unreadBefore;
}

void ValueQueue::exemptRequests()
{
    m_areRequestsFree = true;
    m_areAllRequested = false;
}

void ValueQueue::tick(MonotonicTime now)
{
    settle();
    if (isReady() && !readAttention(now) && !readRequested(now))
        resume();
    if (isReady() && !retryRefused(now) && !readOutdated(now))
        (void)readLacking(now);
}

bool ValueQueue::readAttention(MonotonicTime now)
{
    if (now < m_nextAttention || m_visibleKeys.empty() || (m_stage == Stage::Watching && m_budget.available(now) == 0))
        return false;
    std::vector<QByteArray> names;
    for (const KeyId id : m_visibleKeys) {
        if (m_known.isLive(id))
            names.push_back(m_known.table.key(id).toByteArray());
    }
    // Half of the limit remains for a scan: with each of its keys on screen, these reads would else take all of it.
    const std::chrono::duration<double> share(2.0 * commandsPerValue * static_cast<double>(names.size())
                                              / std::max(1, m_budget.perSecond()));
    const bool isScanLimited = m_stage == Stage::Scanning && !m_isCompletionFree;
    m_attentionPaid = isScanLimited ? now + std::chrono::ceil<std::chrono::nanoseconds>(share) : now;
    m_nextAttention = std::max(now + attentionInterval, m_attentionPaid);
    read(std::move(names), ValueReader::Part::Values, events::Source::Read, Charging::InTime);
    return true;
}

/// Returns the number of keys readable with half of the budget; polling and scanning need the rest.
std::size_t ValueQueue::affordable(MonotonicTime now, int commandsPerKey) const
{
    const int share = (m_budget.available(now) + 1) / 2;
    return static_cast<std::size_t>((share + commandsPerKey - 1) / commandsPerKey);
}

bool ValueQueue::readLacking(MonotonicTime now)
{
    if (!m_completion.target() || m_stage != Stage::Watching)
        return false;
    const int cost = *m_completion.target() == ValueReader::Part::Types ? 1 : commandsPerValue;
    std::vector<QByteArray> names = m_completion.next(
        now, m_isCompletionFree ? maxCompletionSize : std::min(maxCompletionSize, affordable(now, cost)));
    if (names.empty())
        return false;
    read(std::move(names), *m_completion.target(), events::Source::Read,
         m_isCompletionFree ? Charging::Free : Charging::InTime);
    return true;
}

bool ValueQueue::readRequested(MonotonicTime now)
{
    if (m_stage == Stage::Scanning)
        return false; // The scan has priority, and finds further requests.
    if (m_requested.isEmpty()) {
        m_areRequestsFree = m_areRequestsFree && !m_areAllRequested;
        return false;
    }
    const std::size_t maximum =
        m_areRequestsFree ? maxRequestSize : std::min(maxRequestSize, affordable(now, commandsPerValue));
    std::vector<QByteArray> names;
    while (names.size() < maximum && !m_requested.isEmpty()) {
        names.push_back(m_requested.take());
        m_requestedSince.pop_front();
    }
    if (names.empty())
        return false;
    m_requestsUnderWay = names;
    read(std::move(names), ValueReader::Part::Values, events::Source::Read,
         m_areRequestsFree ? Charging::Free : Charging::InTime);
    return true;
}

bool ValueQueue::readOutdated(MonotonicTime now)
{
    if (m_stage == Stage::Scanning)
        return false;
    const std::size_t maximum = std::min(maxRequestSize, affordable(now, commandsPerValue));
    std::vector<QByteArray> names;
    while (names.size() < maximum && !m_outdated.isEmpty())
        names.push_back(m_outdated.take());
    if (names.empty())
        return false;
    read(std::move(names), ValueReader::Part::Values, events::Source::Read, Charging::InTime);
    return true;
}

/// Reads the value of one refused key again. If it is permitted now, all others are read as well.
bool ValueQueue::retryRefused(MonotonicTime now)
{
    if (m_refused.isEmpty() || now < m_nextRetry || m_budget.available(now) == 0)
        return false;
    m_nextRetry = now + retryInterval;
    read({m_refused.take()}, ValueReader::Part::Values, events::Source::Read, Charging::InTime);
    m_isRetry = true;
    return true;
}

void ValueQueue::resume()
{
    if (!m_reader.isReading())
        m_requestsUnderWay.clear();
    if (!m_reader.isReading() && std::exchange(m_isRetry, false) && m_reader.readCount() > 0) {
        while (!m_refused.isEmpty())
            request(m_refused.take());
    }
    readWaiting();
    if (!isReady())
        return;
    const MonotonicTime now = m_clock.now();
    if (readAttention(now) || (m_areRequestsFree && readRequested(now)))
        return;
    if (m_isCompletionFree)
        (void)readLacking(now);
}

} // namespace latchkey::watching
