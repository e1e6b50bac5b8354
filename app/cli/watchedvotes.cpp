#include "app/cli/watchedvotes.h"

#include <algorithm>

namespace latchkey::cli {

using voting::LockVotes;
using voting::MissingVote;
using voting::VotingServer;

WatchedVotes::WatchedVotes(const base::Clock &clock)
    : m_clock(clock)
{}

WatchedVotes::~WatchedVotes() = default;

void WatchedVotes::add(inspection::InspectedServer &server, const WatchedLocks &locks)
{
    const std::size_t index = m_members.size();
    m_members.push_back({std::make_unique<VotingServer>(server, m_clock, VotingServer::Reread::Expiry,
                                                        [&locks] { return locks.held().keys(); }),
                         &locks});
    connect(&locks, &LockEvents::seen, this, [this, index](const QByteArray &key) {
        m_members[index].reported.insert(key);
        evaluate(key);
    });
    connect(&locks, &LockEvents::happened, this,
            [this, index](const events::KeyEvent &keyEvent) { take(index, keyEvent); });
    connect(&locks, &WatchedLocks::settled, this, &WatchedVotes::evaluate);
    const VotingServer &voting = *m_members.back().voting;
    connect(&voting, &VotingServer::allChanged, this, [this, index] { evaluateAll(index); });
    connect(&voting, &VotingServer::readAgain, this, &WatchedVotes::evaluate);
}

void WatchedVotes::take(std::size_t index, const events::KeyEvent &keyEvent)
{
    if (keyEvent.type == events::KeyEvent::Type::Ended)
        m_members[index].reported.remove(keyEvent.key);
    else
        m_members[index].reported.insert(keyEvent.key);
    evaluate(keyEvent.key);
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

/// Returns the state of the key on the server. `silence`: set if the server is not observed.
LockVotes::Reply WatchedVotes::replyOf(const Member &member, const QByteArray &key, MissingVote &silence)
{
    const LockVotes::Reply unknown {};
    if (const auto unobserved = member.voting->silence()) {
        silence = *unobserved;
        return unknown;
    }
    if (const auto held = member.locks->held().constFind(key); held != member.locks->held().cend()) {
        if (member.voting->isOutdated(key))
            silence = VotingServer::outdatedVote();
        // The start of a hold is reported when its value is known and placed in time.
        const bool isReported = member.reported.contains(key) && !held->start && !held->holderUnreportedSince;
        if (!silence.why.isEmpty() || !isReported)
            return unknown;
        const std::optional<QByteArray> &holder = held->description.holder;
        return {true, holder.value_or(QByteArray()), holder.has_value(), held->deadline.value_or(base::Deadline()),
                held->deadline.has_value()};
    }
    silence = member.voting->missingVoteForAbsentKey();
    if (!silence.why.isEmpty())
        return unknown;
    if (!member.locks->isUnread(key))
        return {true, {}, true, {}, true};
    silence = member.voting->missingVoteForUnreadKey();
    return unknown;
}

void WatchedVotes::evaluate(const QByteArray &key)
{
    std::vector<LockVotes::Reply> replies;
    std::vector<MissingVote> missingVotes(m_members.size());
    for (std::size_t i = 0; i < m_members.size(); ++i)
        replies.push_back(replyOf(m_members[i], key, missingVotes[i]));
    const auto reported = m_reported.find(key);
    const LockVotes votes(replies);
    if (votes.hasMajority() == true) {
        const bool isNew =
            reported == m_reported.end() || reported->second.isUncertain || reported->second.holder != *votes.holder();
        m_reported[key] = {*votes.holder()};
        if (isNew)
            report(Change::Majority, key, votes, std::move(missingVotes));
        return;
    }
    if (reported == m_reported.end())
        return;
    const LockVotes ofFormer(std::move(replies), reported->second.holder);
    if (ofFormer.hasMajority() == false) {
        m_reported.erase(reported);
        return report(Change::NoMajority, key, ofFormer, std::move(missingVotes));
    }
    const bool isSilent =
        std::ranges::any_of(missingVotes, [](const MissingVote &silence) { return !silence.why.isEmpty(); });
    // Only if a server is silent: a key that is being read is soon known.
    if (isSilent && !std::exchange(reported->second.isUncertain, true))
        report(Change::Uncertain, key, ofFormer, std::move(missingVotes));
}

void WatchedVotes::report(Change change, const QByteArray &key, LockVotes votes, std::vector<MissingVote> missingVotes)
{
    Q_EMIT changed({change, key, std::move(votes), std::move(missingVotes), m_clock.now()});
}

} // namespace latchkey::cli
