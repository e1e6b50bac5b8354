#include "app/cli/watchedvotes.h"

#include "app/help/commandline.h"

#include <algorithm>

namespace latchkey::cli {

using base::MonotonicTime;
using detection::LockVotes;
using events::KeyRequest;
using help::CommandLine;
using net::Session;
using watching::Watcher;
using namespace std::chrono_literals;

namespace {

/// Returns why the server does not permit a read of the value. Absent: it does.
std::optional<base::Error> whyUnreadable(const events::Coverage &coverage)
{
    const auto &denied = coverage.denied();
    const auto found = std::ranges::find_if(denied, [](const events::Coverage::Denial &denial) {
        return denial.request == KeyRequest::Value || denial.request == KeyRequest::Type;
    });
    return found == denied.end() ? std::nullopt : std::optional(found->why);
}

} // namespace

WatchedVotes::WatchedVotes(const base::Clock &clock)
    : m_clock(clock)
{
    constexpr auto readInterval = 100ms;
    m_readTimer.setInterval(readInterval);
    m_readTimer.callOnTimeout(this, &WatchedVotes::requestOutdated);
}

WatchedVotes::~WatchedVotes() = default;

void WatchedVotes::add(inspection::InspectedServer &server, const WatchedLocks &locks)
{
    const std::size_t index = m_members.size();
    m_members.push_back({&server, &locks});
    connect(&locks, &LockEvents::seen, this, [this, index](const QByteArray &key) {
        m_members[index].reported.insert(key);
        evaluate(key);
    });
    connect(&locks, &LockEvents::happened, this,
            [this, index](const events::KeyEvent &keyEvent) { take(index, keyEvent); });
    connect(&server.session(), &Session::stateChanged, this, [this, index](Session::State state) {
        if (state == Session::State::Ready)
            markOutdated(index);
    });
    connect(&server.watcher(), &Watcher::gapChanged, this, [this, index] { noteGap(index); });
    connect(&server.watcher(), &Watcher::phaseChanged, this, [this, index](Watcher::Phase phase) {
        if (phase == Watcher::Phase::Watching)
            evaluateAll(index);
    });
    connect(&server, &inspection::InspectedServer::committed, this, [this, index] { recheckOutdated(index); });
    noteGap(index);
}

void WatchedVotes::take(std::size_t index, const events::KeyEvent &keyEvent)
{
    if (keyEvent.type == events::KeyEvent::Type::Ended)
        m_members[index].reported.remove(keyEvent.key);
    else
        m_members[index].reported.insert(keyEvent.key);
    evaluate(keyEvent.key);
}

/// Counts no vote of the server until the key of the lock was read again.
void WatchedVotes::markOutdated(std::size_t index)
{
    Member &member = m_members[index];
    member.observedSince = m_clock.now();
    const QList<QByteArray> held = member.locks->held().keys();
    member.outdated = QSet<QByteArray>(held.begin(), held.end());
    m_readTimer.start();
}

/// Requests the keys again that were not read since a gap. A request is dropped while the server is not watched.
void WatchedVotes::requestOutdated()
{
    bool isAny = false;
    for (Member &member : m_members) {
        if (member.gap || member.outdated.isEmpty())
            continue;
        isAny = true;
        member.server->watcher().keysChanged(member.outdated.values());
    }
    if (!isAny)
        m_readTimer.stop();
}

void WatchedVotes::noteGap(std::size_t index)
{
    Member &member = m_members[index];
    const events::Coverage coverage = member.server->watcher().coverage();
    const events::Coverage::Gap *gap = coverage.gap();
    const bool wasObserved = !member.gap;
    member.gap = gap != nullptr ? std::optional(*gap) : std::nullopt;
    if (wasObserved == (gap == nullptr))
        return;
    // The first reply after the gap may come before the notifications of changes in the gap.
    if (gap == nullptr)
        markOutdated(index);
    evaluateAll(index);
}

/// Counts the votes of locks that were read again.
void WatchedVotes::recheckOutdated(std::size_t index)
{
    Member &member = m_members[index];
    QList<QByteArray> known;
    for (const QByteArray &key : std::as_const(member.outdated)) {
        if (!isOutdated(member, key))
            known += key;
    }
    for (const QByteArray &key : std::as_const(known)) {
        member.outdated.remove(key);
        evaluate(key);
    }
}

/// Counts the votes for all locks to which this server may have a vote.
void WatchedVotes::evaluateAll(std::size_t index)
{
    const QList<QByteArray> held = m_members[index].locks->held().keys();
    QSet<QByteArray> keys(held.begin(), held.end());
    for (const auto &[key, reported] : m_reported)
        keys.insert(key);
    for (const QByteArray &key : std::as_const(keys))
        evaluate(key);
}

/// Returns whether the lock is from before the last gap, and its key was not read since.
bool WatchedVotes::isOutdated(const Member &member, const QByteArray &key)
{
    if (!member.outdated.contains(key))
        return false;
    const keys::KnownKeys &known = member.server->store().known();
    const auto id = known.table.find(key);
    return id && known.isLive(*id)
        && known.table.sampled(*id) + keys::KeyTable::sampledResolution <= member.observedSince;
}

/// Returns the state of the key on the server. `silence`: set if the server is not observed.
LockVotes::Reply WatchedVotes::replyOf(const Member &member, const QByteArray &key, Silence &silence)
{
    const LockVotes::Reply unknown {};
    if (member.gap) {
        silence = {member.gap->why.message(), member.gap->from};
        return unknown;
    }
    if (const auto held = member.locks->held().constFind(key); held != member.locks->held().cend()) {
        if (isOutdated(member, key))
            silence.why = CommandLine::tr("the key was not read again yet");
        // The start of a hold is reported when its value is known and placed in time.
        const bool isReported = member.reported.contains(key) && !held->start && !held->holderUnreportedSince;
        if (!silence.why.isEmpty() || !isReported)
            return unknown;
        const std::optional<QByteArray> &holder = held->description.holder;
        return {true, holder.value_or(QByteArray()), holder.has_value(), held->deadline.value_or(base::Deadline()),
                held->deadline.has_value()};
    }
    if (member.server->watcher().phase() != Watcher::Phase::Watching) {
        silence.why = CommandLine::tr("not all keys were read yet");
        return unknown;
    }
    if (!member.locks->isUnread(key))
        return {true, {}, true, {}, true};
    if (const auto why = whyUnreadable(member.server->watcher().coverage()))
        silence.why = why->message();
    return unknown;
}

void WatchedVotes::evaluate(const QByteArray &key)
{
    std::vector<LockVotes::Reply> replies;
    std::vector<Silence> silences(m_members.size());
    for (std::size_t i = 0; i < m_members.size(); ++i)
        replies.push_back(replyOf(m_members[i], key, silences[i]));
    const auto reported = m_reported.find(key);
    const LockVotes votes(replies);
    if (votes.hasMajority() == true) {
        const bool isNew =
            reported == m_reported.end() || reported->second.isUncertain || reported->second.holder != *votes.holder();
        m_reported[key] = {*votes.holder()};
        if (isNew)
            report(Change::Majority, key, votes, std::move(silences));
        return;
    }
    if (reported == m_reported.end())
        return;
    const LockVotes ofFormer(std::move(replies), reported->second.holder);
    if (ofFormer.hasMajority() == false) {
        m_reported.erase(reported);
        return report(Change::NoMajority, key, ofFormer, std::move(silences));
    }
    const bool isSilent = std::ranges::any_of(silences, [](const Silence &silence) { return !silence.why.isEmpty(); });
    if (isSilent && !std::exchange(reported->second.isUncertain, true)) // A key that is being read is known soon.
        report(Change::Uncertain, key, ofFormer, std::move(silences));
}

void WatchedVotes::report(Change change, const QByteArray &key, LockVotes votes, std::vector<Silence> silences)
{
    Q_EMIT changed({change, key, std::move(votes), std::move(silences), m_clock.now()});
}

} // namespace latchkey::cli
