#pragma once

#include "core/base/clock.h"
#include "core/resp/blockingconnection.h"
#include "core/resp/connection.h"
#include "core/resp/endpoint.h"
#include "core/resp/serverinfo.h"
#include "core/resp/tls.h"

#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>
#include <vector>

namespace latchkey::ssh {
class Tunnel;
}

namespace latchkey::resp {

/// A connection that has been let in, and what the server said about itself.
template<typename ConnectionType>
struct Dialled
{
    std::unique_ptr<ConnectionType> connection;
    ServerInfo server;
    std::chrono::nanoseconds roundTrip {}; ///< Of the handshake.
};

/// Connects and logs in, and waits for it. Errors name the endpoint.
[[nodiscard]] base::Result<Dialled<BlockingConnection>> dialBlocking(const Endpoint &endpoint,
                                                                     std::chrono::milliseconds timeout);

/// The same for several servers side by side; one result each, in order. A server that does not answer costs the
/// timeout once, however many they are: half of it is for connecting, half for logging in.
[[nodiscard]] std::vector<base::Result<Dialled<BlockingConnection>>> dialBlocking(
    const std::vector<Endpoint> &endpoints, std::chrono::milliseconds timeout);

/// Connects and logs in, once, on the event loop.
///
/// Owned by the code that wants the connection; destroying it gives the attempt up. It does not retry: see Session.
class Dialer final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Dialer)

public:
    using Callback = std::function<void(base::Result<Dialled<Connection>>)>;

    explicit Dialer(const base::Clock &clock, QObject *parent = nullptr);
    ~Dialer() override;

    /// What a reply over the connections to come may cost; the defaults unless set.
    void setReplyLimits(const ReplyLimits &limits) { m_limits = limits; }
    /// done is called once, from the event loop. One attempt at a time.
    void dial(const Endpoint &endpoint, std::chrono::milliseconds timeout, Callback done);

    /// The certificate that was not trusted, where that is why the last attempt came to nothing.
    [[nodiscard]] const std::optional<SeenCertificate> &refusedCertificate() const { return m_refused; }
    /// The last attempt came to nothing because of something that a person has to do, on the way there.
    [[nodiscard]] bool needsPerson() const { return m_needsPerson; }

private:
    void findTunnel();
    void goThroughTunnel();
    /// Who listens to it; gives it back, to be connected.
    template<typename Socket>
    Socket &adopt(std::unique_ptr<Socket> socket);
    [[nodiscard]] base::Text hopsComplaint();
    void encrypt();
    void encrypted();
    void shakeHands(std::unique_ptr<QIODevice> device);
    void finish(base::Result<Dialled<Connection>> result);

    const base::Clock &m_clock; // Not owned.
    ReplyLimits m_limits;
    Endpoint m_endpoint;
    std::chrono::milliseconds m_timeout {};
    QTimer m_deadline;
    std::shared_ptr<ssh::Tunnel> m_tunnel; ///< Null without ssh.
    std::unique_ptr<QIODevice> m_device;
    std::unique_ptr<Connection> m_connection;
    std::unique_ptr<TlsWitness> m_witness; ///< Of the device, or of the connection's.
    std::optional<SeenCertificate> m_refused;
    bool m_needsPerson = false;
    Callback m_done;
};

} // namespace latchkey::resp
