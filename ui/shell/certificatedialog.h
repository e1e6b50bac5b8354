#pragma once

#include "core/resp/tls.h"
#include "ui/theme/appearance.h"

#include <QDialog>

namespace latchkey::ui::shell {

/// A certificate that was not trusted, with all that a person needs to compare it, and the offer to pin it.
///
/// Accepted: the user wants this certificate and no other. It deletes itself when it is closed. It connects nothing.
class CertificateDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(CertificateDialog)

public:
    /// server: where it was shown, for people.
    CertificateDialog(const QString &server, const resp::SeenCertificate &certificate,
                      const theme::Appearance &appearance, QWidget *parent);
};

/// As people compare it: bytes in pairs of digits, sixteen on a line.
[[nodiscard]] QString fingerprintLines(const QByteArray &fingerprint);

} // namespace latchkey::ui::shell
