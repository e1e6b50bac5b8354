#include "core/inspect/alerts/alertwatch.h"

#include "core/foundation/base/duration.h"
#include "core/inspect/findings/findingtexts.h"
#include "core/inspect/recognition/displaytitle.h"

#include <algorithm>

namespace latchkey::alerts {

using base::MonotonicTime;
using base::Text;
using findings::Finding;
using findings::FindingKind;
using history::History;
using history::Hold;
using watching::Watcher;
using Condition = AlertRule::Condition;
using namespace std::chrono_literals;

namespace {

constexpr auto sweepInterval = 5s;

bool needsFindings(const AlertRule &rule)
{
    return rule.condition == Condition::NoExpiry || rule.condition == Condition::TwoHolders
        || rule.condition == Condition::Finding;
}

/// Returns the time for which the lock was certainly held: the hold began before the end of the interval of its start.
std::chrono::milliseconds minHeldTime(const Hold &hold, MonotonicTime now)
{
    return std::chrono::floor<std::chrono::milliseconds>(std::max(now - hold.from.latest, std::chrono::nanoseconds(0)));
}

const Finding *findingOf(const std::vector<Finding> &found, FindingKind kind)
{
    const auto finding = std::ranges::find(found, kind, &Finding::kind);
    return finding == found.end() ? nullptr : &*finding;
}

} // namespace

AlertWatch::AlertWatch(inspection::InspectedServer &server, const base::Clock &clock, std::vector<AlertRule> rules,
                       base::Globs globs, Timing timing, QObject *parent)
    : QObject(parent)
    , m_server(server)
    , m_clock(clock)
    , m_rules(std::move(rules))
    , m_globs(std::move(globs))
    , m_timing(timing)
    , m_needsFindings(std::ranges::any_of(m_rules, &needsFindings))
    , m_observationStates(m_rules.size())
{
    const History &history = m_server.holds().history();
    connect(&m_server.locks(), &detection::LockFinder::recognised, this, &AlertWatch::consider);
    connect(&history, &History::changed, this, [this](const History::LockId &lockId) { consider(lockId.key); });
    connect(&history, &History::ended, this, &AlertWatch::holdEnded);
    connect(&m_server, &inspection::InspectedServer::committed, this, qOverload<>(&AlertWatch::evaluate));
    connect(&m_server.watcher(), &Watcher::gapChanged, this, &AlertWatch::evaluateGaps);
    m_dueTimer.setSingleShot(true);
    m_dueTimer.setTimerType(Qt::PreciseTimer);
    connect(&m_dueTimer, &QTimer::timeout, this, &AlertWatch::evaluateDue);
    if (std::ranges::any_of(m_rules, [](const AlertRule &rule) { return rule.condition == Condition::Finding; }))
        scheduleSweep();
    sweep();
}

AlertWatch::~AlertWatch() = default;

qsizetype AlertWatch::openCount() const
{
    const auto open = [](const std::vector<State> &states) {
        return std::ranges::count_if(states, [](const State &state) { return state.alert.has_value(); });
    };
    qsizetype count = open(m_observationStates);
    for (const std::vector<State> &states : m_states)
        count += open(states);
    return count;
}

bool AlertWatch::isIncomplete() const
{
    return m_server.holds().isIncomplete() || m_server.locks().isIncomplete();
}

bool AlertWatch::isObserving() const
{
    return m_server.watcher().coverage().isObserving();
}

const Hold *AlertWatch::lastHold(const QByteArray &key) const
{
    const auto &holds = m_server.holds().history().holds({key, 0});
    return holds.empty() ? nullptr : &holds.back();
}

void AlertWatch::consider(const QByteArray &key)
{
    if (m_globs.matches(key))
        m_dirty.insert(key);
}

void AlertWatch::sweep()
{
    const QList<History::LockId> places = m_server.holds().history().lockIds();
    for (const History::LockId &lockId : places)
        consider(lockId.key);
}

void AlertWatch::scheduleSweep()
{
    m_nextSweep = m_clock.now() + sweepInterval;
    startTimer();
}

void AlertWatch::evaluateDue()
{
    const MonotonicTime now = m_clock.now();
    if (now < nextDue())
        return startTimer();
    if (now >= m_nextSweep) {
        sweep();
        scheduleSweep();
    }
    considerDue(now);
    evaluateGaps();
    evaluate();
}

void AlertWatch::considerDue(MonotonicTime now)
{
    auto next = MonotonicTime::max();
    for (auto due = m_due.begin(); due != m_due.end();) {
        if (*due <= now) {
            m_dirty.insert(due.key());
            due = m_due.erase(due);
        } else {
            next = std::min(next, *due);
            ++due;
        }
    }
    m_nextDue = next;
    startTimer();
}

void AlertWatch::wakeAt(const QByteArray &key, MonotonicTime at)
{
    const auto known = m_due.constFind(key);
    m_due[key] = known == m_due.cend() ? at : std::min(at, *known);
    wakeAt(at);
}

void AlertWatch::wakeAt(MonotonicTime at)
{
    m_nextDue = std::min(m_nextDue, at);
    startTimer();
}

void AlertWatch::startTimer()
{
    const MonotonicTime next = nextDue();
    if (m_timing == Timing::Caller || next == MonotonicTime::max())
        return;
    const auto left = std::max(1ms, std::chrono::ceil<std::chrono::milliseconds>(next - m_clock.now()));
    if (!m_dueTimer.isActive() || m_dueTimer.remainingTimeAsDuration() > left)
        m_dueTimer.start(left);
}

void AlertWatch::evaluate()
{
    if (m_dirty.isEmpty() && m_states.isEmpty())
        return;
    if (!isObserving())
        return; // The keys stay dirty.
    // A lock that is not followed has no hold that ends.
    for (auto state = m_states.cbegin(); state != m_states.cend(); ++state) {
        if (!m_server.locks().isLock(state.key()))
            m_dirty.insert(state.key());
    }
    for (const QSet<QByteArray> dirty = std::exchange(m_dirty, {}); const QByteArray &key : dirty)
        evaluate(key);
}

void AlertWatch::evaluate(const QByteArray &key)
{
    const Hold *hold = lastHold(key);
    if (!m_server.locks().isLock(key)) {
        // After a gap in the observation, all locks are found again. Only the end of its hold shows that a followed
        // lock has ended.
        const bool isFollowed = hold != nullptr && !hold->isOver();
        if (!isFollowed && !m_server.locks().isCatchingUp())
            forget(key);
        return;
    }
    if (hold != nullptr && hold->isOver())
        return; // The history is ahead of the known keys. The next commit shows the end of the key or its next hold.
    const auto found = m_needsFindings ? m_server.evaluator().findingsOf(key) : std::vector<Finding>();
    for (std::size_t rule = 0; rule < m_rules.size(); ++rule) {
        if (m_rules[rule].condition != Condition::Blind && m_rules[rule].glob.matches(key))
            evaluate(key, rule, hold, found);
    }
    if (const auto states = m_states.constFind(key);
        states != m_states.cend()
        && std::ranges::none_of(*states, [](const State &state) { return state.trueSince.has_value(); }))
        m_states.remove(key);
}

void AlertWatch::evaluate(const QByteArray &key, std::size_t rule, const Hold *hold, const std::vector<Finding> &found)
{
    const MonotonicTime now = m_clock.now();
    const auto reason = reasonFor(m_rules[rule], key, hold, found, now);
    auto states = m_states.find(key);
    if (!reason) {
        if (states == m_states.end())
            return;
        State &state = (*states)[rule];
        state.trueSince.reset();
        if (const auto alert = std::exchange(state.alert, std::nullopt))
            Q_EMIT over(*alert, {now, std::nullopt, false});
        return;
    }
    if (states == m_states.end())
        states = m_states.insert(key, std::vector<State>(m_rules.size()));
    State &state = (*states)[rule];
    state.trueSince = state.trueSince.value_or(now);
    if (state.alert)
        return;
    if (m_rules[rule].condition == Condition::NoExpiry && now < *state.trueSince + settling) {
        wakeAt(key, *state.trueSince + settling);
        return;
    }
    Alert alert {m_rules[rule], key, {}, {}, now, *reason};
    if (hold != nullptr) {
        alert.holder = hold->holder;
        alert.heldFor = minHeldTime(*hold, now);
    }
    raise(state, std::move(alert));
}

std::optional<Text> AlertWatch::reasonFor(const AlertRule &rule, const QByteArray &key, const Hold *hold,
                                          const std::vector<Finding> &found, MonotonicTime now)
{
    switch (rule.condition) {
    case Condition::NoExpiry:
    case Condition::Finding: {
        const bool isNoExpiry = rule.condition == Condition::NoExpiry;
        const Finding *finding = findingOf(found, isNoExpiry ? FindingKind::NoExpiry : rule.finding);
        return finding == nullptr ? std::nullopt : std::optional(evidence(*finding, key));
    }
    case Condition::TwoHolders:
        if (const Finding *finding = findingOf(found, FindingKind::SeveralHolders))
            return evidence(*finding, key);
        if (hold != nullptr && hold->overlaps)
            return Text(QT_TRANSLATE_NOOP("core", "taken over from a holder that had not released it"));
        return std::nullopt;
    case Condition::OlderThan: {
        if (hold == nullptr)
            return std::nullopt;
        const MonotonicTime limit = hold->from.latest + rule.limit;
        if (now >= limit)
            return Text(QT_TRANSLATE_NOOP("core", "held for %1, longer than %2"),
                        base::displayDuration(minHeldTime(*hold, now)), base::formatDuration(rule.limit));
        wakeAt(key, limit);
        return std::nullopt;
    }
    case Condition::Blind:
        return std::nullopt;
    }
    Q_UNREACHABLE();
}

Text AlertWatch::evidence(const Finding &finding, const QByteArray &key) const
{
    const recognition::Recognition recognised = m_server.locks().recognise(key);
    const recognition::Dialect *dialect =
        recognised.isLock() ? m_server.locks().recogniser().dialects().find(recognised.best().dialect) : nullptr;
    return Text(findings::FindingTexts::evidence(
        finding, dialect == nullptr ? QString() : recognition::displayTitle(dialect->title)));
}

void AlertWatch::raise(State &state, Alert alert)
{
    state.alert = std::move(alert);
    const Alert copy = *state.alert; // Copied, because a receiver of the signal may change the states.
    Q_EMIT raised(copy);
}

void AlertWatch::holdEnded(const Hold &hold)
{
    m_due.remove(hold.key);
    const std::vector<State> states = m_states.take(hold.key);
    for (const State &state : states) {
        if (state.alert)
            Q_EMIT over(*state.alert, {hold.until ? hold.until->latest : m_clock.now(), hold, true});
    }
}

/// Ends the alerts of a key that is no longer a lock. The end of a followed lock was already handled.
void AlertWatch::forget(const QByteArray &key)
{
    m_due.remove(key);
    const std::vector<State> states = m_states.take(key);
    for (const State &state : states) {
        if (state.alert)
            Q_EMIT over(*state.alert, {m_clock.now(), std::nullopt, true});
    }
}

void AlertWatch::evaluateGaps()
{
    const events::Coverage coverage = m_server.watcher().coverage();
    const events::Coverage::Gap *gap = coverage.gap();
    const MonotonicTime now = m_clock.now();
    for (std::size_t i = 0; i < m_rules.size(); ++i) {
        State &state = m_observationStates[i];
        if (m_rules[i].condition != Condition::Blind)
            continue;
        if (gap == nullptr) {
            if (const auto alert = std::exchange(state.alert, std::nullopt))
                Q_EMIT over(*alert, {now, std::nullopt, false});
        } else if (state.alert) {
            continue;
        } else if (const MonotonicTime due = gap->from + m_rules[i].limit; now < due) {
            wakeAt(due);
        } else {
            raise(state, {m_rules[i], {}, {}, {}, now, gap->sentence(now)});
        }
    }
}

} // namespace latchkey::alerts
