#pragma once

#include "core/resp/endpoint.h"
#include "core/resp/tls.h"

#include <chrono>
#include <memory>

class QAbstractSocket;
class QSslSocket;
class QTcpSocket;

namespace latchkey::ssh {
class Tunnel;
}

// What the two ways of dialling share, on the event loop and waiting: from a connected socket to one that is let in.

namespace latchkey::resp {

/// What we call ourselves in the server's CLIENT LIST.
[[nodiscard]] QByteArray clientName();

/// Before it is connected: it goes through the endpoint's proxy, and through no other, whatever the environment says.
void chooseProxy(QAbstractSocket &socket, const Endpoint &endpoint);
/// Once it is connected, by TCP.
void setUp(QTcpSocket &socket);

/// Begins to shake hands over a connected socket; what comes of it, its signals tell. Error: one of the options.
[[nodiscard]] base::Result<std::unique_ptr<TlsWitness>> beginEncryption(QSslSocket &socket, const Endpoint &endpoint);

/// `cannot connect to …: …`
[[nodiscard]] base::Text unreachable(const Endpoint &endpoint, const base::Text &why);
/// Why it has not come to a connection: the system's words, or what the proxy has to do with it.
[[nodiscard]] base::Text reasonOf(const QAbstractSocket &socket, const Endpoint &endpoint);
/// The same as an error: of who wants a password where the proxy does, so that a person is asked; else Unreachable.
[[nodiscard]] base::Error notConnected(const QAbstractSocket &socket, const Endpoint &endpoint);
/// Whether it is the proxy that wants a user and a password, or others than these, and not the server behind it.
[[nodiscard]] bool isOfTheProxy(const base::Error &error, const Endpoint &endpoint);
/// Why there is no encryption after that time, where the other side has said nothing.
[[nodiscard]] base::Text noHandshake(std::chrono::milliseconds timeout);
/// What ended a connection before it was let in. hasHeard: the server has said something. witness: null without TLS.
/// tunnel: null without ssh.
[[nodiscard]] base::Error whyNotLetIn(const Endpoint &endpoint, const base::Error &error, bool hasHeard,
                                      const TlsWitness *witness, ssh::Tunnel *tunnel);

} // namespace latchkey::resp
