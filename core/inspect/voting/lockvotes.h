#pragma once

#include "core/foundation/base/deadline.h"

#include <QByteArray>

#include <optional>
#include <vector>

namespace latchkey::voting {

/// The votes of independent servers for the holder of one lock, as a client of redlock counts them.
///
/// A server votes for the holder that its key names. A holder has the lock while a majority of all servers votes for
/// it; servers that did not reply count as servers, but not as votes. A value type. It sends nothing: the caller has
/// read the key on each server.
class LockVotes final
{
public:
    /// The reply of one server.
    struct Reply
    {
        bool isKnown = false;             ///< Whether the server replied.
        std::optional<QByteArray> holder; ///< The holder's name or, without one, the value. Absent: no such key.
        bool isNamed = true;              ///< Whether the value names its holder.
        base::Deadline deadline {};       ///< Expiry of the key.
        bool isExpiryKnown = true;        ///< Whether the server reported the expiry.
    };
    /// The vote of one server for holder().
    enum class Vote : quint8 {
        Holds,
        OtherHolder,
        NoKey,
        Unknown, ///< The server did not reply.
    };

    explicit LockVotes(std::vector<Reply> replies);
    /// Creates the votes for this holder, whether or not another one has more.
    LockVotes(std::vector<Reply> replies, QByteArray holder);

    [[nodiscard]] std::size_t servers() const { return m_replies.size(); }
    /// Returns the smallest majority.
    [[nodiscard]] std::size_t quorum() const { return servers() / 2 + 1; }
    /// Returns the given holder, or that with the most votes, among equals that of the first server. Absent if no
    /// server has the key.
    [[nodiscard]] const std::optional<QByteArray> &holder() const { return m_holder; }
    /// Returns the reply of a server.
    [[nodiscard]] const Reply &reply(std::size_t server) const { return m_replies[server]; }
    /// Returns the number of votes for holder().
    [[nodiscard]] std::size_t votes() const { return count(Vote::Holds); }
    [[nodiscard]] Vote voteOf(std::size_t server) const;
    [[nodiscard]] std::size_t count(Vote vote) const;

    /// Returns whether some holder has a majority; of a given holder, whether this one has. Absent if that depends on
    /// servers that did not reply, and if the value of a majority names no holder: different clients may have written
    /// equal values.
    [[nodiscard]] std::optional<bool> hasMajority() const;
    /// Returns the expiry that ends the majority of holder(), if none of its votes is renewed. Absent without a
    /// majority, and if a server did not report the expiry of its vote.
    [[nodiscard]] std::optional<base::Deadline> majorityEnd() const;
    /// Returns the latest time until which the holder may rely on the lock: the first expiry of its votes, less the
    /// drift of the clocks; see base::Lease::drift(). `now` is the time of the reading: the lease was at least as long
    /// as the longest remaining time. Absent without a majority, and if a vote has no expiry or an
    /// unknown one.
    [[nodiscard]] std::optional<base::MonotonicTime> validUntil(base::MonotonicTime now) const;

private:
    /// Returns whether the values that count as votes name their holder.
    [[nodiscard]] bool isNamed() const;
    /// Returns whether the expiries of all votes are known.
    [[nodiscard]] bool areExpiriesKnown() const;
    /// Returns the expiries of the votes, the earliest first.
    [[nodiscard]] std::vector<base::Deadline> deadlines() const;

    std::vector<Reply> m_replies; ///< One per server.
    std::optional<QByteArray> m_holder;
};

} // namespace latchkey::voting
