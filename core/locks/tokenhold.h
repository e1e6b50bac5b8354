#pragma once

#include "core/locks/compareform.h"
#include "core/locks/lock.h"

namespace latchkey::locks {

/// What all locks with a token do alike: draw it, make sure of a win, take back what cannot be relied on, compare
/// before they change anything.
///
/// A part of a recipe, not a recipe: the command that acquires is the recipe's own, so that it can be read there.
/// Owned by the recipe; it must outlive the exchanges that it starts.
class TokenHold final
{
public:
    /// password: used as the token of every attempt instead of a random one.
    /// form: in which it compares.
    TokenHold(base::Key key, base::Lease lease, std::optional<base::OwnerToken> password,
              CompareForm form = CompareForm::Script);
    Q_DISABLE_COPY_MOVE(TokenHold)
    ~TokenHold() = default;

    [[nodiscard]] const base::Key &key() const { return m_key; }
    [[nodiscard]] base::Lease lease() const { return m_lease; }
    /// Its tokens are one password, which may guard an earlier hold as well.
    [[nodiscard]] bool hasPassword() const { return m_password.has_value(); }

    /// The password, else a token that nobody has had before.
    [[nodiscard]] exchange::Exchange<base::OwnerToken> tokenForAttempt() &;

    /// The reply to the command that acquires. Where there is none the exchange ends with the error; if it is unclear
    /// whether the command took effect, the attempt is withdrawn first.
    [[nodiscard]] exchange::Exchange<resp::Reply> replyTo(exchange::Answer answer, base::OwnerToken token) &;

    /// The lock is won, by a command sent at sent: the acquisition, or a Usage error, and the lock given back, where
    /// the answer took longer than the lease.
    [[nodiscard]] exchange::Exchange<Acquisition> won(base::OwnerToken token, base::MonotonicTime sent) &;

    /// Deletes the lock if it carries the token, in one step.
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> compareAndDelete(base::OwnerToken token) &;
    /// Gives the lock a new lease if it carries the token, in one step.
    [[nodiscard]] exchange::Exchange<Extension> compareAndExtend(base::OwnerToken token, base::Lease lease) &;

    /// What they ask, for recipes that ask several servers. It answers 1 where it has been done, 0 where the lock is
    /// another's, -1 where there is none.
    [[nodiscard]] exchange::ScriptCall deletion(const base::OwnerToken &token) const;
    [[nodiscard]] exchange::ScriptCall extension(const base::OwnerToken &token, base::Lease lease) const;

private:
    [[nodiscard]] exchange::Exchange<void> withdraw(base::OwnerToken token) &;

    const base::Key m_key;
    const base::Lease m_lease;
    const std::optional<base::OwnerToken> m_password;
    const CompareForm m_form;
};

} // namespace latchkey::locks
