#pragma once

#include "core/recipes/locks/compareform.h"
#include "core/recipes/locks/lock.h"

namespace latchkey::locks {

/// The common part of all locks with a token. It draws the token, checks that a won lease is still valid, withdraws
/// attempts with an unknown outcome, and compares the token before each change. To withdraw an attempt is to delete the
/// lock if it carries the token of that attempt. With a password, nothing is withdrawn, because an earlier hold may
/// carry the same password.
///
/// The class is a part of a recipe, not a recipe: the acquiring command is in the recipe's own file. Owned by the
/// recipe. It must outlive the exchanges that it starts.
class TokenHold final
{
public:
    /// `password`: token of every attempt; default: a random token. `form`: method of comparison.
    TokenHold(base::Key key, base::Lease lease, std::optional<base::OwnerToken> password,
              CompareForm form = CompareForm::Script);
    Q_DISABLE_COPY_MOVE(TokenHold)
    ~TokenHold() = default;

    [[nodiscard]] const base::Key &key() const { return m_key; }
    [[nodiscard]] base::Lease lease() const { return m_lease; }
    /// Returns whether all attempts use the user's password as token. An earlier hold may have the same token then.
    [[nodiscard]] bool hasPassword() const { return m_password.has_value(); }

    /// Returns the password, or a new random token.
    [[nodiscard]] exchange::Exchange<base::OwnerToken> tokenForAttempt() &;

    /// Returns the reply in `answer`, the answer to the acquiring command. Without a reply, the exchange ends with the
    /// error. If it is unknown whether the command took effect, the attempt is withdrawn first.
    [[nodiscard]] exchange::Exchange<resp::Reply> replyTo(exchange::Answer answer, base::OwnerToken token) &;

    /// Returns the acquisition of a won lock. `sent`: time before the acquiring command was sent. If the reply took
    /// longer than the lease, withdraws the attempt and ends with a Usage error.
    [[nodiscard]] exchange::Exchange<Acquisition> won(base::OwnerToken token, base::MonotonicTime sent) &;

    /// Deletes the lock atomically if it carries the token.
    [[nodiscard]] exchange::Exchange<ReleaseOutcome> compareAndDelete(base::OwnerToken token) &;
    /// Gives the lock a new lease atomically if it carries the token.
    [[nodiscard]] exchange::Exchange<Extension> compareAndExtend(base::OwnerToken token, base::Lease lease) &;

    /// Returns the call of compareAndDelete(), for recipes with several servers. The reply is 1 if done, 0 if another
    /// client owns the lock, -1 if there is no lock.
    [[nodiscard]] exchange::ScriptCall deletion(const base::OwnerToken &token) const;
    /// Returns the call of compareAndExtend(), with the same replies.
    [[nodiscard]] exchange::ScriptCall extension(const base::OwnerToken &token, base::Lease lease) const;

private:
    [[nodiscard]] exchange::Exchange<void> withdraw(base::OwnerToken token) &;

    const base::Key m_key;
    const base::Lease m_lease;
    const std::optional<base::OwnerToken> m_password;
    const CompareForm m_form;
};

} // namespace latchkey::locks
