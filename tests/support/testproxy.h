#pragma once

#include "core/resp/proxy.h"

#include <QThread>

#include <atomic>

namespace latchkey::test {

/// A proxy that really relays, by SOCKS5 or by HTTP's CONNECT, on a thread of its own: those who wait for it run no
/// event loop. Names are resolved here.
class TestProxy final
{
public:
    /// password: of the user `user`; empty: everybody may use it. isClosed: it lets nobody through.
    explicit TestProxy(resp::Proxy::Kind kind, const QString &password = {}, bool isClosed = false);
    ~TestProxy();
    Q_DISABLE_COPY_MOVE(TestProxy)

    /// As its user names it, with the password where there is one.
    [[nodiscard]] resp::Proxy proxy() const { return m_proxy; }
    /// How many connections it has relayed.
    [[nodiscard]] int relayed() const { return m_relayed; }

private:
    resp::Proxy m_proxy;
    std::atomic<int> m_relayed = 0;
    QThread m_thread;
};

} // namespace latchkey::test
