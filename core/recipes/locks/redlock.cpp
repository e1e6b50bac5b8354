#include "core/recipes/locks/redlock.h"

#include "core/recipes/locks/attempt.h"
#include "core/recipes/locks/token.h"

#include <algorithm>

namespace latchkey::locks {

using base::ErrorKind;
using base::Lease;
using base::OwnerToken;
using exchange::Answer;
using exchange::Answers;
using exchange::Batch;
using exchange::Exchange;
using exchange::Instant;
using exchange::now;
using exchange::ScriptCall;
using exchange::tentatively;
using resp::set;
using namespace std::chrono_literals;

/// Counts of the servers' replies.
struct RedlockLock::Votes
{
    int ours = 0;    ///< Won, deleted or extended with our token.
    int others = 0;  ///< Locked by another holder.
    int none = 0;    ///< Not locked.
    int unclear = 0; ///< The reply was lost; the command may have taken effect.

    explicit Votes(const Answers &answers)
    {
        for (const Answer &answer : answers) {
            if (isOutcomeUnknown(answer))
                ++unclear;
            else if (answer)
                ++(answer->isOk() || answer->isInteger(1) ? ours : answer->isInteger(-1) ? none : others);
        }
    }

    [[nodiscard]] int answered() const { return ours + others + none; }
};

Recipe RedlockLock::recipe()
{
    Recipe entry = TokenLock::recipe();
    entry.id = QStringLiteral("redlock");
    entry.title = base::Text(QT_TRANSLATE_NOOP("core", "Redlock, on several servers"));
    entry.summary = base::Text(
        QT_TRANSLATE_NOOP("core", "The token lock on N independent servers, won on a majority: it survives the loss "
                                  "of a minority of them."));
    entry.hasManyServers = true;
    entry.make = [](const LockOptions &options) -> std::unique_ptr<Lock> {
        return std::make_unique<RedlockLock>(options.key, *options.lease, options.servers, options.token, options.form);
    };
    return entry;
}

RedlockLock::RedlockLock(base::Key key, Lease lease, int servers, std::optional<OwnerToken> password, CompareForm form)
    : m_hold(std::move(key), lease, std::move(password), form)
    , m_servers(servers)
{}

std::chrono::milliseconds RedlockLock::timeoutFor(Lease lease)
{
    return std::clamp<std::chrono::milliseconds>(lease.duration() / 10, 50ms, 2s);
}

Exchange<Acquisition> RedlockLock::acquire() &
{
    const Lease lease = m_hold.lease();
    const OwnerToken token = co_await m_hold.tokenForAttempt();
    Batch attempts = Batch().within(timeoutFor(lease));
    for (int server = 0; server < m_servers; ++server)
        attempts.add(set(m_hold.key()).to(token).ifAbsent().expiringIn(lease), server);

    const Instant before = co_await now();
    const Answers answers = co_await std::move(attempts);
    const Instant after = co_await now();

    const Votes votes(answers);
    const bool hasMajority = votes.ours >= majority();
    if (hasMajority && after.monotonic < lease.validUntil(before.monotonic))
        co_return acquiredFor(lease, token, before.monotonic, after.monotonic);

    co_await undoAcquisition(token, answers);
    if (hasMajority)
        throw shorterThanRoundTrip(lease, before.monotonic, after.monotonic);
    if (votes.answered() < majority())
        throw noMajority(answers, votes);
    Acquisition busy = Acquisition::busy();
    busy.undecided = missingVotes(answers, votes);
    co_return busy;
}

Exchange<ReleaseOutcome> RedlockLock::release(OwnerToken token) &
{
    const Answers answers = co_await tentatively(onAll(m_hold.deletion(token)), timeoutFor(m_hold.lease()));

    const Votes votes(answers);
    if (votes.answered() < majority())
        throw noMajority(answers, votes);
    if (votes.others >= majority())
        co_return ReleaseOutcome::NotOwner;
    if (votes.none >= majority())
        co_return ReleaseOutcome::Gone;
    if (votes.ours > 0)
        co_return ReleaseOutcome::Released;
    co_return votes.others > 0 ? ReleaseOutcome::NotOwner : ReleaseOutcome::Gone;
}

Exchange<Extension> RedlockLock::extend(OwnerToken token, Lease lease) &
{
    const ScriptCall extending = m_hold.extension(token, lease);
    const Instant before = co_await now();
    const Answers answers = co_await tentatively(onAll(extending), timeoutFor(lease));
    const Instant after = co_await now();

    const Votes votes(answers);
    if (votes.answered() < majority())
        throw noMajority(answers, votes);
    Extension extension;
    extension.validUntil = lease.validUntil(before.monotonic);
    if (votes.ours < majority()) {
        extension.outcome = votes.others > 0 ? ExtendOutcome::NotOwner : ExtendOutcome::Gone;
        co_return extension;
    }
    if (after.monotonic >= extension.validUntil)
        throw shorterThanRoundTrip(lease, before.monotonic, after.monotonic);
    extension.outcome = ExtendOutcome::Extended;
    co_return extension;
}

/// Withdraws an attempt on all servers, because a server that seemed lost or down may have granted it. An earlier hold
/// may have the same password, so with a password only servers that certainly granted this attempt are asked. On an
/// unreachable server, the lease ends the lock.
Exchange<void> RedlockLock::undoAcquisition(OwnerToken token, Answers attempts) &
{
    std::vector<ScriptCall> deletions = onAll(m_hold.deletion(token));
    for (std::size_t server = 0; server < attempts.size(); ++server) {
        if (isOutcomeUnknown(attempts[server]))
            deletions[server] = ScriptCall(deletions[server]).onNewConnection();
    }
    if (m_hold.hasPassword()) {
        const auto isElsewhere = [&](const ScriptCall &deletion) {
            const Answer &attempt = attempts[static_cast<std::size_t>(deletion.server())];
            return !attempt || !attempt->isOk();
        };
        std::erase_if(deletions, isElsewhere);
    }
    if (deletions.empty())
        co_return;
    (void)co_await tentatively(std::move(deletions), timeoutFor(m_hold.lease()));
}

std::vector<ScriptCall> RedlockLock::onAll(const ScriptCall &evaluation) const
{
    std::vector<ScriptCall> evaluations;
    evaluations.reserve(static_cast<std::size_t>(m_servers));
    for (int server = 0; server < m_servers; ++server)
        evaluations.push_back(ScriptCall(evaluation).to(server));
    return evaluations;
}

/// Returns why servers gave no usable answer, if their answers could have completed a majority. Absent: the servers
/// that answered decide. The attempt has not failed with an error, because another one may succeed with the same
/// servers.
std::optional<base::Error> RedlockLock::missingVotes(const Answers &answers, const Votes &votes) const
{
    const int missing = m_servers - votes.answered();
    if (missing == 0 || votes.ours + missing < majority())
        return std::nullopt;
    const auto isMissing = [](const Answer &answer) { return !answer || isOutcomeUnknown(answer); };
    const base::Error &first = std::ranges::find_if(answers, isMissing)->error();
    return base::Error {first.kind,
                        base::Text(QT_TRANSLATE_NOOP("core", "%1 of %2 servers gave no usable answer, and could have "
                                                             "completed the majority of %3: %4"),
                                   missing, m_servers, majority(), first.text)};
}

/// Returns the error for too few replies. The outcome is unknown if the lost replies could complete a majority.
base::Failure RedlockLock::noMajority(const Answers &answers, const Votes &votes) const
{
    const bool isUndecided = votes.ours + votes.unclear >= majority();
    const auto explains = [&](const Answer &answer) { return isUndecided ? isOutcomeUnknown(answer) : !answer; };
    const base::Error &first = std::ranges::find_if(answers, explains)->error();
    const bool wouldSayUnknown = !isUndecided && base::leavesOutcomeUnknown(first.kind);
    return base::Failure(base::Error {
        wouldSayUnknown ? ErrorKind::Unreachable : first.kind,
        base::Text(QT_TRANSLATE_NOOP("core", "only %1 of %2 servers answered, fewer than the %3 that decide; %4"),
                   votes.answered(), m_servers, majority(), first.text)});
}

} // namespace latchkey::locks
