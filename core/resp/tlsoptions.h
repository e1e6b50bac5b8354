#pragma once

#include "core/base/error.h"

#include <QByteArray>
#include <QString>

#include <array>

namespace latchkey::resp {

/// How a server is to prove who it is, and how we prove who we are. A value type; files are read when it is used.
///
/// A certificate is always verified. There is one exception, for a certificate that nobody vouches for: its own
/// fingerprint, which then is the only one that is taken.
struct TlsOptions
{
    QString caFile;          ///< PEM: who may vouch for the server; empty: whom the system trusts.
    QString certificateFile; ///< PEM: our own certificate, with those between it and its CA; empty: none.
    QString keyFile;         ///< PEM: its key.
    QString serverName;      ///< The name to ask for and to check; empty: the host of the URL.
    QByteArray pin;          ///< SHA-256 of the server's certificate, 32 bytes; empty: none.

    friend bool operator==(const TlsOptions &, const TlsOptions &) = default;
};

/// An option that is a text, by the name that it has in a URL and on the command line; `pin` is read by pinFrom().
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

/// A fingerprint as people write it: 64 hexadecimal digits, with or without colons or spaces. Error (Usage).
[[nodiscard]] base::Result<QByteArray> pinFrom(const QString &text);
/// As pinFrom() reads it, without colons.
[[nodiscard]] QString pinText(const QByteArray &pin);

} // namespace latchkey::resp
