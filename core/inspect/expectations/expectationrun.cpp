#include "core/inspect/expectations/expectationrun.h"

#include "core/inspect/inspection/firstseen.h"

#include <algorithm>

namespace latchkey::expectations {

using base::MonotonicTime;
using events::Exists;
using events::Gone;
using events::KeyEvent;
using events::Observation;
using inspection::InspectedServer;
using watching::EventSource;
using watching::Watcher;
using Kind = Expectation::Kind;
using Outcome = Verdict::Outcome;
using namespace std::chrono_literals;

namespace {

/// Maximum number of keys that are polled at the run's own interval; the watcher polls further keys.
constexpr qsizetype maxExamined = 1000;
constexpr auto minPollInterval = 25ms;
/// Polling interval per key. More keys are polled less often, so that half of a limit of 1000 commands per second stays
/// free.
constexpr auto keyPollInterval = 2ms;
constexpr std::chrono::milliseconds unobservedPollInterval = 1s;
constexpr auto aroundTheEnd = 3ms;
constexpr auto reportInterval = 200ms;

} // namespace

ExpectationRun::ExpectationRun(InspectedServer &server, std::vector<Expectation> expectations, QObject *parent)
    : QObject(parent)
    , m_server(server)
    , m_expectations(std::move(expectations))
    , m_created(server.clock().now())
{
    std::vector<base::Glob> patterns;
    for (const Expectation &expectation : m_expectations) {
        if (expectation.isPattern)
            patterns.push_back(expectation.pattern);
    }
    m_hasPatterns = !patterns.empty();
    m_server.watcher().setPreferredKeys(patterns);
    m_server.dispatcher().addFirst(*this); // Added first, so that a key is followed before the tracker receives its
                                           // observations.
    connect(&m_server.keyEventTracker(), &events::KeyEventTracker::happened, this, &ExpectationRun::take);
    connect(&m_server.watcher(), &Watcher::phaseChanged, this, &ExpectationRun::phaseChanged);
    connect(&m_server.watcher(), &Watcher::gapChanged, this, &ExpectationRun::gapChanged);
    for (const Expectation &expectation : m_expectations) {
        if (!expectation.isPattern && !m_followed.contains(expectation.key)) {
            follow(expectation.key, std::nullopt);
            m_unseenYet.insert(expectation.key);
        }
    }
    m_pollTimer.setTimerType(Qt::PreciseTimer);
    connect(&m_pollTimer, &QTimer::timeout, this, &ExpectationRun::pollAll);
    m_reportTimer.setSingleShot(true);
    m_reportTimer.setInterval(reportInterval);
    connect(&m_reportTimer, &QTimer::timeout, this, &ExpectationRun::changed);
    phaseChanged(m_server.watcher().phase());
    gapChanged();
}

ExpectationRun::~ExpectationRun()
{
    stopWatching();
}

/// Releases all resources. The verdicts remain.
void ExpectationRun::stopWatching()
{
    if (std::exchange(m_hasStopped, true))
        return;
    m_pollTimer.stop();
    m_reportTimer.stop();
    m_server.watcher().setPreferredKeys({});
    m_server.keyEventTracker().disconnect(this);
    m_server.watcher().disconnect(this);
    m_server.dispatcher().remove(*this);
    for (auto followed = m_followed.cbegin(); followed != m_followed.cend(); ++followed)
        m_server.keyEventTracker().unfollow(followed.key());
}

std::chrono::milliseconds ExpectationRun::neededTime(const std::vector<Expectation> &expectations)
{
    std::chrono::milliseconds longest(0);
    for (const Expectation &expectation : expectations)
        longest = std::max(longest, expectation.kind == Kind::Renewed ? 2 * expectation.until : expectation.until);
    return longest;
}

void ExpectationRun::follow(const QByteArray &key, std::optional<MonotonicTime> absentAt)
{
    KeyEvaluators &followed = m_followed[key];
    for (std::size_t i = 0; i < m_expectations.size(); ++i) {
        if (m_expectations[i].matches(key))
            followed.evaluators.emplace_back(i, ExpectationEvaluator(m_expectations[i]));
    }
    m_server.keyEventTracker().follow(key, 0, absentAt);
    if (m_followed.size() <= maxExamined)
        m_pollTimer.setInterval(pollInterval());
}

/// Returns the polling interval; it is longer for a server that does not reply.
std::chrono::milliseconds ExpectationRun::pollInterval() const
{
    const auto keys = std::min(m_followed.size(), maxExamined);
    return m_isUnobserved ? unobservedPollInterval
                          : std::max<std::chrono::milliseconds>(minPollInterval, keys * keyPollInterval);
}

void ExpectationRun::phaseChanged(Watcher::Phase phase)
{
    if (phase == Watcher::Phase::Away)
        return m_pollTimer.stop();
    pollAll(); // Polled at once, instead of at the normal turn.
    m_pollTimer.start();
    // The first scan has found all keys of the patterns.
    if (phase == Watcher::Phase::Watching && !m_begun && m_unseenYet.isEmpty()) {
        m_begun = m_server.clock().now();
        Q_EMIT began();
    }
}

/// Notes a change of the observation. A change of a key during a gap may be undone before the next poll.
void ExpectationRun::gapChanged()
{
    const events::Coverage current = watcherCoverage();
    const bool isUnobserved = !current.isObserving();
    m_isStale = std::ranges::any_of(current.parts().gaps, [](const events::Coverage::Gap &gap) {
        return !gap.to && gap.why.kind == base::ErrorKind::StaleReplica;
    });
    if (!std::exchange(m_isUnobserved, isUnobserved) && isUnobserved) {
        for (KeyEvaluators &followed : m_followed) {
            for (auto &[place, evaluator] : followed.evaluators)
                evaluator.beginGap();
        }
    }
    m_pollTimer.setInterval(pollInterval());
    if (isUnobserved && m_finishAt)
        finishNow(); // The last poll cannot be answered.
}

/// Returns the coverage of the watcher, and the times in which the server refused to answer for a followed key.
events::Coverage ExpectationRun::coverage() const
{
    return m_refusals.addedTo(watcherCoverage(), !m_hasPatterns);
}

events::Coverage ExpectationRun::watcherCoverage() const
{
    using events::KeyRequest;
    events::KeyRequests needed(KeyRequest::Expiry);
    needed.setFlag(KeyRequest::Names, m_hasPatterns);
    // Change events reveal a key that exists only between two polls.
    needed.setFlag(KeyRequest::Changes, m_hasPatterns);
    // Earlier gaps do not concern this run.
    events::Coverage::Parts parts = m_lastCoverage.value_or(m_server.watcher().coverage()).parts();
    const MonotonicTime start = m_begun.value_or(m_created);
    std::erase_if(parts.gaps, [start](const auto &gap) { return gap.to && *gap.to <= start; });
    for (auto &gap : parts.gaps)
        gap.from = std::max(gap.from, start);
    return events::Coverage(std::move(parts)).narrowedTo(needed);
}

void ExpectationRun::pollAll()
{
    if (m_followed.size() <= maxExamined)
        m_server.watcher().keysChanged(m_followed.keys());
    // Later events are then known to have happened after this.
    Q_EMIT m_server.keyEventTracker().confirmationRequested();
}

void ExpectationRun::observed(const events::Observations &observations)
{
    for (const Observation &observation : observations) {
        if (m_hasPatterns && !m_followed.contains(observation.key))
            handle(observation);
        if (m_followed.contains(observation.key))
            see(observation);
    }
    checkOver();
}

void ExpectationRun::handle(const Observation &observation)
{
    const bool exists = std::holds_alternative<Exists>(observation.content)
                     || std::holds_alternative<events::ChangeNotification>(observation.content);
    if (!exists || std::ranges::none_of(m_expectations, [&](const Expectation &expectation) {
            return expectation.isPattern && expectation.matches(observation.key);
        }))
        return;
    if (m_followed.size() >= maxKeys && !isBrokenAtOnce(observation))
        m_leftOut.insert(observation.key);
    else
        follow(observation.key, inspection::absentBefore(m_server, observation));
}

/// Returns whether a single poll of a key of a pattern is enough to fail an expectation: the key has no expiry. Such
/// keys are evaluated beyond the limit of evaluated keys, up to maxKeys omitted keys.
bool ExpectationRun::isBrokenAtOnce(const Observation &observation) const
{
    const auto *exists = std::get_if<Exists>(&observation.content);
    return exists != nullptr && exists->deadline.isNever() && m_leftOut.size() < maxKeys
        && std::ranges::any_of(
               m_expectations,
               [&](const Expectation &expectation) {
                   return expectation.isPattern && expectation.kind == Kind::Expiring
                       && expectation.matches(observation.key);
               });
}

void ExpectationRun::see(const Observation &observation)
{
    const auto *exists = std::get_if<Exists>(&observation.content);
    if (std::holds_alternative<events::ChangeNotification>(observation.content))
        return notification(observation);
    if (std::holds_alternative<events::AccessDenied>(observation.content))
        return refused(observation.key);
    if (exists == nullptr && !std::holds_alternative<Gone>(observation.content))
        return;
    m_refusals.end(observation.key, observation.answered);
    m_followed[observation.key].answeredAt = observation.asked;
    for (auto &[place, evaluator] : m_followed[observation.key].evaluators) {
        if (!m_isStale)
            evaluator.add(observation);
    }
    if (exists != nullptr)
        pollAtExpiry(observation.key, exists->deadline);
    if (m_finishAt && observation.asked >= *m_finishAt)
        m_lastPolls.remove(observation.key);
    if (!m_reportTimer.isActive())
        m_reportTimer.start();
    if (m_unseenYet.remove(observation.key) && m_unseenYet.isEmpty() && !m_begun
        && (!m_hasPatterns || m_server.watcher().phase() == Watcher::Phase::Watching)) {
        m_begun = m_server.clock().now();
        Q_EMIT began();
    }
}

/// Notes that the server refuses to answer for a key, while it answers for others. A change of the key is not seen
/// until the next reply. The last poll of the key is over.
void ExpectationRun::refused(const QByteArray &key)
{
    m_lastPolls.remove(key);
    if (m_refusals.isRefused(key))
        return;
    KeyEvaluators &followed = m_followed[key];
    // Done even if the server refuses all requests, because that gap may be over before gapChanged() is called.
    for (auto &[place, evaluator] : followed.evaluators)
        evaluator.beginGap();
    if (m_isUnobserved || !watcherCoverage().isObserving())
        return; // The coverage contains the gap.
    const MonotonicTime seenAt = std::max(followed.answeredAt.value_or(m_created), m_begun.value_or(m_created));
    m_refusals.begin(key, seenAt, m_server.watcher().coverage());
    if (!m_reportTimer.isActive())
        m_reportTimer.start();
}

/// Passes on a notification. All changes before the last confirmation were reported earlier.
void ExpectationRun::notification(Observation observation)
{
    if (m_isStale)
        return;
    observation.asked = std::min(m_received, observation.answered);
    for (auto &[place, evaluator] : m_followed[observation.key].evaluators)
        evaluator.add(observation);
}

/// Polls just before and just after the deadline, so that the end is known to a few milliseconds.
void ExpectationRun::pollAtExpiry(const QByteArray &key, const base::Deadline &deadline)
{
    const auto left = deadline.remaining(m_server.clock().now());
    if (m_followed.size() > maxExamined || !left || *left < 0ms
        || *left > m_pollTimer.intervalAsDuration() + aroundTheEnd)
        return;
    for (const auto until : {*left - deadline.uncertainty() - aroundTheEnd, *left + deadline.uncertainty()}) {
        if (until > 0ms)
            QTimer::singleShot(std::chrono::ceil<std::chrono::milliseconds>(until), Qt::PreciseTimer, this,
                               [this, key] {
                                   if (!m_isOver)
                                       m_server.watcher().keysChanged({key});
                               });
    }
}

void ExpectationRun::emptied(events::NodeIndex node, MonotonicTime asked, MonotonicTime answered)
{
    for (const QByteArray &key : m_followed.keys())
        see({key, Gone {}, asked, answered, events::Source::Poll, false, node});
    checkOver();
}

void ExpectationRun::take(const KeyEvent &keyEvent)
{
    const auto followed = m_followed.find(keyEvent.key);
    if (followed == m_followed.end() || m_isStale)
        return;
    for (auto &[place, evaluator] : followed->evaluators)
        evaluator.take(keyEvent, m_server.keyEventTracker().eventCoverage(keyEvent.node));
    if (!m_reportTimer.isActive())
        m_reportTimer.start();
}

void ExpectationRun::receivedUpTo(events::NodeIndex, MonotonicTime time)
{
    m_received = std::max(m_received, time);
    checkOver(); // The check is deferred, because the tracker receives this later.
}

void ExpectationRun::finish(std::chrono::milliseconds timeout)
{
    if (m_finishAt) // A second call may have a shorter timeout.
        return QTimer::singleShot(timeout, this, &ExpectationRun::finishNow);
    if (m_isUnobserved) // Handled even without a connection.
        return finishNow();
    m_finishAt = m_server.clock().now();
    if (m_followed.size() <= maxExamined) {
        const QList<QByteArray> keys = m_followed.keys();
        m_lastPolls = QSet<QByteArray>(keys.cbegin(), keys.cend());
    }
    pollAll();
    QTimer::singleShot(timeout, this, &ExpectationRun::finishNow);
    checkOver();
}

void ExpectationRun::checkOver()
{
    if (!m_finishAt || m_isOver || !m_lastPolls.isEmpty())
        return;
    if (!m_lastReply)
        m_lastReply = m_server.clock().now();
    // Without change events, the tracker does not report the end of a key before the flushes are counted.
    const events::EventCoverage reported = m_server.keyEventTracker().eventCoverage(0);
    const bool isConfirmed = m_server.events().mechanism() != EventSource::Mechanism::None || reported.reportsFlushes;
    if (isConfirmed && m_received < *m_lastReply)
        Q_EMIT m_server.keyEventTracker().confirmationRequested();
    else
        finishNow();
}

void ExpectationRun::finishNow()
{
    if (std::exchange(m_isOver, true))
        return;
    m_lastCoverage = m_server.watcher().coverage();
    // Deferred, so that all listeners receive these observations first.
    QMetaObject::invokeMethod(
        this,
        [this] {
            stopWatching();
            Q_EMIT finished();
        },
        Qt::QueuedConnection);
}

bool ExpectationRun::isSettled() const
{
    return m_begun && !m_hasPatterns && std::ranges::all_of(m_followed, [](const KeyEvaluators &followed) {
               return std::ranges::all_of(followed.evaluators, [](const auto &evaluator) {
                   return evaluator.second.verdict(false).outcome != Outcome::Open;
               });
           });
}

std::vector<KeyResult> ExpectationRun::results() const
{
    std::vector<KeyResult> all;
    for (auto followed = m_followed.cbegin(); followed != m_followed.cend(); ++followed) {
        for (const auto &[place, evaluator] : followed->evaluators)
            all.push_back({place, followed.key(), evaluator.verdict(m_isOver)});
    }
    for (std::size_t i = 0; i < m_expectations.size(); ++i) {
        if (m_expectations[i].isPattern
            && std::ranges::none_of(all, [i](const KeyResult &result) { return result.expectation == i; }))
            all.push_back({i, m_expectations[i].key, ExpectationEvaluator(m_expectations[i]).verdict(m_isOver)});
    }
    std::ranges::sort(all, {}, [](const KeyResult &result) { return std::pair(result.expectation, result.key); });
    return all;
}

} // namespace latchkey::expectations
