#include "core/recipes/locks/holdstatus.h"

#include "core/recipes/locks/foreigntype.h"
#include "core/recipes/locks/unixdeadline.h"

#include <algorithm>

namespace latchkey::locks {

using base::MonotonicTime;
using exchange::Answer;
using exchange::Answers;
using exchange::Batch;
using exchange::dueBy;
using exchange::Exchange;
using exchange::Instant;
using exchange::now;
using exchange::Pause;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// Returns the time at which the hold counts as lost, unless a check changes it.
MonotonicTime endOf(const HeldLease &hold, const HoldStatus &status)
{
    return status.isShortened(hold) ? status.validUntil - hold.lease.duration() / 3 : status.validUntil;
}

/// Updates the status from the reply to GET. `asked`: time before GET was sent.
void takeValue(const HeldLease &hold, const Answer &answer, const Instant &asked, HoldStatus &status)
{
    if (!answer) {
        status.mayRead = !isDenied(answer);
        if (answer.error().kind == base::ErrorKind::WrongType)
            status.loss = Loss {Loss::Kind::NotOwner, answer.error()};
        return;
    }
    if (answer->isNil()) {
        status.loss = Loss {Loss::Kind::Gone, {}};
    } else if (answer->isBulk(hold.token.bytes())) {
        if (hold.value == LockValue::Deadline)
            status.validUntil = hold.validUntil;
    } else if (hold.value == LockValue::Deadline) {
        // A contender that has not won may overwrite the deadline, so only an earlier one counts.
        const auto deadline = UnixDeadline::read(hold.key, answer->bytes());
        if (deadline)
            status.validUntil = std::min(hold.validUntil, asked.monotonic + (deadline->time() - asked.wall));
        else
            status.loss = Loss {Loss::Kind::NotOwner, deadline.error()};
    } else {
        status.loss = Loss {Loss::Kind::NotOwner, {}};
    }
}

/// Updates the status from the reply to PTTL, which was measured between these two times. The TTL counts only if it is
/// certainly shorter than granted.
void takeEnd(const HeldLease &hold, const Answer &answer, MonotonicTime asked, MonotonicTime answered,
             HoldStatus &status)
{
    if (!answer) {
        status.mayReadExpiry = !isDenied(answer);
        return;
    }
    constexpr milliseconds longest = 24h * 365 * 150; // Longer than any lease, without overflow in nanoseconds.
    const milliseconds left = std::min(milliseconds(answer->toInteger()), longest);
    if (left == -2ms && !status.loss)
        status.loss = Loss {Loss::Kind::Gone, {}};
    if (left >= 0ms)
        status.validUntil = answered + left < hold.validUntil ? asked + left : hold.validUntil;
}

/// Returns whether two times are equal within the accuracy of a check.
bool isSameEnd(MonotonicTime a, MonotonicTime b, std::chrono::nanoseconds roundTrip)
{
    return std::chrono::abs(a - b) <= roundTrip + 2ms;
}

Exchange<HoldStatus> readStatus(HeldLease hold, HoldStatus last)
{
    HoldStatus status = last;
    Batch questions;
    if (status.mayRead)
        questions.add(resp::get(hold.key));
    if (status.mayReadExpiry)
        questions.add(resp::pttl(hold.key));
    const Instant asked = co_await now();
    const Answers answers = co_await std::move(questions);
    const Instant answered = co_await now();
    auto answer = answers.begin();
    if (answer != answers.end() && status.mayRead)
        takeValue(hold, *answer++, asked, status);
    if (answer != answers.end())
        takeEnd(hold, *answer, asked.monotonic, answered.monotonic, status);
    if (isSameEnd(status.validUntil, last.validUntil, answered.monotonic - asked.monotonic))
        status.validUntil = last.validUntil;
    co_return status;
}

} // namespace

milliseconds pollInterval(base::Lease lease)
{
    return std::clamp<milliseconds>(lease.duration() / 3, 10ms, 250ms);
}

HoldStatus initialStatus(const HeldLease &hold)
{
    HoldStatus status;
    status.validUntil = hold.validUntil;
    status.mayReadExpiry = hold.value != LockValue::Deadline;
    return status;
}

Exchange<HoldStatus> pollHold(HeldLease hold, HoldStatus last, milliseconds interval)
{
    const MonotonicTime end = endOf(hold, last);
    const Instant start = co_await now();
    const bool mayAsk = last.mayRead || last.mayReadExpiry;
    const MonotonicTime next = mayAsk ? std::min(end, start.monotonic + interval) : end;
    co_await Pause {std::max(std::chrono::ceil<milliseconds>(next - start.monotonic), 0ms)};

    const Instant instant = co_await now();
    if (instant.monotonic >= end) {
        last.loss = Loss {last.isShortened(hold) ? Loss::Kind::Shortened : Loss::Kind::LeaseExpired, {}};
        co_return last;
    }
    if (!mayAsk)
        co_return last;
    const HoldStatus status = co_await dueBy(end, readStatus(hold, last));
    co_return status;
}

} // namespace latchkey::locks
