#include "core/playground/lab/bulkwriter.h"

#include "core/redis/exchange/onestep.h"

namespace latchkey::lab {

using base::Result;
using caches::Content;
using exchange::Grant;
using net::Session;

namespace {

/// Enough to keep a server busy, and few enough to avoid long waits.
constexpr int maxPending = 200;
/// Number of keys between two progress reports.
constexpr int keysBetweenReports = 100;

Content contentFor(const caches::Recipe &recipe, int key)
{
    const QByteArray value = "value-" + QByteArray::number(key);
    return recipe.holdsFields ? Content::ofFields({{Plan::field(), value}, {"role", "lab"}}) : Content::ofValue(value);
}

std::unique_ptr<caches::Cache> cacheFor(const Plan &plan, int key)
{
    caches::CacheOptions options;
    options.key = plan.keyOf(key);
    options.lifetime = plan.lifetimeOf(key);
    return caches::makeCache(plan.recipeOf(key), options).value();
}

bool isSent(const exchange::Step &step)
{
    return std::holds_alternative<exchange::Request>(step) || std::holds_alternative<exchange::Batch>(step);
}

} // namespace

struct BulkWriter::Write
{
    Write(const Plan &plan, int key)
        : cache(cacheFor(plan, key))
        , stepper(cache->write(contentFor(plan.recipeOf(key), key)))
    {}

    const std::unique_ptr<caches::Cache> cache; // Outlives the stepper.
    exchange::Stepper<caches::WriteOutcome> stepper;
    int sent = 0;
};

BulkWriter::BulkWriter(const net::Endpoint &server, Plan plan, const base::Clock &clock, base::RandomSource &random)
    : m_plan(std::move(plan))
    , m_session(server, clock, random)
    , m_driver({&m_session}, clock, random)
    , m_settled(static_cast<std::size_t>(m_plan.keyCount()))
{
    connect(&m_session, &Session::stateChanged, this, &BulkWriter::sessionChanged);
}

BulkWriter::~BulkWriter() = default;

void BulkWriter::start()
{
    m_session.start();
}

void BulkWriter::sessionChanged(Session::State state)
{
    if (state == Session::State::Ready && m_next == 0)
        begin();
    else if (state == Session::State::Waiting && m_session.lastError())
        fail(*m_session.lastError());
}

void BulkWriter::begin()
{
    while (m_underWay < maxPending && m_next < m_plan.keyCount() && !m_hasFailed) {
        const int key = m_next++;
        m_writes.emplace(key, std::make_unique<Write>(m_plan, key));
        ++m_underWay;
        proceed(key);
    }
}

void BulkWriter::proceed(int key)
{
    Write &write = *m_writes.at(key);
    if (write.stepper.isFinished()) {
        const auto outcome = write.stepper.takeResult();
        m_writes.erase(key);
        if (!outcome)
            fail(outcome.error());
        else
            settle(key, false);
    } else if (isSent(write.stepper.step()) && m_plan.isCrashed(key) && write.sent >= *m_plan.crashAfter) {
        settle(key, true);
    } else {
        execute(key);
    }
}

void BulkWriter::execute(int key)
{
    Write &write = *m_writes.at(key);
    write.sent += isSent(write.stepper.step()) ? 1 : 0;
    m_driver.run<Grant>(exchange::oneStep(write.stepper.deadline(), write.stepper.step()),
                        [this, key](Result<Grant> granted) {
                            m_writes.at(key)->stepper.grant(*std::move(granted));
                            proceed(key);
                            begin();
                        });
}

void BulkWriter::settle(int key, bool isPaused)
{
    --m_underWay;
    m_pausedWrites += isPaused ? 1 : 0;
    m_settled[static_cast<std::size_t>(key)] = true;
    while (m_settledBelow < m_plan.keyCount() && m_settled[static_cast<std::size_t>(m_settledBelow)])
        ++m_settledBelow;
    const bool isLast = m_settledBelow == m_plan.keyCount();
    if (isLast || m_settledBelow >= m_reportedKeys + keysBetweenReports) {
        m_reportedKeys = m_settledBelow;
        Q_EMIT wrote(m_reportedKeys);
    }
    if (isLast)
        Q_EMIT allSettled(m_pausedWrites);
}

void BulkWriter::fail(const base::Error &error)
{
    if (std::exchange(m_hasFailed, true))
        return;
    Q_EMIT failed(error);
}

} // namespace latchkey::lab
