#pragma once

#include "core/foundation/base/error.h"

#include <QByteArray>
#include <QString>

#include <array>

namespace latchkey::net {

/// The TLS options of an endpoint: how the server and this client prove their identity. A value type; its files are
/// read at each connection attempt.
///
/// The server's certificate is always verified. The fingerprint of a certificate without a trusted CA can be pinned;
/// then only this certificate is accepted.
struct TlsOptions
{
    QString caFile;          ///< PEM: CAs that may sign the server's certificate; empty: the system's CAs.
    QString certificateFile; ///< PEM: client certificate with its intermediate certificates; empty: none.
    QString keyFile;         ///< PEM: key of the client certificate.
    QString serverName;      ///< Name to request and verify; empty: the host of the URL.
    QByteArray pin;          ///< SHA-256 of the server's certificate, 32 bytes; empty: none.

    friend bool operator==(const TlsOptions &, const TlsOptions &) = default;
};

/// A text option, with its name in a URL and on the command line. pinFrom() reads `pin`.
struct TlsTextOption
{
    const char *name;
    QString TlsOptions::*value;
};
inline constexpr std::array tlsTextOptions {
    TlsTextOption {"cacert", &TlsOptions::caFile},
    TlsTextOption {"cert", &TlsOptions::certificateFile},
    TlsTextOption {"key", &TlsOptions::keyFile},
    TlsTextOption {"sni", &TlsOptions::serverName},
};

/// Reads a fingerprint: 64 hexadecimal digits, with or without colons or spaces. Error (Usage).
[[nodiscard]] base::Result<QByteArray> pinFrom(const QString &text);
/// Returns the text that pinFrom() reads, without colons.
[[nodiscard]] QString pinText(const QByteArray &pin);

} // namespace latchkey::net
