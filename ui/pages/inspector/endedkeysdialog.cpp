#include "ui/pages/inspector/endedkeysdialog.h"

#include "ui/kit/widgets/indenteddelegate.h"
#include "ui/pages/inspector/endedtext.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QScrollBar>
#include <QTreeView>
#include <QVBoxLayout>

namespace latchkey::ui::inspector {

namespace {

constexpr auto endedInterval = std::chrono::milliseconds(250);

} // namespace

EndedKeysDialog::EndedKeysDialog(theme::Appearance &appearance, inspection::InspectedServer &server, QWidget *parent)
    : QDialog(parent)
    , m_appearance(appearance)
    , m_server(&server)
    , m_model(std::make_unique<EndedKeysModel>(server.store().ended(), server.clock()))
    , m_filter(new QLineEdit(this))
    , m_coverage(new QLabel(this))
    , m_list(new QTreeView(this))
    , m_newer(new QPushButton(this))
    , m_export(new QPushButton(tr("E&xport\u2026"), this))
{
    setObjectName(QStringLiteral("endedKeysDialog"));
    setWindowTitle(tr("Ended keys"));
    makeList();
    setUpLayout();
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_model->setFilter(base::Glob::fromFilter(text.toUtf8()));
        refresh();
    });
    connect(m_newer, &QPushButton::clicked, this, &EndedKeysDialog::showNewest);
    connect(m_export, &QPushButton::clicked, this, [this] { Q_EMIT exportRequested(m_model->filter()); });
    connect(m_server, &QObject::destroyed, this, [this] {
        m_refresh.stop();
        m_list->setModel(nullptr); // The record was destroyed.
        close();
    });
    connect(&m_refresh, &QTimer::timeout, this, &EndedKeysDialog::refresh);
    m_refresh.start(endedInterval);
    refresh();
    resize(sizeHint().expandedTo({820, 480}).boundedTo(parent == nullptr ? sizeHint() : parent->window()->size()));
}

EndedKeysDialog::~EndedKeysDialog()
{
    m_list->setModel(nullptr);
}

void EndedKeysDialog::setUpLayout()
{
    m_coverage->setObjectName(QStringLiteral("endedSight"));
    m_coverage->setTextFormat(Qt::PlainText);
    m_coverage->setWordWrap(true);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 18, 20, 16);
    layout->setSpacing(10);
    layout->addWidget(makeControls());
    layout->addWidget(m_coverage);
    layout->addWidget(m_list, 1);
}

QWidget *EndedKeysDialog::makeControls()
{
    auto *controls = new QWidget(this);
    m_filter->setObjectName(QStringLiteral("endedFilter"));
    m_filter->setPlaceholderText(tr("Part of a key, or a pattern: lock:*"));
    m_filter->setAccessibleName(tr("Filter the ended keys"));
    m_filter->setClearButtonEnabled(true);
    m_newer->setObjectName(QStringLiteral("endedNewer"));
    m_newer->setAutoDefault(false);
    m_export->setObjectName(QStringLiteral("endedExport"));
    m_export->setAutoDefault(false);
    m_export->setToolTip(tr("Exports the keys that match the filter as CSV or JSON"));
    auto *layout = new QHBoxLayout(controls);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(m_filter, 1);
    layout->addWidget(m_newer);
    layout->addWidget(m_export);
    return controls;
}

void EndedKeysDialog::makeList()
{
    m_list->setObjectName(QStringLiteral("endedList"));
    m_list->setAccessibleName(tr("Ended keys"));
    m_list->setModel(m_model.get());
    m_list->setItemDelegate(new widgets::IndentedDelegate(m_list));
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setAllColumnsShowFocus(true);
    m_list->setTextElideMode(Qt::ElideMiddle);
    const QFontMetrics metrics = m_list->fontMetrics();
    const auto widen = [&](int column, const QString &text) {
        m_list->setColumnWidth(column, metrics.horizontalAdvance(text + QStringLiteral("      ")));
    };
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(EndedKeysModel::KeyColumn, QHeaderView::Stretch);
    widen(EndedKeysModel::TimeColumn, QStringLiteral("00:00:00.000"));
    widen(EndedKeysModel::DeadlineColumn, QStringLiteral("00:00:00.000"));
    widen(EndedKeysModel::LateColumn, QStringLiteral("\u2264 0.000 s"));
    widen(EndedKeysModel::EndingColumn, EndedText::tr("expired or removed"));
    widen(EndedKeysModel::SourceColumn, EndedText::tr("own command"));
}

/// Returns whether the user reads rows that must not move.
bool EndedKeysDialog::isRead() const
{
    return m_list->verticalScrollBar()->value() > 0 || m_list->selectionModel()->hasSelection();
}

void EndedKeysDialog::refresh()
{
    if (!m_server)
        return;
    m_model->trim();
    if (!isRead())
        m_model->update();
    const qint64 unshownCount = m_model->unshownCount();
    m_newer->setText(unshownCount == 0 ? tr("No newer ones") : tr("Newer: %1").arg(QLocale().toString(unshownCount)));
    m_newer->setEnabled(unshownCount > 0);
    const watching::Watcher &watcher = m_server->watcher();
    const QString coverage = EndedText::coverageText(
        m_server->store().ended(),
        {m_server->store().since(), watcher.hasChangeEvents(), watcher.isIncomplete(), watcher.coverage().parts().gaps},
        m_server->clock());
    const QString count = tr("Shown: %1.").arg(QLocale().toString(m_model->rowCount()));
    if (const QString text = count + u' ' + coverage; m_coverage->text() != text)
        m_coverage->setText(text);
}

void EndedKeysDialog::showNewest()
{
    m_list->clearSelection();
    m_list->scrollToTop();
    refresh();
}

} // namespace latchkey::ui::inspector
