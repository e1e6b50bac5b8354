#include "core/redis/exchange/onestep.h"

namespace latchkey::exchange {

namespace {

Exchange<Grant> forward(Request request)
{
    const Answer answer = co_await tentatively(std::move(request));
    co_return Grant(answer);
}

Exchange<Grant> forward(Batch batch)
{
    const Answers answers = co_await std::move(batch);
    co_return Grant(answers);
}

Exchange<Grant> forward(Pause pause)
{
    co_await pause;
    co_return Grant(PauseDone());
}

Exchange<Grant> forward(ReadClock clock)
{
    const Instant instant = co_await clock;
    co_return Grant(instant);
}

Exchange<Grant> forward(DrawToken draw)
{
    const base::OwnerToken token = co_await draw;
    co_return Grant(token);
}

Exchange<Grant> forward(std::monostate /*nothing*/)
{
    co_return Grant();
}

} // namespace

Exchange<Grant> oneStep(base::MonotonicTime deadline, Step step)
{
    Exchange<Grant> passing = std::visit([](const auto &one) { return forward(one); }, step);
    const Grant granted = co_await dueBy(deadline, std::move(passing));
    co_return granted;
}

} // namespace latchkey::exchange
