#include "ui/inspector/deletedialog.h"

#include "ui/widgets/plaintext.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace latchkey::ui::inspector {

using keyspace::KeySnapshot;

namespace {

constexpr int textWidth = 504;

} // namespace

DeleteDialog::DeleteDialog(theme::Appearance &appearance, const base::Clock &clock, Snapshots snapshots,
                           const QString &server, QWidget *parent)
    : QDialog(parent)
    , m_snapshots(std::move(snapshots))
{
    setObjectName(QStringLiteral("deleteDialog"));
    const auto count = static_cast<int>(m_snapshots.size());
    setWindowTitle(count == 1 ? tr("Delete a key") : tr("Delete keys"));
    QLabel *title = widgets::makePlainLabel(
        QStringLiteral("pageTitle"), count == 1 ? tr("Delete this key?") : tr("Delete these %Ln keys?", nullptr, count),
        this);
    QLabel *text = widgets::makePlainLabel(QStringLiteral("secondary"), explanation(), this);
    text->setWordWrap(true);
    text->setMinimumWidth(textWidth); // Which makes the dialog as high as its text is at this width.

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(28, 24, 28, 20);
    layout->setSpacing(14);
    layout->addWidget(title);
    layout->addWidget(text);
    layout->addLayout(new SnapshotView(appearance, clock, m_snapshots, server, *this));
    if (const QString said = warning(); !said.isEmpty()) {
        QLabel *label = widgets::makePlainLabel(QStringLiteral("deleteWarning"), said, this);
        label->setWordWrap(true);
        label->setMinimumWidth(textWidth);
        layout->addWidget(label);
    }
    layout->addSpacing(6);
    layout->addLayout(makeButtons(appearance));
    fitToContent(*this);
}

QString DeleteDialog::explanation() const
{
    const bool isWhole = std::ranges::all_of(m_snapshots, &KeySnapshot::isWhole);
    if (m_snapshots.size() == 1) {
        const QString condition =
            isWhole
                ? tr("It is deleted only if it still is what you see here: the same value, and the same end.")
                : tr("It is deleted only if it still is what you see here: the same beginning and size of its value, "
                     "which is not compared whole, and the same end.");
        return condition + u' ' + tr("If somebody has released, extended or taken it by then, nothing happens.");
    }
    const QString condition =
        isWhole ? tr("Each is deleted only if it still is what you see here: the same value, and the same end.")
                : tr("Each is deleted only if it still is what you see here: the same value, of which large ones are "
                     "compared by beginning and size, and the same end.");
    return condition + u' ' + tr("What somebody has released, extended or taken by then is left alone.");
}

QString DeleteDialog::warning() const
{
    const auto lost = static_cast<int>(
        std::ranges::count_if(m_snapshots, [](const KeySnapshot &snapshot) { return !snapshot.isKept(); }));
    if (lost == 0)
        return {};
    const QString why = tr("Only values of up to 1 MiB that may be read whole can be put back.");
    return (m_snapshots.size() == 1 ? tr("This cannot be undone.")
                                    : tr("Of %Ln of them this cannot be undone.", nullptr, lost))
         + u' ' + why;
}

QLayout *DeleteDialog::makeButtons(theme::Appearance &appearance)
{
    auto *cancel = new QPushButton(m_snapshots.size() == 1 ? tr("&Keep it") : tr("&Keep them"), this);
    cancel->setObjectName(QStringLiteral("deleteCancel"));
    cancel->setDefault(true);
    auto *confirm = new QPushButton(tr("&Delete"), this);
    confirm->setObjectName(QStringLiteral("deleteConfirm"));
    confirm->setProperty("kind", QStringLiteral("danger"));
    confirm->setIcon(appearance.icon(QStringLiteral("trash"), appearance.theme().critical));
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(confirm, &QPushButton::clicked, this, &QDialog::accept);
    auto *buttons = new QHBoxLayout;
    buttons->addStretch(1);
    buttons->addWidget(cancel);
    buttons->addWidget(confirm);
    cancel->setFocus(); // Not the list, which comes first.
    return buttons;
}

} // namespace latchkey::ui::inspector
