#include "core/explore/programs/processendpoint.h"

#include <QFile>

#include <iterator>

namespace latchkey::programs {

using base::failure;
using base::Result;

Result<ProcessEndpoint> ProcessEndpoint::open(quint16 fixedPort, const QString &socket)
{
    ProcessEndpoint endpoint;
    auto file = Listener::onFile(socket);
    if (!file)
        return failure(std::move(file.error()));
    endpoint.m_listeners.push_back(*std::move(file));
    endpoint.m_socket = QFile::encodeName(socket);
    endpoint.m_port = fixedPort;
    if (fixedPort != 0) {
        auto isolation = Isolation::prepare(fixedPort);
        if (!isolation)
            return failure(std::move(isolation.error()));
        endpoint.m_isolation = *std::move(isolation);
        return endpoint;
    }
    auto port = Listener::onPort();
    if (!port)
        return failure(std::move(port.error()));
    endpoint.m_port = port->port();
    endpoint.m_listeners.push_back(*std::move(port));
    return endpoint;
}

void ProcessEndpoint::describeTo(process::Launch &launch) const
{
    const QByteArray port = QByteArray::number(m_port);
    const QByteArray url = "redis://127.0.0.1:" + port + "/0";
    launch.environment += {{"REDIS_URL", url},
                           {"LATCHKEY_URL", url},
                           {"REDIS_HOST", "127.0.0.1"},
                           {"REDIS_PORT", port},
                           {"REDIS_SOCKET", m_socket}};
    if (m_isolation)
        launch.beforeItRuns = [isolation = m_isolation.get()] { return isolation->enter(); };
}

Result<std::vector<Listener>> ProcessEndpoint::takeListeners()
{
    if (m_isolation) {
        auto inside = m_isolation->listeners();
        if (!inside)
            return inside;
        std::ranges::move(*inside, std::back_inserter(m_listeners));
    }
    return std::move(m_listeners);
}

std::optional<base::Error> ProcessEndpoint::refusal(std::error_code error) const
{
    return m_isolation ? m_isolation->refusal(error) : std::nullopt;
}

} // namespace latchkey::programs
