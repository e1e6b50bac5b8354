#pragma once

#include "core/redis/net/proxy.h"

#include <QThread>

#include <atomic>

namespace latchkey::test {

/// A proxy that relays connections by SOCKS5 or HTTP CONNECT. It runs in a separate thread, because blocking clients
/// run no event loop. The proxy resolves host names itself.
class TestProxy final
{
public:
    /// Starts the proxy. `password`: password of the user `user`; empty to accept every client. `isClosed`: the proxy
    /// refuses every connection.
    explicit TestProxy(net::Proxy::Kind kind, const QString &password = {}, bool isClosed = false);
    ~TestProxy();
    Q_DISABLE_COPY_MOVE(TestProxy)

    /// Returns the proxy's address for its clients, with the user and the password if there is one.
    [[nodiscard]] net::Proxy proxy() const { return m_proxy; }
    /// Returns the number of relayed connections.
    [[nodiscard]] int relayed() const { return m_relayed; }

private:
    net::Proxy m_proxy;
    std::atomic<int> m_relayed = 0;
    QThread m_thread;
};

} // namespace latchkey::test
