#include "core/redis/net/requestscope.h"

namespace latchkey::net {

RequestScope::RequestScope()
    : m_context(std::make_unique<QObject>())
{}

RequestScope::~RequestScope() = default;

void RequestScope::use(Connection *connection)
{
    reset();
    m_connection = connection;
}

void RequestScope::reset()
{
    m_context = std::make_unique<QObject>();
}

void RequestScope::send(const resp::Commands &commands, std::chrono::milliseconds timeout, Connection::Callback done)
{
    m_connection->send(commands, timeout, m_context.get(), std::move(done));
}

void RequestScope::sendIgnoringErrors(const resp::Commands &commands, std::chrono::milliseconds timeout,
                                      Answered answered)
{
    send(commands, timeout, [answered = std::move(answered)](const base::Result<Connection::Delivery> &outcome) {
        if (outcome)
            answered(*outcome);
    });
}

} // namespace latchkey::net
