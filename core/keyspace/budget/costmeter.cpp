#include "core/keyspace/budget/costmeter.h"

#include "core/redis/resp/flushcount.h"
#include "core/redis/resp/servererror.h"

namespace latchkey::budget {

using base::ErrorKind;
using base::MonotonicTime;
using net::Connection;
using namespace std::chrono_literals;

namespace {

constexpr std::chrono::milliseconds costInterval = 5s;
constexpr std::chrono::milliseconds shortInterval = 500ms;
/// Number of answers that are requested at the shorter interval over a new connection. The estimates begin with
/// constants; a slower server would spend more than its share until its averages are known.
constexpr int firstAnswers = 10;
/// Interval after a refusal, which may be temporary.
constexpr auto costRefusalInterval = 30s;
constexpr auto costTimeout = 10s;

} // namespace

CostMeter::CostMeter(CommandCosts &costs, QObject *parent)
    : QObject(parent)
    , m_costs(costs)
{}

CostMeter::~CostMeter() = default;

void CostMeter::setConnection(Connection *connection)
{
    m_requests.use(connection);
    m_isPending = false;
    m_next = {};
    m_answers = 0;
    m_swapCount.reset();
    m_costs.forget();
}

void CostMeter::setFrequent(bool isFrequent)
{
    if (std::exchange(m_isFrequent, isFrequent) != isFrequent && isFrequent && m_costs.areKnown())
        m_next = {};
}

resp::Commands CostMeter::poll(MonotonicTime now)
{
    if (now < m_next || m_isPending || m_requests.connection() == nullptr)
        return {};
    m_next = now + (m_isFrequent || m_answers < firstAnswers ? shortInterval : costInterval);
    m_isPending = true;
    resp::Commands request {{QByteArrayLiteral("INFO"), QByteArrayLiteral("commandstats")}};
    m_requests.sendIgnoringErrors(request, costTimeout,
                                  [this](const Connection::Delivery &delivery) { answered(delivery); });
    return request;
}

void CostMeter::answered(const Connection::Delivery &delivery)
{
    m_isPending = false;
    const resp::Reply &reply = delivery.replies.front();
    if (reply.isError()) {
        const ErrorKind kind = resp::serverError(reply).kind;
        if (resp::isTemporaryRefusal(kind))
            return; // A temporary refusal: the known costs stay valid.
        m_costs.refuse();
    } else {
        m_costs.learn(reply.bytes());
        ++m_answers;
    }
    if (!m_costs.areKnown())
        m_next = delivery.received + costRefusalInterval;
    Q_EMIT measured();
    const std::optional<qint64> swaps = resp::swapCount(reply);
    const std::optional<qint64> former = std::exchange(m_swapCount, swaps);
    if (swaps && former && *swaps != *former)
        Q_EMIT databasesSwapped();
}

Connection::TrafficObserver CostMeter::trafficObserver()
{
    return [alive = QPointer<CostMeter>(this)](const resp::Commands &commands) -> Connection::ReplyObserver {
        if (alive)
            alive->m_microseconds += alive->m_costs.estimate(commands).microseconds;
        return {};
    };
}

} // namespace latchkey::budget
