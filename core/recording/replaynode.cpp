#include "core/recording/replaynode.h"

#include <algorithm>

namespace latchkey::recording {

namespace {

/// A sentence that was put into words when it was recorded.
std::optional<base::Error> errorFrom(const QString &sentence)
{
    if (sentence.isEmpty())
        return std::nullopt;
    return base::Error {base::ErrorKind::PermissionDenied, base::Text(sentence)};
}

} // namespace

void ReplayWatcher::ask(resp::Commands commands, std::function<void(const resp::Connection::Delivery &)> answered)
{
    m_questions.push_back({std::move(commands), std::move(answered)});
    m_isAsked = true;
    QMetaObject::invokeMethod(this, &ReplayWatcher::answerWhatIsKnown, Qt::QueuedConnection);
}

void ReplayWatcher::hear(const Answered &answered)
{
    const auto known = std::ranges::find(m_answers, answered.commands, &Answered::commands);
    if (known != m_answers.end())
        *known = answered;
    else
        m_answers.push_back(answered);
    answerWhatIsKnown();
}

void ReplayWatcher::answerWhatIsKnown()
{
    // Who is answered may ask again.
    for (const Question &question : std::exchange(m_questions, {})) {
        const auto known = std::ranges::find(m_answers, question.commands, &Answered::commands);
        if (known != m_answers.end())
            question.answered(resp::Connection::Delivery(known->delivery));
        else
            m_questions.push_back(question);
    }
}

void ReplayWatcher::set(const Watched &watched)
{
    const Phase before = m_watched.phase;
    // How long a round trip takes is said all the time, and is no progress.
    Watched same = watched;
    same.roundTrip = m_watched.roundTrip;
    const bool isProgress = same != m_watched;
    m_watched = watched;
    m_problem = errorFrom(watched.problem);
    if (watched.phase == Phase::Away && before != Phase::Away) {
        m_questions.clear(); // The connection is lost with them.
        m_answers.clear();
    }
    if (watched.phase != before)
        Q_EMIT phaseChanged(watched.phase);
    if (isProgress)
        Q_EMIT progressChanged();
}

void ReplayEvents::set(const Watched &watched)
{
    const bool isAnother = m_means != watched.means;
    m_means = watched.means;
    m_denial = errorFrom(watched.denial);
    if (isAnother)
        Q_EMIT meansChanged();
}

ReplayNode::ReplayNode(const resp::Endpoint &endpoint, const base::Clock &clock, base::RandomSource &random,
                       QObject *parent)
    : Node(parent)
    , m_session(endpoint, clock, random)
    , m_cluster(m_session)
{
    connect(&m_events, &ReplayEvents::meansChanged, this, &Node::eventsChanged);
}

ReplayNode::~ReplayNode() = default;

void ReplayNode::set(const Watched &watched)
{
    m_watched = watched;
    m_events.set(watched);
    m_watcher.set(watched);
}

} // namespace latchkey::recording
