// The orders of an Actor besides acquire, extend and release; see also operations.h.

#include "core/playground/playground/actor.h"
#include "core/recipes/caches/catalogue.h"

namespace latchkey::playground {

using Event = ClientReport::Event;

template<typename Order, typename Exchanging>
void Actor::withCache(Order &order, Exchanging exchanging)
{
    const auto recipe = caches::findRecipe(order.recipe);
    if (!recipe)
        return sendReport(failureReport(recipe.error()));
    auto cache = caches::makeCache(**recipe, order.options);
    if (!cache)
        return sendReport(failureReport(cache.error()));
    m_cache = std::move(*cache);
    perform(exchanging(*m_cache));
}

void Actor::handle(PutOrder &order)
{
    withCache(order, [&](caches::Cache &cache) { return put(cache, std::move(order.content)); });
}

void Actor::handle(GetOrder &order)
{
    withCache(order, [](caches::Cache &cache) { return get(cache); });
}

void Actor::handle(const RecomputeOrder &order)
{
    auto cache = caches::makeGuarded(order.options);
    if (!cache)
        return sendReport(failureReport(cache.error()));
    caches::GuardedCache &guarded = **cache;
    m_cache = std::move(*cache);
    perform(recompute(guarded, order.value, order.work));
}

void Actor::handle(const SendOrder &order)
{
    if (static_cast<std::size_t>(order.server) >= m_sessions.size())
        return sendReport(failureReport(
            {base::ErrorKind::Usage, base::Text(QT_TRANSLATE_NOOP("core", "it has no server %1"), order.server)}));
    perform(send(order.command, order.server));
}

void Actor::perform(exchange::Exchange<OperationResult> operation)
{
    m_isWorking = true;
    m_breakpoints.run<OperationResult>(
        std::move(operation), [this](const base::Result<OperationResult> &operationResult) {
            ClientReport report = operationResult ? about(Event::Done) : failureReport(operationResult.error());
            if (operationResult)
                report.operationResult = *operationResult;
            sendReport(std::move(report));
            finishOrder();
        });
}

} // namespace latchkey::playground
