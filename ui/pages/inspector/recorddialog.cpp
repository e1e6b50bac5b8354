#include "ui/pages/inspector/recorddialog.h"

#include "core/foundation/base/bytesize.h"
#include "core/inspect/recording/recorder.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QRadioButton>
#include <QVBoxLayout>

namespace latchkey::ui::inspector {

namespace {

constexpr int widest = 440; // Pixels.
constexpr std::initializer_list<qint64> sizeLimits {10LL << 20, 100LL << 20, 1LL << 30, 10LL << 30};

} // namespace

RecordDialog::RecordDialog(const QString &server, QWidget *parent)
    : QDialog(parent)
    , m_without(new QRadioButton(tr("&Without values"), this))
    , m_with(new QRadioButton(tr("With &values, as far as they are read"), this))
    , m_sizeLimit(new QComboBox(this))
{
    setObjectName(QStringLiteral("recordDialog"));
    setWindowTitle(tr("Record"));
    const auto addText = [this](const QString &text, const char *name) {
        auto *label = new QLabel(text, this);
        label->setObjectName(QLatin1String(name));
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setFixedWidth(widest);
        return label;
    };
    m_with->setObjectName(QStringLiteral("recordWithValues"));
    m_without->setObjectName(QStringLiteral("recordWithoutValues"));
    m_without->setChecked(true);
    auto *cancel = new QPushButton(tr("Cancel"), this);
    cancel->setObjectName(QStringLiteral("recordCancel"));
    auto *go = new QPushButton(tr("Choose a file\u2026"), this);
    go->setObjectName(QStringLiteral("recordGo"));
    go->setProperty("kind", QStringLiteral("primary"));
    go->setDefault(true);
    connect(go, &QPushButton::clicked, this, &QDialog::accept);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addStretch(1);
    buttons->addWidget(cancel);
    buttons->addWidget(go);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(24, 20, 24, 20);
    layout->setSpacing(8);
    layout->addWidget(addText(tr("All observations of %1 are written to a file, with times. The file can be replayed "
                                 "without the server and attached to a bug report.")
                                  .arg(server),
                              "dialogText"));
    layout->addSpacing(8);
    layout->addWidget(m_without);
    layout->addWidget(addText(tr("Keys, types, times and kinds of locks are recorded. Values and holders are replaced "
                                 "by digests; equal values have equal digests."),
                              "secondary"));
    layout->addSpacing(4);
    layout->addWidget(m_with);
    layout->addWidget(addText(
        tr("Includes lock tokens and connected clients: share it only with people who may see them."), "secondary"));
    layout->addSpacing(8);
    layout->addLayout(makeLimit());
    layout->addSpacing(8);
    layout->addLayout(buttons);
    layout->setSizeConstraint(QLayout::SetFixedSize);
}

QHBoxLayout *RecordDialog::makeLimit()
{
    m_sizeLimit->setObjectName(QStringLiteral("recordMost"));
    for (const qint64 maximum : sizeLimits)
        m_sizeLimit->addItem(base::formatByteSize(maximum), maximum);
    m_sizeLimit->setCurrentIndex(m_sizeLimit->findData(latchkey::recording::Recorder::defaultMaxBytes));
    auto *caption = new QLabel(tr("&Size limit"), this);
    caption->setBuddy(m_sizeLimit);
    auto *limit = new QHBoxLayout;
    limit->setSpacing(8);
    limit->addWidget(caption);
    limit->addWidget(m_sizeLimit);
    limit->addStretch(1);
    return limit;
}

qint64 RecordDialog::maxBytes() const
{
    return m_sizeLimit->currentData().toLongLong();
}

bool RecordDialog::hasValues() const
{
    return m_with->isChecked();
}

} // namespace latchkey::ui::inspector
