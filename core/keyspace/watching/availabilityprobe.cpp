#include "core/keyspace/watching/availabilityprobe.h"

#include <algorithm>

namespace latchkey::watching {

using base::MonotonicTime;
using net::Connection;
using namespace std::chrono_literals;

namespace {

constexpr std::chrono::milliseconds minWait = 250ms;
/// Maximum wait. With the read that follows, a recovered server is seen again within five seconds.
constexpr std::chrono::milliseconds maxWait = 2s;
constexpr auto probeTimeout = 30s;

} // namespace

AvailabilityProbe::AvailabilityProbe(net::Session &session, budget::CommandBudget &budget, QObject *parent)
    : QObject(parent)
    , m_session(session)
    , m_budget(budget)
{}

AvailabilityProbe::~AvailabilityProbe() = default;

void AvailabilityProbe::reset()
{
    m_requests.use(m_session.connection());
    m_isPending = false;
    m_wait = {};
}

void AvailabilityProbe::poll(const resp::Command &command, MonotonicTime now)
{
    const bool isNew = m_wait == 0ms;
    if (isNew) {
        m_wait = minWait;
        m_next = now + m_wait;
    }
    if (isNew || m_isPending || now < m_next || m_requests.connection() == nullptr)
        return;
    m_wait = std::min(2 * m_wait, maxWait);
    m_next = now + m_wait;
    m_isPending = true;
    m_budget.spend(m_budget.costOf({command}));
    m_requests.send({command}, probeTimeout,
                    [this](const base::Result<Connection::Delivery> &) { m_isPending = false; });
}

} // namespace latchkey::watching
