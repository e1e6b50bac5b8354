#include "app/cli/flushwatch.h"

#include "core/redis/resp/flushcount.h"

#include <algorithm>

namespace latchkey::cli {

using net::Connection;

namespace {

constexpr std::size_t randomKeys = 4;

} // namespace

void FlushWatch::begin(Connection &connection, std::chrono::milliseconds timeout)
{
    m_requests.use(&connection);
    m_timeout = timeout;
    m_countAtStart.reset();
    m_requests.sendIgnoringErrors(resp::Commands(randomKeys, {QByteArrayLiteral("RANDOMKEY")}), timeout,
                                  [this](const Connection::Delivery &delivery) { choose(delivery.replies); });
}

void FlushWatch::choose(const std::vector<resp::Reply> &names)
{
    resp::Commands questions;
    std::vector<QByteArray> keys;
    for (const resp::Reply &name : names) {
        if (!name.isBulk() || std::ranges::find(keys, name.bytes()) != keys.end())
            continue;
        keys.push_back(name.bytes());
        questions.push_back({QByteArrayLiteral("OBJECT"), QByteArrayLiteral("IDLETIME"), name.bytes()});
    }
    if (keys.empty())
        return;
    m_requests.sendIgnoringErrors(questions, m_timeout, [this, keys](const Connection::Delivery &delivery) {
        const auto idleTime = [](const resp::Reply &reply) { return reply.isInteger() ? reply.toInteger() : -1; };
        const auto longest = std::ranges::max_element(delivery.replies, {}, idleTime);
        watch(keys[static_cast<std::size_t>(longest - delivery.replies.begin())]);
    });
}

void FlushWatch::watch(const QByteArray &key)
{
    const resp::Commands commands {{QByteArrayLiteral("WATCH"), key},
                                   {QByteArrayLiteral("INFO"), QByteArrayLiteral("commandstats")}};
    m_requests.sendIgnoringErrors(commands, m_timeout, [this](const Connection::Delivery &delivery) {
        if (!delivery.replies.front().isError())
            m_countAtStart = resp::flushCount(delivery.replies.back());
    });
}

resp::Commands FlushWatch::ending()
{
    return {{QByteArrayLiteral("MULTI")}, {QByteArrayLiteral("EXEC")}};
}

} // namespace latchkey::cli
