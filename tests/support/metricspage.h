#pragma once

#include <QByteArray>

namespace latchkey::test {

/// Returns the port in the line by which `watch --metrics` says where its metrics are; 0: `errors`, the standard error
/// of the command, has no such line.
[[nodiscard]] quint16 metricsPort(const QByteArray &errors);

/// Sends the HTTP request to this port of the loopback address. Returns the response, up to the
/// end of the connection; empty if nothing listens there.
[[nodiscard]] QByteArray httpResponse(quint16 port, const QByteArray &request = "GET /metrics HTTP/1.1\r\n\r\n");

} // namespace latchkey::test
