#pragma once

#include "core/redis/net/endpoint.h"
#include "core/redis/net/tls.h"

#include <chrono>
#include <memory>

class QAbstractSocket;
class QSslSocket;
class QTcpSocket;

namespace latchkey::ssh {
class Tunnel;
}

// Functions shared by both ways to dial, on the event loop and blocking, from a connected socket to an accepted
// connection.

namespace latchkey::net {

/// Returns the name of this program in the server's CLIENT LIST.
[[nodiscard]] QByteArray clientName();

/// Sets the proxy before connecting: that of the endpoint or none, regardless of the environment.
void chooseProxy(QAbstractSocket &socket, const Endpoint &endpoint);
/// Sets the options of a socket that is connected by TCP.
void setUp(QTcpSocket &socket);

/// Starts the TLS handshake on a connected socket; its signals report the result. Error: an invalid option.
[[nodiscard]] base::Result<std::unique_ptr<TlsVerifier>> beginEncryption(QSslSocket &socket, const Endpoint &endpoint);

/// Returns `cannot connect to …: …`.
[[nodiscard]] base::Text unreachable(const Endpoint &endpoint, const base::Text &why);
/// Returns the reason why no connection was established: the message of the system. With a proxy, the text states
/// whether the proxy or the server behind it failed.
[[nodiscard]] base::Text reasonOf(const QAbstractSocket &socket, const Endpoint &endpoint);
/// Returns the error with this reason: ProxyAuthentication if the proxy requires a password, otherwise Unreachable.
[[nodiscard]] base::Error notConnected(const QAbstractSocket &socket, const Endpoint &endpoint);
/// Returns the text for a TLS handshake without an answer within `timeout`.
[[nodiscard]] base::Text noHandshake(std::chrono::milliseconds timeout);
/// Returns the probable cause of a connection that ended before the login was accepted; `error` itself if no better
/// cause is known. `hasReceivedData`: whether the server has sent anything. `verifier`: null without TLS. `tunnel`:
/// null without ssh.
[[nodiscard]] base::Error explainFailure(const Endpoint &endpoint, const base::Error &error, bool hasReceivedData,
                                         const TlsVerifier *verifier, ssh::Tunnel *tunnel);

} // namespace latchkey::net
