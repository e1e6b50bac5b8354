#include "core/inspect/recording/replaynode.h"

#include <algorithm>

namespace latchkey::recording {

namespace {

/// Returns an error with a recorded sentence.
std::optional<base::Error> errorFrom(const QString &sentence)
{
    if (sentence.isEmpty())
        return std::nullopt;
    return base::Error {base::ErrorKind::PermissionDenied, base::Text(sentence)};
}

} // namespace

void ReplayWatcher::send(resp::Commands commands, const QObject *context, net::RequestScope::Answered answered)
{
    m_requests.push_back({std::move(commands), context, std::move(answered)});
    m_isRequested = true;
    QMetaObject::invokeMethod(this, &ReplayWatcher::answerRecorded, Qt::QueuedConnection);
}

void ReplayWatcher::receive(const ReplyEntry &answered)
{
    const auto known = std::ranges::find(m_answers, answered.commands, &ReplyEntry::commands);
    if (known != m_answers.end())
        *known = answered;
    else
        m_answers.push_back(answered);
    answerRecorded();
}

void ReplayWatcher::answerRecorded()
{
    // An answered caller may send another request.
    for (const Request &request : std::exchange(m_requests, {})) {
        const auto known = std::ranges::find(m_answers, request.commands, &ReplyEntry::commands);
        if (!request.context)
            continue;
        if (known != m_answers.end())
            request.answered(net::Connection::Delivery(known->delivery));
        else
            m_requests.push_back(request);
    }
}

void ReplayWatcher::set(const WatchState &watched)
{
    const Phase before = m_watched.phase;
    // The delay of the events and the scan times change continuously and are no progress.
    WatchState same = watched;
    same.eventDelay = m_watched.eventDelay;
    same.lastScanBegan = m_watched.lastScanBegan;
    const bool isProgress = same != m_watched;
    m_watched = watched;
    m_problem = errorFrom(watched.problem);
    if (watched.phase == Phase::Away && before != Phase::Away) {
        m_requests.clear(); // Unanswered requests are lost with the connection.
        m_answers.clear();
    }
    if (watched.phase != before) {
        setObserving(watched.phase != Phase::Away);
        Q_EMIT phaseChanged(watched.phase);
    }
    if (isProgress)
        Q_EMIT progressChanged();
}

void ReplayWatcher::setObserving(bool isObserving)
{
    const bool isUnobserved = !m_gaps.empty() && !m_gaps.back().to;
    if (m_covered || isObserving != isUnobserved)
        return;
    if (isObserving)
        m_gaps.back().to = m_clock.now();
    else
        m_gaps.push_back({std::min(m_lastAnswered, m_clock.now()),
                          {},
                          {base::ErrorKind::ConnectionLost,
                           base::Text(QT_TRANSLATE_NOOP("core", "the connection was lost when this was recorded"))},
                          {}});
    emitGapChanged();
}

void ReplayWatcher::emitGapChanged()
{
    m_gapChangedAt = m_clock.now();
    Q_EMIT gapChanged();
}

void ReplayWatcher::cover(const Covered &covered)
{
    const bool isProgress = !m_covered || m_covered->denied != covered.parts.denied;
    m_covered = covered.parts;
    if (covered.isGapChanged)
        emitGapChanged();
    if (isProgress)
        Q_EMIT progressChanged();
}

events::Coverage ReplayWatcher::coverage() const
{
    if (!m_covered)
        return derivedCoverage();
    events::Coverage::Parts parts = *m_covered;
    parts.now = m_clock.now();
    return events::Coverage(std::move(parts));
}

events::Coverage ReplayWatcher::derivedCoverage() const
{
    using events::KeyRequest;
    events::Coverage::Parts parts;
    parts.isScanComplete = m_watched.phase == Phase::Watching && !m_watched.isIncomplete;
    parts.databaseSize = m_watched.databaseSize;
    parts.scannedKeys = parts.isScanComplete ? m_watched.databaseSize : static_cast<qint64>(m_watched.keysScanned);
    if (m_problem)
        parts.denied.push_back({KeyRequest::Names, *m_problem, true});
    parts.gaps = m_gaps;
    parts.now = m_clock.now();
    return events::Coverage(std::move(parts));
}

void ReplayEvents::set(const WatchState &watched)
{
    const bool isAnother = m_mechanism != watched.mechanism;
    m_mechanism = watched.mechanism;
    m_denial = errorFrom(watched.denial);
    m_delay = watched.eventDelay;
    if (isAnother)
        Q_EMIT mechanismChanged();
}

ReplayNode::ReplayNode(const net::Endpoint &endpoint, const base::Clock &clock, base::RandomSource &random,
                       QObject *parent)
    : Node(parent)
    , m_session(endpoint, clock, random)
    , m_cluster(m_session)
    , m_watcher(clock)
{
    connect(&m_events, &ReplayEvents::mechanismChanged, this, &Node::eventsChanged);
}

ReplayNode::~ReplayNode() = default;

void ReplayNode::set(const WatchState &watched)
{
    m_watched = watched;
    m_events.set(watched);
    m_watcher.set(watched);
}

} // namespace latchkey::recording
