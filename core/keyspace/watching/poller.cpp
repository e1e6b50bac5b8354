#include "core/keyspace/watching/poller.h"

#include "core/redis/resp/servererror.h"

#include <algorithm>

namespace latchkey::watching {

using base::MonotonicTime;
using keys::KeyId;
using net::Connection;
using resp::Reply;
using namespace std::chrono_literals;

namespace {

/// Divisor of the limit for requests in advance of the budget: at thirty turns a second, an eighth of the limit.
constexpr int partInAdvance = 250;

constexpr auto pollTimeout = 10s;
constexpr std::size_t maxPollSize = 500;
/// Limit of simultaneous polls. With a long round trip, one poll at a time would not use the budget.
constexpr int maxPendingPolls = 4;
/// Longest time for requests about changed keys; if they took longer, a scan would be faster.
constexpr int maxPollTime = 5; // Seconds.
constexpr qsizetype maxTouched = 20'000;

} // namespace

Poller::Poller(const keys::KnownKeys &known, const events::ObservationDispatcher &dispatcher,
               budget::CommandBudget &budget, PollPlan &plan, ValueQueue &values, const base::Clock &clock,
               QObject *parent)
    : QObject(parent)
    , m_known(known)
    , m_dispatcher(dispatcher)
    , m_budget(budget)
    , m_plan(plan)
    , m_values(values)
    , m_clock(clock)
{
    m_touchedTimer.setSingleShot(true);
    connect(&m_touchedTimer, &QTimer::timeout, this, &Poller::queryChanged);
}

void Poller::setConnection(Connection *connection)
{
    m_requests.use(connection);
    m_pollsUnderWay = 0;
    m_plan.forgetRequested();
    m_changedKeys.clear();
    m_touchedAt.clear();
}

void Poller::poll(MonotonicTime now)
{
    if (m_pollsUnderWay >= maxPendingPolls)
        return;
    // A page of a scan may have used the budget of several turns. A key that has just expired must not wait so long, so
    // a few requests are sent in advance. The scan then waits for the budget.
    const int available = std::max(m_budget.available(now), std::max(1, m_budget.perSecond() / partInAdvance));
    std::vector<KeyId> due = m_plan.due(now, std::min(maxPollSize, static_cast<std::size_t>(available)));
    if (due.empty())
        return;
    std::vector<QByteArray> names;
    names.reserve(due.size());
    // Names instead of ids: the id may belong to another key when the reply arrives.
    for (const KeyId id : due)
        names.push_back(m_known.table.key(id).toByteArray());
    ++m_pollsUnderWay;
    m_plan.began(due);
    requestTtls(std::move(names), std::move(due), events::Source::Poll);
}

bool Poller::keysChanged(const QList<QByteArray> &names)
{
    const MonotonicTime now = m_clock.now();
    for (const QByteArray &name : names) {
        if (m_changedKeys.push(name))
            m_touchedAt.push_back(now);
    }
    if (m_changedKeys.size() > std::min<qsizetype>(maxTouched, maxPollTime * std::max(100, m_budget.perSecond()))) {
        m_changedKeys.clear();
        m_touchedAt.clear();
        return false;
    }
    if (!m_touchedTimer.isActive())
        m_touchedTimer.start(0ms); // Together with all other changes of this turn of the event loop.
    return true;
}

void Poller::queryChanged()
{
    if (m_requests.connection() == nullptr || m_isPaused)
        return;
    std::size_t available = static_cast<std::size_t>(m_budget.availableForChanges(m_clock.now()));
    // If not all can be asked about now, half of the budget is left for a scan that may be under way.
    if (static_cast<std::size_t>(m_changedKeys.size()) > available)
        available = (available + 1) / 2;
    std::vector<QByteArray> names;
    while (!m_changedKeys.isEmpty() && available > 0) {
        const QByteArray name = m_changedKeys.take();
        m_touchedAt.pop_front();
        const auto known = m_known.table.find(name);
        // If the value was read before, is being read or is on screen, it is read again: the holder may have changed.
        const bool isRead =
            known && (m_known.value(*known) != nullptr || m_plan.isVisible(*known) || m_values.isReadLately(name));
        if (isRead) {
            constexpr std::size_t cost = 5;
            available -= std::min(available, cost);
            m_values.readAtOnce(name, events::Source::NotifiedRead);
        } else {
            --available;
            names.push_back(name);
        }
    }
    if (!names.empty())
        requestTtls(std::move(names), {}, events::Source::NotifiedRead);
    m_values.readWaiting();
}

void Poller::requestTtls(std::vector<QByteArray> names, std::vector<KeyId> ids, events::Source source)
{
    resp::Commands commands;
    commands.reserve(names.size());
    for (const QByteArray &name : names)
        commands.push_back({QByteArrayLiteral("PTTL"), name});
    if (source == events::Source::NotifiedRead)
        m_budget.spendForChanges(m_budget.costOf(commands));
    else
        m_budget.spend(m_budget.costOf(commands));
    m_requests.sendIgnoringErrors(
        commands, pollTimeout,
        [this, names = std::move(names), ids = std::move(ids), source](const Connection::Delivery &delivery) {
            if (source == events::Source::Poll) {
                --m_pollsUnderWay;
                m_plan.ended(ids);
            }
            answered(names, delivery, source);
        });
}

void Poller::answered(const std::vector<QByteArray> &names, const Connection::Delivery &delivery, events::Source source)
{
    events::Observations observations;
    observations.reserve(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (auto what = learn(names[i], delivery.replies[i], delivery, source))
            observations.push_back({names[i], std::move(*what), delivery.sent, delivery.received, source});
    }
    m_dispatcher.deliver(observations);
    m_values.readWaiting();
}

std::optional<events::ObservationContent> Poller::learn(const QByteArray &name, const Reply &left,
                                                        const Connection::Delivery &delivery, events::Source source)
{
    if (!left.isInteger()) {
        const base::Error error = resp::serverError(left);
        if (error.kind != base::ErrorKind::PermissionDenied)
            return {};                        // For example LOADING: asked again later.
        if (source == events::Source::Poll) { // Tracking also reports keys that we may not read.
            m_refusedAt = delivery.received;
            Q_EMIT refused(error);
        }
        if (m_known.table.find(name)) // A scan returns any other key as long as it exists.
            Q_EMIT keyRefused(name);
        return events::AccessDenied {};
    }
    events::ObservationContent content = events::existenceFrom(left.toInteger(), delivery.sent, delivery.received);
    if (needsItsValue(name, content)) {
        m_values.readAtOnce(name, events::Source::Read);
        return {};
    }
    if (auto *exists = std::get_if<events::Exists>(&content);
        exists != nullptr && source == events::Source::NotifiedRead)
        exists->isNew = m_knowsAll && !m_known.table.find(name);
    return content;
}

bool Poller::needsItsValue(const QByteArray &key, const events::ObservationContent &existence) const
{
    const auto *exists = std::get_if<events::Exists>(&existence);
    const auto known = m_known.table.find(key);
    return exists != nullptr && known && m_known.value(*known) != nullptr
        && !exists->deadline.agreesWith(m_known.table.deadline(*known));
}

} // namespace latchkey::watching
