#include "ui/pages/inspector/deletedialog.h"

#include "ui/kit/widgets/plaintext.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace latchkey::ui::inspector {

namespace {

constexpr int deleteTextWidth = 504;

} // namespace

DeleteDialog::DeleteDialog(theme::Appearance &appearance, const base::Clock &clock, Snapshots snapshots,
                           const RemovalText &text, const QString &server, QWidget *parent)
    : QDialog(parent)
    , m_snapshots(std::move(snapshots))
{
    setObjectName(text.name + QStringLiteral("Dialog"));
    setWindowTitle(text.windowTitle);
    QLabel *title = widgets::makePlainLabel(QStringLiteral("pageTitle"), text.title, this);
    QLabel *explanation = widgets::makePlainLabel(QStringLiteral("secondary"), text.explanation, this);
    explanation->setWordWrap(true);
    explanation->setMinimumWidth(deleteTextWidth); // Adapts the height of the dialog to its text at this width.

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(28, 24, 28, 20);
    layout->setSpacing(14);
    layout->addWidget(title);
    layout->addWidget(explanation);
    layout->addLayout(new SnapshotView(appearance, clock, m_snapshots, server, *this));
    if (!text.warning.isEmpty()) {
        QLabel *label = widgets::makePlainLabel(text.name + QStringLiteral("Warning"), text.warning, this);
        label->setWordWrap(true);
        label->setMinimumWidth(deleteTextWidth);
        layout->addWidget(label);
    }
    layout->addSpacing(6);
    layout->addLayout(makeButtons(appearance, text));
    fitToContent(*this);
}

QLayout *DeleteDialog::makeButtons(theme::Appearance &appearance, const RemovalText &text)
{
    auto *cancel = new QPushButton(text.keep, this);
    cancel->setObjectName(text.name + QStringLiteral("Cancel"));
    cancel->setDefault(true);
    auto *confirm = new QPushButton(text.confirm, this);
    confirm->setObjectName(text.name + QStringLiteral("Confirm"));
    confirm->setProperty("kind", QStringLiteral("danger"));
    confirm->setIcon(appearance.icon(text.icon, appearance.theme().critical));
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(confirm, &QPushButton::clicked, this, &QDialog::accept);
    auto *buttons = new QHBoxLayout;
    buttons->addStretch(1);
    buttons->addWidget(cancel);
    buttons->addWidget(confirm);
    cancel->setFocus(); // Otherwise the list, as the first widget, would get the focus.
    return buttons;
}

} // namespace latchkey::ui::inspector
