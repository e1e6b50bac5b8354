#include "ui/shell/shell/armdialog.h"

#include "ui/kit/widgets/plaintext.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace latchkey::ui::shell {

using latchkey::connections::Environment;

ArmDialog::ArmDialog(theme::Appearance &appearance, const net::Endpoint &server,
                     const std::optional<latchkey::connections::SavedConnection> &kept, QWidget *parent)
    : QDialog(parent)
{
    const bool isProduction = kept && kept->environment == Environment::Production;
    setObjectName(QStringLiteral("armDialog"));
    setWindowTitle(tr("Arm writes"));
    QLabel *title = widgets::makePlainLabel(
        QStringLiteral("pageTitle"),
        isProduction ? tr("Allow writing to this production server?") : tr("Allow writing to this server?"), this);
    const QString place = server.display();
    QLabel *where =
        widgets::makePlainLabel(QStringLiteral("armServer"), kept ? tr("%1: %2").arg(kept->name, place) : place, this);
    where->setFont(appearance.monospaced());
    QLabel *explanation =
        widgets::makePlainLabel(QStringLiteral("secondary"),
                                tr("Keys can be deleted and their expiry changed until you disarm it or connect to "
                                   "another server. Latchkey writes nothing automatically."),
                                this);
    auto *keep = new QPushButton(tr("Stay read-only"), this);
    keep->setObjectName(QStringLiteral("armCancel"));
    keep->setDefault(true);
    auto *arm = new QPushButton(tr("Arm"), this);
    arm->setObjectName(QStringLiteral("armConfirm"));
    arm->setProperty("kind", QStringLiteral("danger"));
    arm->setIcon(appearance.icon(QStringLiteral("unlock"), appearance.theme().critical));
    connect(keep, &QPushButton::clicked, this, &QDialog::reject);
    connect(arm, &QPushButton::clicked, this, &QDialog::accept);

    auto *buttons = new QHBoxLayout;
    buttons->addStretch(1);
    buttons->addWidget(keep);
    buttons->addWidget(arm);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(28, 24, 28, 20);
    layout->setSpacing(14);
    layout->addWidget(title);
    layout->addWidget(where);
    layout->addWidget(explanation);
    if (isProduction) {
        auto *name = new QLineEdit(this);
        name->setObjectName(QStringLiteral("armName"));
        name->setAccessibleName(tr("The server's name, to confirm"));
        auto *label = new QLabel(tr("&Type its name to continue:"), this);
        label->setBuddy(name);
        layout->addWidget(label);
        layout->addWidget(name);
        arm->setEnabled(false);
        connect(name, &QLineEdit::textChanged, arm,
                [arm, wanted = kept->name](const QString &typed) { arm->setEnabled(typed.trimmed() == wanted); });
        name->setFocus();
    }
    layout->addSpacing(6);
    layout->addLayout(buttons);
}

} // namespace latchkey::ui::shell
