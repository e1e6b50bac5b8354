#include "tests/support/otherclient.h"

#include "core/redis/net/dialer.h"

namespace latchkey::test {

using namespace std::chrono_literals;

OtherClient::OtherClient(const net::Endpoint &endpoint, const QByteArray &name)
{
    auto dialled = net::dialBlocking(endpoint, 30s);
    if (!dialled)
        qFatal("%s", qPrintable(dialled.error().message()));
    m_connection = std::move(dialled->connection);
    (void)(*this)({"CLIENT", "SETNAME", name});
}

resp::Reply OtherClient::operator()(const resp::Command &command) const
{
    auto reply = m_connection->execute(command, 30s);
    if (!reply)
        qFatal("%s", qPrintable(reply.error().message()));
    return std::move(*reply);
}

QByteArray OtherClient::address() const
{
    const QByteArray line = (*this)({"CLIENT", "INFO"}).bytes();
    const QByteArray mark = " addr=";
    return line.sliced(line.indexOf(mark) + mark.size()).split(' ').front();
}

QStringList listeningAt(quint16 port)
{
    return {QStringLiteral("--port"), QString::number(port), QStringLiteral("--bind"), QStringLiteral("127.0.0.1")};
}

net::Endpoint localEndpoint(quint16 port)
{
    return *net::Endpoint::fromUrl(QStringLiteral("redis://127.0.0.1:%1").arg(port));
}

} // namespace latchkey::test
