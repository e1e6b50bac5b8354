#pragma once

#include <QString>
#include <QUrl>

namespace latchkey::net {

// Conversion of the text of a URL part (user, password, path, option). QUrl::DecodedMode and QUrl::FullyDecoded are not
// used: QUrl neither decodes nor writes the encoding of Unicode noncharacters (`%F3%BF%BF%BF`), so a password with one
// would be changed.

/// Decodes a part that QUrl returned with QUrl::FullyEncoded.
[[nodiscard]] inline QString percentDecoded(const QString &encoded)
{
    return QUrl::fromPercentEncoding(encoded.toLatin1());
}

/// Encodes the text for QUrl's setters with QUrl::StrictMode. `kept`: reserved characters that are written as they are.
[[nodiscard]] inline QString percentEncoded(const QString &text, const QByteArray &kept = "!$&'()*+,;=")
{
    return QString::fromLatin1(QUrl::toPercentEncoding(text, kept));
}

} // namespace latchkey::net
