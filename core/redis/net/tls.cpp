#include "core/redis/net/tls.h"

#include "core/foundation/files/inputfile.h"

#include <QSslCertificate>
#include <QSslKey>
#include <QSslSocket>

#include <algorithm>

namespace latchkey::net {

using base::ErrorKind;
using base::failure;
using base::Result;
using base::Text;

namespace {

constexpr qsizetype pinSize = 32;
/// Size limit in bytes of a file with certificates or a key. The certificates of all public authorities have 0.2 MB.
constexpr qint64 maxFileSize = 1 << 24;

/// Returns the fingerprint with colons between the bytes, as openssl prints it.
QString fingerprintOf(const QSslCertificate &certificate)
{
    return QString::fromLatin1(certificate.digest(QCryptographicHash::Sha256).toHex(':').toUpper());
}

Result<QByteArray> contentOf(const QString &path)
{
    auto contents = files::contentsOf(path, maxFileSize);
    if (!contents)
        return failure(contents.error().kind, QT_TRANSLATE_NOOP("core", "cannot read %1: %2"), path,
                       contents.error().text);
    return contents;
}

Result<QList<QSslCertificate>> certificatesIn(const QString &path)
{
    const auto content = contentOf(path);
    if (!content)
        return failure(content.error());
    QList<QSslCertificate> certificates = QSslCertificate::fromData(*content, QSsl::Pem);
    certificates.removeIf([](const QSslCertificate &certificate) { return certificate.isNull(); });
    if (certificates.isEmpty())
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "\"%1\" holds no certificate in PEM"), path);
    return certificates;
}

Result<QSslKey> keyIn(const QString &path)
{
    const auto content = contentOf(path);
    if (!content)
        return failure(content.error());
    for (const QSsl::KeyAlgorithm algorithm : {QSsl::Ec, QSsl::Rsa, QSsl::Dsa}) {
        QSslKey key(*content, algorithm);
        if (!key.isNull())
            return key;
    }
    if (content->contains("ENCRYPTED"))
        return failure(ErrorKind::Usage,
                       QT_TRANSLATE_NOOP("core", "the key in \"%1\" needs a passphrase, which Latchkey does not ask "
                                                 "for; write it without one (openssl pkey) where only you can read it"),
                       path);
    return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "\"%1\" holds no private key in PEM"), path);
}

/// Returns the most informative text for a certificate with several errors.
Text wordsFor(const QList<QSslError> &errors, const QSslSocket &socket)
{
    const QSslCertificate certificate = socket.peerCertificate();
    const auto has = [&](QSslError::SslError kind) {
        return std::ranges::any_of(errors, [kind](const QSslError &error) { return error.error() == kind; });
    };
    const QString fingerprint = fingerprintOf(certificate);
    if (has(QSslError::CertificateExpired))
        return Text(QT_TRANSLATE_NOOP("core", "its certificate ended on %1"),
                    certificate.expiryDate().toUTC().toString(Qt::ISODate));
    if (has(QSslError::CertificateNotYetValid))
        return Text(QT_TRANSLATE_NOOP("core", "its certificate is not valid before %1"),
                    certificate.effectiveDate().toUTC().toString(Qt::ISODate));
    if (has(QSslError::HostNameMismatch))
        return Text(QT_TRANSLATE_NOOP("core", "its certificate is another server's: it is not for %1"),
                    socket.peerVerifyName().isEmpty() ? socket.peerName() : socket.peerVerifyName());
    if (has(QSslError::SelfSignedCertificate))
        return Text(QT_TRANSLATE_NOOP("core", "its certificate is self-signed; if you know its SHA-256, pin it: %1"),
                    fingerprint);
    if (has(QSslError::SelfSignedCertificateInChain))
        return Text(QT_TRANSLATE_NOOP(
                        "core", "its certificate comes from an untrusted CA; if you know its SHA-256, pin it: %1"),
                    fingerprint);
    if (has(QSslError::UnableToGetLocalIssuerCertificate) || has(QSslError::UnableToVerifyFirstCertificate)
        || has(QSslError::UnableToGetIssuerCertificate))
        return Text(QT_TRANSLATE_NOOP("core", "its certificate is not signed by a trusted CA; specify its CA, or pin "
                                              "the certificate if you know its SHA-256: %1"),
                    fingerprint);
    return Text(QT_TRANSLATE_NOOP("core", "its certificate cannot be trusted: %1"),
                errors.isEmpty() ? QString() : errors.front().errorString());
}

/// Returns the text for a TLS alert; see RFC 8446, section 6.
Text wordsFor(QSsl::AlertType alert, bool haveCertificate)
{
    switch (alert) {
    case QSsl::AlertType::CertificateRequired:
        return Text(QT_TRANSLATE_NOOP("core", "it requires a client certificate, and none was given"));
    case QSsl::AlertType::UnknownCa:
    case QSsl::AlertType::BadCertificate:
    case QSsl::AlertType::UnsupportedCertificate:
        return Text(QT_TRANSLATE_NOOP("core", "it does not accept the client certificate"));
    case QSsl::AlertType::CertificateExpired:
        return Text(QT_TRANSLATE_NOOP("core", "the client certificate has expired"));
    case QSsl::AlertType::CertificateRevoked:
        return Text(QT_TRANSLATE_NOOP("core", "the client certificate has been revoked"));
    case QSsl::AlertType::ProtocolVersion:
        return Text(QT_TRANSLATE_NOOP("core", "it speaks no version of TLS from 1.2 on"));
    case QSsl::AlertType::HandshakeFailure:
        return haveCertificate ? Text(QT_TRANSLATE_NOOP("core", "it aborted the TLS handshake: it may reject the "
                                                                "client certificate or support no common cipher"))
                               : Text(QT_TRANSLATE_NOOP("core", "it aborted the TLS handshake: it may require a client "
                                                                "certificate or support no common cipher"));
    default:
        return Text(QT_TRANSLATE_NOOP("core", "it aborted the TLS handshake (alert %1)"), static_cast<int>(alert));
    }
}

} // namespace

Result<QByteArray> pinFrom(const QString &text)
{
    QString digits = text;
    digits.remove(u':').remove(u' ');
    const QByteArray pin = QByteArray::fromHex(digits.toLatin1());
    const bool isHex = QString::fromLatin1(pin.toHex()) == digits.toLower();
    if (!isHex || pin.size() != pinSize)
        return failure(ErrorKind::Usage,
                       QT_TRANSLATE_NOOP("core", "\"%1\" is no SHA-256 fingerprint: that is 64 hexadecimal digits"),
                       text);
    return pin;
}

QString pinText(const QByteArray &pin)
{
    return QString::fromLatin1(pin.toHex());
}

Result<QSslConfiguration> sslConfiguration(const TlsOptions &options)
{
    QSslConfiguration configuration = QSslConfiguration::defaultConfiguration();
    configuration.setProtocol(QSsl::TlsV1_2OrLater);
    configuration.setPeerVerifyMode(QSslSocket::VerifyPeer);
    if (!options.caFile.isEmpty()) {
        const auto trusted = certificatesIn(options.caFile);
        if (!trusted)
            return failure(trusted.error());
        configuration.setCaCertificates(*trusted);
    }
    if (options.certificateFile.isEmpty() != options.keyFile.isEmpty())
        return failure(ErrorKind::Usage,
                       QT_TRANSLATE_NOOP("core", "a certificate and its key are given together, or not at all"));
    if (options.certificateFile.isEmpty())
        return configuration;
    const auto chain = certificatesIn(options.certificateFile);
    if (!chain)
        return failure(chain.error());
    const auto key = keyIn(options.keyFile);
    if (!key)
        return failure(key.error());
    configuration.setLocalCertificateChain(*chain);
    configuration.setPrivateKey(*key);
    return configuration;
}

TlsVerifier::TlsVerifier(QSslSocket &socket, TlsOptions options)
    : m_socket(socket)
    , m_options(std::move(options))
{
    QObject::connect(&socket, &QSslSocket::sslErrors, &m_listener,
                     [this](const QList<QSslError> &errors) { checkErrors(errors); });
    QObject::connect(&socket, &QSslSocket::encrypted, &m_listener, [this] { compare(); });
    QObject::connect(&socket, &QSslSocket::alertReceived, &m_listener,
                     [this](QSsl::AlertLevel, QSsl::AlertType type, const QString &) {
                         if (type != QSsl::AlertType::CloseNotify)
                             m_alert = wordsFor(type, !m_options.certificateFile.isEmpty());
                     });
}

void TlsVerifier::checkErrors(const QList<QSslError> &errors)
{
    if (m_options.pin.isEmpty()) {
        refuse(wordsFor(errors, m_socket), false);
        return;
    }
    compare();
    if (isTrusted())
        m_socket.ignoreSslErrors(errors);
}

void TlsVerifier::compare()
{
    const QSslCertificate certificate = m_socket.peerCertificate();
    if (m_options.pin.isEmpty() || certificate.digest(QCryptographicHash::Sha256) == m_options.pin)
        return;
    refuse(Text(QT_TRANSLATE_NOOP("core", "its certificate is NOT the pinned one: the connection may be intercepted, "
                                          "or the certificate was renewed; it is now %1"),
                fingerprintOf(certificate)),
           true);
}

void TlsVerifier::refuse(Text why, bool isOther)
{
    const QSslCertificate certificate = m_socket.peerCertificate();
    m_distrust = why;
    m_refused = UntrustedCertificate {certificate.digest(QCryptographicHash::Sha256),
                                      certificate.subjectDisplayName(),
                                      certificate.issuerDisplayName(),
                                      certificate.subjectAlternativeNames().values(),
                                      certificate.effectiveDate().toUTC(),
                                      certificate.expiryDate().toUTC(),
                                      std::move(why),
                                      isOther};
}

Text TlsVerifier::problem() const
{
    if (!m_distrust.isEmpty())
        return m_distrust;
    if (!m_alert.isEmpty())
        return m_alert;
    switch (m_socket.error()) {
    case QAbstractSocket::SslHandshakeFailedError:
        return Text(QT_TRANSLATE_NOOP("core", "what answers there does not speak TLS"));
    case QAbstractSocket::RemoteHostClosedError:
        return m_socket.isEncrypted()
                 ? Text()
                 : Text(QT_TRANSLATE_NOOP("core", "it closed the connection during the TLS handshake"));
    default:
        return {};
    }
}

} // namespace latchkey::net
