#pragma once

#include "core/locks/recipe.h"
#include "core/locks/tokenhold.h"

#include <vector>

namespace latchkey::locks {

/// The lock on N independent servers that survives the loss of a minority of them.
///
///     acquire   SET key token NX PX milliseconds on all at once; won on a majority, within the lease less the time
///               that it took and the clock drift; otherwise taken back on all
///     release   one script on all: GET, compare, DEL
///     extend    one script on all: GET, compare, PEXPIRE; on a majority, within the lease likewise
///
/// Two clients cannot both have a majority. A server's failure is its vote against, whatever the failure was; half of
/// an even number is no majority. The servers must not replicate each other, and must not be one server by two names.
/// They are asked side by side and have patience() to answer, little of the lease, so that one that is down takes
/// nothing from the others. The algorithm is the one that the Redis documentation calls Redlock.
///
/// Where an exchange ends with an error whose outcome is not unknown, no majority has changed; a minority may have.
class RedlockLock final : public Lock
{
public:
    /// Its entry in the catalogue.
    [[nodiscard]] static Recipe recipe();

    /// servers: how many; the exchanges ask those of the indices 0 to servers - 1. password: instead of random tokens.
    RedlockLock(base::Key key, base::Lease lease, int servers, std::optional<base::OwnerToken> password = {},
                CompareForm form = CompareForm::Script);

    /// Busy if a majority answered and none was won; what was won of it has been given back, and where that could not
    /// be told to a server the lease ends it. An error if fewer than a majority answered; it says how many of how many.
    [[nodiscard]] exchange::Exchange<Acquisition> acquire() & override;
    /// What a majority says: NotOwner or Gone. Else Released if any server held the lock with the token: with what was
    /// deleted gone, the rest is no majority. An error if fewer than a majority answered.
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> release(base::OwnerToken token) & override;
    /// Extended only if a majority extended. Otherwise the lock is lost, and what a minority has extended runs out.
    [[nodiscard]] exchange::Exchange<Extension> extend(base::OwnerToken token, base::Lease lease) & override;

    /// How long a server has to answer: a tenth of the lease, but at least 50 ms and at most 2 s.
    [[nodiscard]] static std::chrono::milliseconds patience(base::Lease lease);

private:
    struct Votes;

    [[nodiscard]] exchange::Exchange<void> giveBack(base::OwnerToken token, exchange::Answers attempts) &;
    [[nodiscard]] std::vector<exchange::ScriptCall> onAll(const exchange::ScriptCall &evaluation) const;
    [[nodiscard]] int majority() const { return m_servers / 2 + 1; }
    [[nodiscard]] base::Failure noMajority(const exchange::Answers &answers, const Votes &votes) const;

    TokenHold m_hold;
    const int m_servers;
};

} // namespace latchkey::locks
