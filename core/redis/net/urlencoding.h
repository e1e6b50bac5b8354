#pragma once

#include <QString>
#include <QUrl>

namespace latchkey::net {

// The text of a part of a URL (user, password, path, option). QUrl::DecodedMode and QUrl::FullyDecoded are not used
// for it: QUrl neither decodes the encoding of Unicode's noncharacters (`%F3%BF%BF%BF`) nor writes it, so that a
// password with one would be sent in another form.

/// Returns the text of a part that QUrl gave with QUrl::FullyEncoded.
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
