#include "core/explore/programs/processendpoint.h"

#include <QFile>

#include <algorithm>
#include <iterator>

namespace latchkey::programs {

using base::failure;
using base::Result;

Result<ProcessEndpoint> ProcessEndpoint::open(int servers, quint16 fixedPort, const QString &socket)
{
    ProcessEndpoint endpoint;
    auto file = Listener::onFile(socket);
    if (!file)
        return failure(std::move(file.error()));
    endpoint.m_listeners.push_back(*std::move(file));
    endpoint.m_socket = QFile::encodeName(socket);
    if (fixedPort != 0) {
        endpoint.m_ports = {fixedPort};
        auto isolation = NetworkNamespace::prepare(fixedPort);
        if (!isolation)
            return failure(std::move(isolation.error()));
        endpoint.m_networkNamespace = *std::move(isolation);
        return endpoint;
    }
    for (int server = 0; server < servers; ++server) {
        auto port = Listener::onPort();
        if (!port)
            return failure(std::move(port.error()));
        port->setServer(static_cast<quint8>(server));
        endpoint.m_ports.push_back(port->port());
        endpoint.m_listeners.push_back(*std::move(port));
    }
    return endpoint;
}

void ProcessEndpoint::applyTo(process::Launch &launch) const
{
    QByteArrayList hosts;
    QByteArrayList urls;
    for (const quint16 port : m_ports) {
        hosts += "127.0.0.1:" + QByteArray::number(port);
        urls += "redis://" + hosts.constLast() + "/0";
    }
    launch.environment += {{"REDIS_URL", urls.constFirst()}, {"LATCHKEY_URL", urls.constFirst()},
                           {"REDIS_HOST", "127.0.0.1"},      {"REDIS_PORT", QByteArray::number(m_ports.front())},
                           {"REDIS_SOCKET", m_socket},       {"REDIS_URLS", urls.join(',')},
                           {"REDIS_HOSTS", hosts.join(',')}};
    if (m_networkNamespace)
        launch.preExecHook = [isolation = m_networkNamespace.get()] { return isolation->enter(); };
}

void ProcessEndpoint::redirectFrom(const ProcessEndpoint &shown, shim::ProgramClock &clock) const
{
    std::vector<shim::ProgramClock::Redirection> ports;
    for (std::size_t i = 0; i < std::min(m_ports.size(), shown.m_ports.size()); ++i)
        ports.push_back({shown.m_ports[i], m_ports[i]});
    clock.redirect(ports, shown.m_socket, m_socket);
}

Result<std::vector<Listener>> ProcessEndpoint::takeListeners()
{
    if (m_networkNamespace) {
        auto inside = m_networkNamespace->listeners();
        if (!inside)
            return inside;
        std::ranges::move(*inside, std::back_inserter(m_listeners));
    }
    return std::move(m_listeners);
}

std::optional<base::Error> ProcessEndpoint::refusal(std::error_code error) const
{
    return m_networkNamespace ? m_networkNamespace->refusal(error) : std::nullopt;
}

} // namespace latchkey::programs
