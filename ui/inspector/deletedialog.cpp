#include "ui/inspector/deletedialog.h"

#include "ui/keytable/keytext.h"
#include "ui/widgets/plaintext.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

namespace latchkey::ui::inspector {

using namespace std::chrono_literals;

namespace {

constexpr int textWidth = 504;
constexpr int valueWidth = 400;
constexpr qsizetype longestText = 400;

} // namespace

DeleteDialog::DeleteDialog(theme::Appearance &appearance, const base::Clock &clock, keyspace::KeySnapshot snapshot,
                           const QString &server, QWidget *parent)
    : QDialog(parent)
    , m_clock(clock)
    , m_snapshot(std::move(snapshot))
    , m_timeLeft(new QLabel(this))
{
    setObjectName(QStringLiteral("deleteDialog"));
    setWindowTitle(tr("Delete a key"));

    auto *title = new QLabel(tr("Delete this key?"), this);
    title->setObjectName(QStringLiteral("pageTitle"));
    const QString condition =
        m_snapshot.isWhole()
            ? tr("It is deleted only if it still is what you see here: the same value, and the same end.")
            : tr("It is deleted only if it still is what you see here: the same beginning and size of its value, which "
                 "is not compared whole, and the same end.");
    auto *explanation = new QLabel(
        condition + u' ' + tr("If somebody has released, extended or taken it by then, nothing happens."), this);
    explanation->setObjectName(QStringLiteral("secondary"));
    explanation->setWordWrap(true);
    explanation->setMinimumWidth(textWidth); // Which makes the dialog as high as its text is at this width.

    const auto makeValue = [&](const QString &text, const char *name) {
        const QFontMetrics metrics(appearance.monospaced());
        auto *label =
            new QLabel(widgets::inLines(text, valueWidth,
                                        [&](const QString &character) { return metrics.horizontalAdvance(character); }),
                       this);
        label->setObjectName(QLatin1String(name));
        label->setTextFormat(Qt::PlainText);
        label->setAccessibleName(text);
        label->setFont(appearance.monospaced());
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        return label;
    };
    auto *form = new QFormLayout;
    form->setHorizontalSpacing(24);
    form->setVerticalSpacing(8);
    form->addRow(tr("Server"), makeValue(server, "deleteServer"));
    form->addRow(tr("Key"), makeValue(keytable::keyText(m_snapshot.key.bytes(), longestText), "deleteKey"));
    form->addRow(tr("Type"), makeValue(keytable::typeText(m_snapshot.type), "deleteType"));
    form->addRow(tr("Value"), makeValue(keytable::valueText(m_snapshot.value), "deleteValue"));
    m_timeLeft->setObjectName(QStringLiteral("deleteTimeLeft"));
    m_timeLeft->setFont(appearance.monospaced());
    m_timeLeft->setTextFormat(Qt::PlainText);
    form->addRow(tr("Time left"), m_timeLeft);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(28, 24, 28, 20);
    layout->setSpacing(14);
    layout->addWidget(title);
    layout->addWidget(explanation);
    layout->addLayout(form);
    layout->addSpacing(6);
    layout->addLayout(makeButtons(appearance));

    auto *ticker = new QTimer(this);
    connect(ticker, &QTimer::timeout, this, &DeleteDialog::refresh);
    ticker->start(50ms);
    refresh();
}

QLayout *DeleteDialog::makeButtons(theme::Appearance &appearance)
{
    auto *cancel = new QPushButton(tr("Keep it"), this);
    cancel->setObjectName(QStringLiteral("deleteCancel"));
    cancel->setDefault(true);
    auto *confirm = new QPushButton(tr("Delete"), this);
    confirm->setObjectName(QStringLiteral("deleteConfirm"));
    confirm->setProperty("kind", QStringLiteral("danger"));
    confirm->setIcon(appearance.icon(QStringLiteral("trash"), appearance.theme().critical));
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(confirm, &QPushButton::clicked, this, &QDialog::accept);
    auto *buttons = new QHBoxLayout;
    buttons->addStretch(1);
    buttons->addWidget(cancel);
    buttons->addWidget(confirm);
    return buttons;
}

void DeleteDialog::refresh()
{
    m_timeLeft->setText(keytable::timeLeftText(m_snapshot.deadline, keys::KeyState::Live, m_clock.now()));
}

} // namespace latchkey::ui::inspector
