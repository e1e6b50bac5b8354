#include "ui/shell/shell/certificatedialog.h"

#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/sentence.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>

namespace latchkey::ui::shell {

namespace {

constexpr int certificateWidth = 520;
/// Width of the values beside the labels, in pixels.
constexpr int valueWidth = 420;

QString orNone(const QString &text)
{
    return text.isEmpty() ? CertificateDialog::tr("(none)") : text;
}

/// Creates the fields that a user compares.
QFormLayout *formOf(const net::UntrustedCertificate &certificate, const theme::Appearance &appearance, QDialog &dialog)
{
    auto *form = new QFormLayout;
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignTop);
    const auto add = [&](const QString &label, const char *name, const QString &text) {
        QLabel *value = widgets::makeWrappedLabel(QString::fromLatin1(name), text, valueWidth, &dialog);
        value->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        value->setAccessibleName(label);
        form->addRow(label, value);
    };
    const auto day = [](const QDateTime &time) {
        return QLocale().toString(time, QLocale::ShortFormat) + QStringLiteral(" UTC");
    };
    add(CertificateDialog::tr("Of"), "certificateSubject", orNone(certificate.subject));
    add(CertificateDialog::tr("For"), "certificateNames", orNone(certificate.names.join(QStringLiteral(", "))));
    add(CertificateDialog::tr("Signed by"), "certificateIssuer", orNone(certificate.issuer));
    add(CertificateDialog::tr("Valid"), "certificateValidity",
        CertificateDialog::tr("%1 to %2").arg(day(certificate.from), day(certificate.until)));
    // Not wrapped: wrapped text has invisible characters, and the user copies this text.
    QLabel *fingerprint = widgets::makePlainLabel(QStringLiteral("certificateFingerprint"),
                                                  fingerprintLines(certificate.fingerprint), &dialog);
    fingerprint->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    fingerprint->setAccessibleName(CertificateDialog::tr("SHA-256"));
    fingerprint->setFont(appearance.monospaced());
    form->addRow(CertificateDialog::tr("SHA-256"), fingerprint);
    return form;
}

} // namespace

QString fingerprintLines(const QByteArray &fingerprint)
{
    constexpr qsizetype bytesPerLine = 16;
    QStringList lines;
    for (qsizetype at = 0; at < fingerprint.size(); at += bytesPerLine)
        lines += QString::fromLatin1(fingerprint.mid(at, bytesPerLine).toHex(':').toUpper());
    return lines.join(u'\n');
}

CertificateDialog::CertificateDialog(const QString &server, const net::UntrustedCertificate &certificate,
                                     const theme::Appearance &appearance, QWidget *parent)
    : QDialog(parent)
{
    setObjectName(QStringLiteral("certificateDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Certificate"));
    QLabel *title = widgets::makePlainLabel(
        QStringLiteral("pageTitle"),
        certificate.isOther ? tr("The certificate has CHANGED") : tr("This server is not trusted"), this);
    QLabel *where = widgets::makePlainLabel(QStringLiteral("certificateServer"), {}, this);
    where->setFont(appearance.monospaced());
    widgets::wrapAt(certificateWidth, *where, server);
    QLabel *why = widgets::makeWrappedLabel(
        QStringLiteral("certificateWhy"),
        certificate.isOther ? tr("The certificate is not the pinned one. The connection may be intercepted, or "
                                 "the certificate was renewed. Ask the administrator before you continue.")
                            : widgets::sentence(certificate.why.toString()),
        certificateWidth, this);
    QLabel *explanation =
        widgets::makeWrappedLabel(QStringLiteral("secondary"),
                                  tr("Compare the SHA-256 with the value from the server's administrator. After "
                                     "pinning, only this certificate is accepted."),
                                  certificateWidth, this);
    auto *keep = new QPushButton(tr("Do not connect"), this);
    keep->setObjectName(QStringLiteral("certificateCancel"));
    keep->setDefault(true);
    auto *pin = new QPushButton(certificate.isOther ? tr("Pin the new one") : tr("Pin and connect"), this);
    pin->setObjectName(QStringLiteral("certificatePin"));
    pin->setAutoDefault(false);
    if (certificate.isOther)
        pin->setProperty("kind", QStringLiteral("danger"));
    connect(keep, &QPushButton::clicked, this, &QDialog::reject);
    connect(pin, &QPushButton::clicked, this, &QDialog::accept);
    auto *buttons = new QHBoxLayout;
    buttons->addStretch(1);
    buttons->addWidget(keep);
    buttons->addWidget(pin);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(28, 24, 28, 20);
    layout->setSpacing(14);
    layout->addWidget(title);
    layout->addWidget(where);
    layout->addWidget(why);
    layout->addLayout(formOf(certificate, appearance, *this));
    layout->addWidget(explanation);
    layout->addSpacing(6);
    layout->addLayout(buttons);
    keep->setFocus();
}

} // namespace latchkey::ui::shell
