#include "ui/shell/shell/armdialog.h"

#include "ui/kit/widgets/plaintext.h"
#include "ui/shell/shell/settings.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace latchkey::ui::shell {

using latchkey::connections::Environment;

namespace {

constexpr int textWidth = 460;

} // namespace

ArmDialog::ArmDialog(theme::Appearance &appearance, const net::Endpoint &server,
                     const std::optional<latchkey::connections::SavedConnection> &saved, std::chrono::minutes time,
                     QWidget *parent)
    : QDialog(parent)
    , m_time(new QComboBox(this))
{
    const bool isProduction = saved && saved->environment == Environment::Production;
    setObjectName(QStringLiteral("armDialog"));
    setWindowTitle(tr("Arm writes"));
    QLabel *title = widgets::makePlainLabel(
        QStringLiteral("pageTitle"),
        isProduction ? tr("Allow writing to this production server?") : tr("Allow writing to this server?"), this);
    const QString place = server.display();
    QLabel *where = widgets::makePlainLabel(QStringLiteral("armServer"), QString(), this);
    where->setFont(appearance.monospaced());
    widgets::wrapAt(textWidth, *where, saved ? tr("%1: %2").arg(saved->name, place) : place);
    QLabel *explanation = widgets::makeWrappedLabel(
        QStringLiteral("secondary"),
        tr("Keys can be deleted and their expiry changed until the time is over, you disarm it or connect to "
           "another server. Latchkey writes nothing automatically."),
        textWidth, this);
    auto *keep = new QPushButton(tr("Stay read-only"), this);
    keep->setObjectName(QStringLiteral("armCancel"));
    auto *arm = new QPushButton(tr("Arm"), this);
    arm->setObjectName(QStringLiteral("armConfirm"));
    arm->setProperty("kind", QStringLiteral("danger"));
    arm->setIcon(appearance.icon(QStringLiteral("unlock"), appearance.theme().critical));
    (isProduction ? arm : keep)->setDefault(true); // A default button that is disabled ignores Return.
    connect(keep, &QPushButton::clicked, this, &QDialog::reject);
    connect(arm, &QPushButton::clicked, this, &QDialog::accept);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(28, 24, 28, 20);
    layout->setSpacing(14);
    layout->addWidget(title);
    layout->addWidget(where);
    layout->addWidget(explanation);
    layout->addLayout(makeTime(time));
    if (isProduction)
        layout->addLayout(makeName(saved->name, *arm));
    layout->addSpacing(6);
    auto *buttons = new QHBoxLayout;
    buttons->addStretch(1);
    buttons->addWidget(keep);
    buttons->addWidget(arm);
    layout->addLayout(buttons);
    if (!isProduction)
        keep->setFocus();
}

QLayout *ArmDialog::makeTime(std::chrono::minutes time)
{
    m_time->setObjectName(QStringLiteral("armTime"));
    for (const int minutes : Settings::armedMinutes)
        m_time->addItem(tr("%Ln min", nullptr, minutes), minutes);
    m_time->setCurrentIndex(m_time->findData(static_cast<int>(time.count())));
    auto *caption = new QLabel(tr("&Disarm after"), this);
    caption->setBuddy(m_time);
    auto *line = new QHBoxLayout;
    line->setSpacing(8);
    line->addWidget(caption);
    line->addWidget(m_time);
    line->addStretch(1);
    return line;
}

/// Adds the field for the name, which enables the button.
QLayout *ArmDialog::makeName(const QString &wanted, QPushButton &arm)
{
    auto *name = new QLineEdit(this);
    name->setObjectName(QStringLiteral("armName"));
    name->setAccessibleName(tr("The server's name, to confirm"));
    auto *caption = new QLabel(tr("&Type its name to continue:"), this);
    caption->setBuddy(name);
    // The room of the hint is always reserved, so that the dialog does not change its size.
    QLabel *hint = widgets::makePlainLabel(QStringLiteral("armNameHint"), QString(), this);
    hint->setMinimumHeight(hint->fontMetrics().height());
    arm.setEnabled(false);
    connect(name, &QLineEdit::textChanged, &arm, [&arm, hint, wanted](const QString &typed) {
        arm.setEnabled(typed.trimmed() == wanted);
        hint->clear();
    });
    connect(name, &QLineEdit::returnPressed, &arm, [&arm, hint] {
        if (!arm.isEnabled())
            hint->setText(tr("This is not the name of the server."));
    });
    name->setFocus();
    auto *lines = new QVBoxLayout;
    lines->setSpacing(6);
    lines->addWidget(caption);
    lines->addWidget(name);
    lines->addWidget(hint);
    return lines;
}

std::chrono::minutes ArmDialog::time() const
{
    return std::chrono::minutes(m_time->currentData().toInt());
}

} // namespace latchkey::ui::shell
