#pragma once

#include "core/redis/net/tls.h"
#include "ui/kit/theme/appearance.h"

#include <QDialog>

namespace latchkey::ui::shell {

/// A dialog with an untrusted certificate, all data needed to compare it, and an offer to pin it.
///
/// It is accepted if the user wants to trust exactly this certificate. The dialog deletes itself when it is closed. It
/// opens no connection.
class CertificateDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(CertificateDialog)

public:
    /// `server`: display name of the server that sent the certificate.
    CertificateDialog(const QString &server, const net::UntrustedCertificate &certificate,
                      const theme::Appearance &appearance, QWidget *parent);
};

/// Formats a fingerprint as usual for comparison: bytes in hexadecimal, 16 per line.
[[nodiscard]] QString fingerprintLines(const QByteArray &fingerprint);

} // namespace latchkey::ui::shell
