#include "tests/support/freeport.h"

#include <QRandomGenerator>
#include <QSet>
#include <QTcpServer>

namespace latchkey::test {

namespace {

/// Returns a free port for which the port `offset` higher is free too.
quint16 freePortPair(int offset)
{
    // Both are below the range from which the system takes the local port of a connection: such a port could be taken
    // between this check and the start of the server.
    constexpr int first = 12'000;
    constexpr int last = 22'000;
    static QSet<quint16> given;
    for (int i = first; i < last; ++i) {
        const auto port = static_cast<quint16>(QRandomGenerator::system()->bounded(first, last));
        QTcpServer server;
        QTcpServer higher;
        if (given.contains(port) || !server.listen(QHostAddress::LocalHost, port)
            || (offset > 0 && !higher.listen(QHostAddress::LocalHost, static_cast<quint16>(port + offset))))
            continue;
        given.insert(port);
        return port;
    }
    qFatal("no port is free");
}

} // namespace

quint16 freePort()
{
    return freePortPair(0);
}

quint16 freeClusterPort()
{
    constexpr int busOffset = 10'000;
    return freePortPair(busOffset);
}

} // namespace latchkey::test
