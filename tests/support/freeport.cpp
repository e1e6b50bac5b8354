#include "tests/support/freeport.h"

#include <QRandomGenerator>
#include <QSet>
#include <QTcpServer>

namespace latchkey::test {

namespace {

/// Returns a free port for which the port `offset` higher is free too; 0 if the found port does not fit.
quint16 tryPort(int offset)
{
    static QSet<quint16> given;
    QTcpServer any;
    if (!any.listen(QHostAddress::LocalHost))
        qFatal("no port is free");
    const int port = any.serverPort() - offset; // The higher port is in the system's range, which may end above 60,000.
    QTcpServer lower;
    if (port <= 1024 || (offset > 0 && !lower.listen(QHostAddress::LocalHost, static_cast<quint16>(port))))
        return 0;
    if (given.contains(static_cast<quint16>(port)))
        return 0;
    given.insert(static_cast<quint16>(port));
    return static_cast<quint16>(port);
}

quint16 portBelow(int offset)
{
    constexpr int tries = 1000;
    for (int i = 0; i < tries; ++i) {
        if (const quint16 port = tryPort(offset); port != 0)
            return port;
    }
    qFatal("no port is free");
}

} // namespace

quint16 freePort()
{
    // Below the range from which the system takes the local port of a connection: such a port could be taken between
    // this check and the start of the server.
    constexpr int first = 12'000;
    constexpr int last = 22'000;
    static QSet<quint16> given;
    for (int i = first; i < last; ++i) {
        const auto port = static_cast<quint16>(QRandomGenerator::system()->bounded(first, last));
        QTcpServer server;
        if (given.contains(port) || !server.listen(QHostAddress::LocalHost, port))
            continue;
        given.insert(port);
        return port;
    }
    qFatal("no port is free");
}

quint16 freeClusterPort()
{
    constexpr int busOffset = 10'000;
    return portBelow(busOffset);
}

} // namespace latchkey::test
