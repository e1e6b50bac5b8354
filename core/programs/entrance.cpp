#include "core/programs/entrance.h"

#include <QFile>

#include <iterator>

namespace latchkey::programs {

using base::failure;
using base::Result;

Result<Entrance> Entrance::open(quint16 fixedPort, const QString &socket)
{
    Entrance entrance;
    auto file = Listener::onFile(socket);
    if (!file)
        return failure(std::move(file.error()));
    entrance.m_listeners.push_back(*std::move(file));
    entrance.m_socket = QFile::encodeName(socket);
    entrance.m_port = fixedPort;
    if (fixedPort != 0) {
        auto isolation = Isolation::prepare(fixedPort);
        if (!isolation)
            return failure(std::move(isolation.error()));
        entrance.m_isolation = *std::move(isolation);
        return entrance;
    }
    auto port = Listener::onPort();
    if (!port)
        return failure(std::move(port.error()));
    entrance.m_port = port->port();
    entrance.m_listeners.push_back(*std::move(port));
    return entrance;
}

void Entrance::describeTo(children::Launch &launch) const
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

Result<std::vector<Listener>> Entrance::takeListeners()
{
    if (m_isolation) {
        auto inside = m_isolation->listeners();
        if (!inside)
            return inside;
        std::ranges::move(*inside, std::back_inserter(m_listeners));
    }
    return std::move(m_listeners);
}

std::optional<base::Error> Entrance::refusal(std::error_code error) const
{
    return m_isolation ? m_isolation->refusal(error) : std::nullopt;
}

} // namespace latchkey::programs
