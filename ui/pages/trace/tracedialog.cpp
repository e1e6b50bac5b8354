#include "ui/pages/trace/tracedialog.h"

#include "core/foundation/base/timetext.h"
#include "ui/kit/widgets/indenteddelegate.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QStandardItemModel>
#include <QTreeView>
#include <QVBoxLayout>

namespace latchkey::ui::trace {

using std::chrono::milliseconds;
using watching::KeyTrace;
using watching::TracedCommand;
using namespace std::chrono_literals;

namespace {

constexpr int textWidth = 640;
constexpr qsizetype maxKeyLength = 120;
/// Interval of the progress display, and time span of the displayed rate.
constexpr auto refreshInterval = 100ms;
constexpr auto rateInterval = 500ms;
/// Data role in the first cell of a row.
constexpr int isOwnReadRole = Qt::UserRole;

} // namespace

TraceDialog::TraceDialog(theme::Appearance &appearance, const base::Clock &clock, net::Endpoint endpoint,
                         QList<QByteArray> keys, QWidget *parent)
    : QDialog(parent)
    , m_appearance(appearance)
    , m_clock(clock)
    , m_endpoint(std::move(endpoint))
    , m_keys(std::move(keys))
    , m_trace(clock)
    , m_commands(new QStandardItemModel(0, 3, this))
    , m_list(new QTreeView(this))
    , m_duration(new QComboBox(this))
    , m_start(new QPushButton(this))
    , m_copy(new QPushButton(tr("Copy all"), this))
    , m_ownReads(new QCheckBox(tr("Show this Latchkey's &own reads"), this))
    , m_progress(new QLabel(this))
{
    setObjectName(QStringLiteral("traceDialog"));
    setWindowTitle(tr("Trace of a key"));

    auto *title = new QLabel(base::printable(m_keys.value(0), maxKeyLength), this);
    title->setObjectName(QStringLiteral("traceKey"));
    title->setTextFormat(Qt::PlainText);
    title->setFont(appearance.monospaced());
    title->setWordWrap(true);
    const QString beside = m_keys.size() > 1 ? u' ' + tr("Related keys are included.") : QString();
    auto *cost = new QLabel(
        tr("Lists every command that names this key, as the server executes it.") + beside + QStringLiteral("\n")
            + tr("The trace uses MONITOR, which reports every command of every client and slows the server down. In "
                 "our measurement the server lost a third of its throughput, and two thirds with pipelined commands. "
                 "Nothing is written. The trace ends automatically."),
        this);
    cost->setObjectName(QStringLiteral("secondary"));
    cost->setProperty("testName", QStringLiteral("traceCost"));
    cost->setWordWrap(true);
    cost->setMinimumWidth(textWidth);
    m_progress->setObjectName(QStringLiteral("traceProgress"));
    m_progress->setTextFormat(Qt::PlainText);
    m_progress->setWordWrap(true);
    makeList();

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(28, 24, 28, 20);
    layout->setSpacing(12);
    layout->addWidget(title);
    layout->addWidget(cost);
    layout->addLayout(makeControls());
    layout->addWidget(m_list, 1);
    layout->addWidget(m_progress);

    connect(&m_trace, &KeyTrace::began, this, &TraceDialog::refresh);
    connect(&m_trace, &KeyTrace::traced, this, &TraceDialog::add);
    connect(&m_trace, &KeyTrace::ended, this, &TraceDialog::ended);
    m_refresh.setInterval(refreshInterval);
    connect(&m_refresh, &QTimer::timeout, this, &TraceDialog::refresh);
    refresh();
    resize(sizeHint().expandedTo({780, 520}));
}

TraceDialog::~TraceDialog() = default;

QLayout *TraceDialog::makeControls()
{
    for (const auto &[text, time] : {std::pair(tr("5 seconds"), milliseconds(5s)),
                                     {tr("10 seconds"), 10s},
                                     {tr("30 seconds"), 30s},
                                     {tr("1 minute"), 60s},
                                     {tr("5 minutes"), 300s}})
        m_duration->addItem(text, static_cast<qint64>(time.count()));
    m_duration->setCurrentIndex(1);
    m_duration->setObjectName(QStringLiteral("traceDuration"));
    m_duration->setAccessibleName(tr("Time limit"));
    m_start->setObjectName(QStringLiteral("traceStart"));
    m_start->setDefault(true);
    m_start->setFocus();
    m_copy->setObjectName(QStringLiteral("traceCopy"));
    m_copy->setIcon(m_appearance.icon(QStringLiteral("copy")));
    m_ownReads->setObjectName(QStringLiteral("traceOwnReads"));
    m_ownReads->setToolTip(tr("Reads that Latchkey sends to watch the key. Over a Unix socket MONITOR does not "
                              "identify the client; reads with the same wording are then taken for Latchkey's."));
    connect(m_ownReads, &QCheckBox::toggled, this, &TraceDialog::showOwnReads);
    connect(m_start, &QPushButton::clicked, this, &TraceDialog::startOrStop);
    connect(m_copy, &QPushButton::clicked, this, &TraceDialog::copy);
    auto *label = new QLabel(tr("&For"), this);
    label->setBuddy(m_duration);
    auto *controls = new QHBoxLayout;
    controls->setSpacing(8);
    controls->addWidget(label);
    controls->addWidget(m_duration);
    controls->addWidget(m_start);
    controls->addStretch(1);
    controls->addWidget(m_ownReads);
    controls->addWidget(m_copy);
    return controls;
}

void TraceDialog::makeList()
{
    m_commands->setHorizontalHeaderLabels({tr("Time"), tr("Client"), tr("Command")});
    m_list->setObjectName(QStringLiteral("traceList"));
    m_list->setAccessibleName(tr("Commands"));
    m_list->setModel(m_commands);
    m_list->setItemDelegate(new widgets::IndentedDelegate(m_list));
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setFont(m_appearance.monospaced());
    m_list->setTextElideMode(Qt::ElideRight);
    const QFontMetrics metrics(m_appearance.monospaced());
    m_list->setColumnWidth(0, metrics.horizontalAdvance(QStringLiteral("00:00:00.000    ")));
    m_list->setColumnWidth(1, metrics.horizontalAdvance(QStringLiteral("255.255.255.255:65535   ")));
}

void TraceDialog::startOrStop()
{
    if (m_trace.isActive()) {
        m_trace.stop();
        return;
    }
    m_commands->removeRows(0, m_commands->rowCount());
    m_error.reset();
    m_perSecond = 0;
    m_rateFrom = 0;
    m_rateSince = m_clock.now();
    m_trace.start(m_endpoint, m_keys, milliseconds(m_duration->currentData().toLongLong()));
    m_refresh.start();
    refresh();
}

void TraceDialog::add(const TracedCommand &command)
{
    const QScrollBar &bar = *m_list->verticalScrollBar();
    const bool isAtEnd = bar.value() == bar.maximum();
    m_commands->appendRow(
        {new QStandardItem(base::preciseTimeOfDay(command.at)),
         new QStandardItem(command.client == "lua" ? tr("script") : base::printable(command.client, maxKeyLength)),
         new QStandardItem(commandText(command.words))});
    const int row = m_commands->rowCount() - 1;
    m_commands->item(row)->setData(command.isOwnRead, isOwnReadRole);
    m_list->setRowHidden(row, {}, command.isOwnRead && !m_ownReads->isChecked());
    m_copy->setEnabled(true);
    if (isAtEnd)
        m_list->scrollToBottom();
}

void TraceDialog::showOwnReads(bool areShown)
{
    for (int row = 0; row < m_commands->rowCount(); ++row)
        m_list->setRowHidden(row, {}, !areShown && m_commands->item(row)->data(isOwnReadRole).toBool());
    refresh();
}

void TraceDialog::ended(const std::optional<base::Error> &error)
{
    m_error = error;
    m_refresh.stop();
    refresh();
}

void TraceDialog::refresh()
{
    const bool isActive = m_trace.isActive();
    const base::MonotonicTime now = m_clock.now();
    if (isActive && now - m_rateSince >= rateInterval) {
        m_perSecond = static_cast<double>(m_trace.received() - m_rateFrom)
                    / std::chrono::duration<double>(now - m_rateSince).count();
        m_rateFrom = m_trace.received();
        m_rateSince = now;
    }
    m_start->setText(isActive ? tr("Stop") : tr("Start"));
    m_start->setIcon(m_appearance.icon(isActive ? QStringLiteral("pause") : QStringLiteral("play")));
    m_duration->setEnabled(!isActive);
    m_copy->setEnabled(m_commands->rowCount() > 0);
    m_progress->setText(progressText({isActive, m_trace.left(), m_trace.received(), m_trace.matched(), m_perSecond,
                                      m_error, m_ownReads->isChecked() ? 0 : m_trace.ownReads()}));
}

void TraceDialog::copy()
{
    QStringList lines;
    for (int row = 0; row < m_commands->rowCount(); ++row) {
        if (m_list->isRowHidden(row, {}))
            continue;
        QStringList cells;
        for (int column = 0; column < m_commands->columnCount(); ++column)
            cells += m_commands->item(row, column)->text();
        lines += cells.join(u'\t');
    }
    QGuiApplication::clipboard()->setText(lines.join(u'\n'));
}

} // namespace latchkey::ui::trace
