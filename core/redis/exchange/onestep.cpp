#include "core/redis/exchange/onestep.h"

namespace latchkey::exchange {

namespace {

Exchange<Grant> pass(Request request)
{
    const Answer answer = co_await tentatively(std::move(request));
    co_return Grant(answer);
}

Exchange<Grant> pass(Batch batch)
{
    const Answers answers = co_await std::move(batch);
    co_return Grant(answers);
}

Exchange<Grant> pass(Pause pause)
{
    co_await pause;
    co_return Grant(PauseDone());
}

Exchange<Grant> pass(ReadClock clock)
{
    const Instant instant = co_await clock;
    co_return Grant(instant);
}

Exchange<Grant> pass(DrawToken draw)
{
    const base::OwnerToken token = co_await draw;
    co_return Grant(token);
}

Exchange<Grant> pass(std::monostate /*nothing*/)
{
    co_return Grant();
}

} // namespace

Exchange<Grant> oneStep(base::MonotonicTime deadline, Step step)
{
    Exchange<Grant> passing = std::visit([](const auto &one) { return pass(one); }, step);
    const Grant granted = co_await dueBy(deadline, std::move(passing));
    co_return granted;
}

} // namespace latchkey::exchange
