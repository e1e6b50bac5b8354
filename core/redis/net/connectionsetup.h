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

// Shared by both ways of dialling, on the event loop and blocking: from a connected socket to an accepted connection.

namespace latchkey::net {

/// Returns the name of this program in the server's CLIENT LIST.
[[nodiscard]] QByteArray clientName();

/// Sets the proxy before connecting: the endpoint's proxy or none, whatever the environment says.
void chooseProxy(QAbstractSocket &socket, const Endpoint &endpoint);
/// Sets the options of a socket that is connected by TCP.
void setUp(QTcpSocket &socket);

/// Starts the TLS handshake on a connected socket; the result follows by its signals. Error: an invalid option.
[[nodiscard]] base::Result<std::unique_ptr<TlsVerifier>> beginEncryption(QSslSocket &socket, const Endpoint &endpoint);

/// Returns `cannot connect to …: …`.
[[nodiscard]] base::Text unreachable(const Endpoint &endpoint, const base::Text &why);
/// Returns why no connection was established: the system's message, or the part of the proxy in it.
[[nodiscard]] base::Text reasonOf(const QAbstractSocket &socket, const Endpoint &endpoint);
/// Does the same as an error: ProxyAuthentication if the proxy wants a password, otherwise Unreachable.
[[nodiscard]] base::Error notConnected(const QAbstractSocket &socket, const Endpoint &endpoint);
/// Returns why there is no encryption after this time, if the other side has sent nothing.
[[nodiscard]] base::Text noHandshake(std::chrono::milliseconds timeout);
/// Returns what ended a connection before it was accepted. `hasHeard`: the server has sent something. `verifier`: null
/// without TLS. `tunnel`: null without ssh.
[[nodiscard]] base::Error explainFailure(const Endpoint &endpoint, const base::Error &error, bool hasHeard,
                                         const TlsVerifier *verifier, ssh::Tunnel *tunnel);

} // namespace latchkey::net
