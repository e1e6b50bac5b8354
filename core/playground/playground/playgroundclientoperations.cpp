// The orders of a PlaygroundClient besides acquire, extend and release; see also operations.h.

#include "core/playground/playground/playgroundclient.h"
#include "core/recipes/caches/catalogue.h"

namespace latchkey::playground {

using Event = ClientReport::Event;

template<typename Order, typename Exchanging>
void PlaygroundClient::withCache(Order &order, Exchanging exchanging)
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

void PlaygroundClient::handle(PutOrder &order)
{
    withCache(order, [&](caches::Cache &cache) { return put(cache, std::move(order.content)); });
}

void PlaygroundClient::handle(GetOrder &order)
{
    withCache(order, [](caches::Cache &cache) { return get(cache); });
}

void PlaygroundClient::handle(const RecomputeOrder &order)
{
    auto cache = caches::makeGuarded(order.options);
    if (!cache)
        return sendReport(failureReport(cache.error()));
    caches::GuardedCache &guarded = **cache;
    m_cache = std::move(*cache);
    perform(recompute(guarded, order.value, order.work));
}

void PlaygroundClient::handle(const SendOrder &order)
{
    if (static_cast<std::size_t>(order.server) >= m_sessions.size())
        return sendReport(failureReport(
            {base::ErrorKind::Usage, base::Text(QT_TRANSLATE_NOOP("core", "it has no server %1"), order.server)}));
    perform(send(order.command, order.server));
}

void PlaygroundClient::perform(exchange::Exchange<OperationResult> operation)
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
