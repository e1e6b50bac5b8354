#pragma once

#include "core/recipes/locks/recipe.h"
#include "core/recipes/locks/tokenhold.h"

#include <vector>

namespace latchkey::locks {

/// A lock on N independent servers that survives the loss of a minority of them.
///
///     acquire   SET key token NX PX milliseconds on all in parallel; won if a majority granted it before the lease,
///               less the clock drift, was over; otherwise deleted on all
///     release   one script on all: GET, compare, DEL
///     extend    one script on all: GET, compare, PEXPIRE; extended under the same two conditions
///
/// Two clients cannot both have a majority. Any failure of a server counts as a vote against the client. Half of an
/// even number is not a majority. The servers must not replicate each other, and no server may be listed under two
/// names. All servers are asked in parallel, each with the timeout timeoutFor(). The timeout is a small part of the
/// lease, so a server that is down uses up little of the lease. The algorithm is called Redlock in the Redis
/// documentation.
///
/// After an error with a known outcome, no majority has changed; a minority may have.
class RedlockLock final : public Lock
{
public:
    /// Returns the catalogue entry.
    [[nodiscard]] static Recipe recipe();

    /// Creates a lock. `servers`: number of servers; the exchanges use the indexes 0 to servers - 1. `password`:
    /// replaces random tokens.
    RedlockLock(base::Key key, base::Lease lease, int servers, std::optional<base::OwnerToken> password = {},
                CompareForm form = CompareForm::Script);

    /// Acquires the lock. Busy if a majority replied but was not won. An attempt that has not won is withdrawn on all
    /// servers; with a password, only on the servers that granted it. An unreachable server keeps the key until the
    /// lease ends. Errors: fewer than a majority replied; the lease, less the clock drift, was over (Usage).
    [[nodiscard]] exchange::Exchange<Acquisition> acquire() & override;
    /// Releases the lock. NotOwner or Gone if a majority reports that. Otherwise Released if any server held the lock
    /// with the token, because the other servers are no majority. Otherwise NotOwner if any server reports another
    /// owner, else Gone. Error: fewer than a majority replied.
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & override;
    /// Extends the lock. Extended only if a majority was extended. Otherwise the lock is lost, and the extended
    /// minority expires. Errors: fewer than a majority replied; the new lease, less the clock drift, was over (Usage).
    [[nodiscard]] exchange::Exchange<Extension> extend(base::OwnerToken token, base::Lease lease) & override;

    /// Returns the timeout of one server: a tenth of the lease, at least 50 ms and at most 2 s.
    [[nodiscard]] static std::chrono::milliseconds timeoutFor(base::Lease lease);

private:
    struct Votes;

    [[nodiscard]] exchange::Exchange<void> undoAcquisition(base::OwnerToken token, exchange::Answers attempts) &;
    [[nodiscard]] std::vector<exchange::ScriptCall> onAll(const exchange::ScriptCall &evaluation) const;
    [[nodiscard]] int majority() const { return m_servers / 2 + 1; }
    [[nodiscard]] std::optional<base::Error> missingVotes(const exchange::Answers &answers, const Votes &votes) const;
    [[nodiscard]] base::Failure noMajority(const exchange::Answers &answers, const Votes &votes) const;

    TokenHold m_hold;
    const int m_servers;
};

} // namespace latchkey::locks
