#include "core/inspect/voting/lockvotes.h"

#include "core/foundation/base/lease.h"

#include <algorithm>

namespace latchkey::voting {

using base::Deadline;
using base::MonotonicTime;

LockVotes::LockVotes(std::vector<Reply> replies)
    : m_replies(std::move(replies))
{
    std::ptrdiff_t most = 0;
    for (const Reply &reply : m_replies) {
        if (!reply.holder)
            continue;
        const auto votes = std::ranges::count(m_replies, reply.holder, &Reply::holder);
        if (votes > most) {
            most = votes;
            m_holder = reply.holder;
        }
    }
}

LockVotes::LockVotes(std::vector<Reply> replies, QByteArray holder)
    : m_replies(std::move(replies))
    , m_holder(std::move(holder))
{}

LockVotes::Vote LockVotes::voteOf(std::size_t server) const
{
    const Reply &reply = m_replies[server];
    if (!reply.isKnown)
        return Vote::Unknown;
    if (!reply.holder)
        return Vote::NoKey;
    return reply.holder == m_holder ? Vote::Holds : Vote::OtherHolder;
}

std::size_t LockVotes::count(Vote vote) const
{
    std::size_t found = 0;
    for (std::size_t server = 0; server < servers(); ++server) {
        if (voteOf(server) == vote)
            ++found;
    }
    return found;
}

std::optional<bool> LockVotes::hasMajority() const
{
    if (votes() >= quorum())
        return isNamed() ? std::optional(true) : std::nullopt;
    if (votes() + count(Vote::Unknown) >= quorum())
        return std::nullopt;
    return false;
}

bool LockVotes::isNamed() const
{
    const auto first = std::ranges::find(m_replies, m_holder, &Reply::holder);
    return first != m_replies.end() && first->isNamed;
}

bool LockVotes::areExpiriesKnown() const
{
    return std::ranges::all_of(m_replies,
                               [this](const Reply &reply) { return reply.isExpiryKnown || reply.holder != m_holder; });
}

std::vector<Deadline> LockVotes::deadlines() const
{
    std::vector<Deadline> found;
    for (std::size_t server = 0; server < servers(); ++server) {
        if (voteOf(server) == Vote::Holds)
            found.push_back(m_replies[server].deadline);
    }
    std::ranges::sort(found, {}, &Deadline::at);
    return found;
}

std::optional<Deadline> LockVotes::majorityEnd() const
{
    if (hasMajority() != true || !areExpiriesKnown())
        return std::nullopt;
    return deadlines()[votes() - quorum()];
}

std::optional<MonotonicTime> LockVotes::validUntil(MonotonicTime now) const
{
    if (hasMajority() != true || !areExpiriesKnown())
        return std::nullopt;
    const std::vector<Deadline> ends = deadlines();
    if (ends.back().isNever())
        return std::nullopt;
    const auto longest = std::chrono::duration_cast<std::chrono::milliseconds>(ends.back().at() - now);
    const auto lease = base::Lease::of(longest);
    return ends.front().at() - (lease ? lease->drift() : std::chrono::milliseconds());
}

} // namespace latchkey::voting
