#include "ui/pages/inspector/snapshotview.h"

#include "ui/kit/widgets/indenteddelegate.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/views/keytable/keytext.h"

#include <QDialog>
#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QTimer>

namespace latchkey::ui::inspector {

using namespace std::chrono_literals;

namespace {

constexpr int valueWidth = 400;
constexpr qsizetype maxTextLength = 400;
/// Length limit of a text in the list.
constexpr qsizetype maxCellLength = 120;
constexpr int listWidth = 600;
constexpr int keyWidth = 220;
constexpr int timeWidth = 130;
constexpr int maxShownRows = 8;
/// Height of the header, including the frame and the space below the rows.
constexpr int headerHeight = 52;

// Not a named enum: lupdate would put the texts below in another context.
constexpr int keyColumn = 0;
constexpr int valueColumn = 1;
constexpr int timeLeftColumn = 2;
constexpr int columnCount = 3;

} // namespace

SnapshotView::SnapshotView(theme::Appearance &appearance, const base::Clock &clock, const Snapshots &snapshots,
                           const QString &server, QWidget &dialog)
    : m_dialog(dialog)
    , m_appearance(appearance)
    , m_clock(clock)
    , m_snapshots(snapshots)
{
    setHorizontalSpacing(24);
    setVerticalSpacing(8);
    addRow(tr("Server"), makeValue(server, "shownServer"));
    if (snapshots.size() == 1)
        addOne(snapshots.front());
    else
        addList();
    auto *ticker = new QTimer(this);
    connect(ticker, &QTimer::timeout, this, &SnapshotView::refresh);
    ticker->start(m_list == nullptr ? 50ms : 200ms);
    refresh();
}

QLabel *SnapshotView::makeValue(const QString &text, const char *name)
{
    const QFontMetrics metrics(m_appearance.monospaced());
    QLabel *label = widgets::makePlainLabel(
        QLatin1String(name),
        widgets::inLines(text, valueWidth,
                         [&](const QString &character) { return metrics.horizontalAdvance(character); }),
        &m_dialog);
    label->setAccessibleName(text);
    label->setFont(m_appearance.monospaced());
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

void SnapshotView::addOne(const watching::KeySnapshot &snapshot)
{
    addRow(tr("Key"), makeValue(keytable::keyText(snapshot.key.bytes(), maxTextLength), "shownKey"));
    addRow(tr("Type"), makeValue(keytable::typeText(snapshot.type), "shownType"));
    addRow(tr("Value"), makeValue(keytable::valueText(snapshot.value), "shownValue"));
    m_timeLeft = widgets::makePlainLabel(QStringLiteral("shownTimeLeft"), {}, &m_dialog);
    m_timeLeft->setFont(m_appearance.monospaced());
    addRow(tr("Time left"), m_timeLeft);
}

void SnapshotView::addList()
{
    const auto rows = static_cast<int>(m_snapshots.size());
    m_list = new QTableWidget(rows, columnCount, &m_dialog);
    m_list->setObjectName(QStringLiteral("shownKeys"));
    m_list->setAccessibleName(tr("Keys, values and TTLs"));
    m_list->setHorizontalHeaderLabels({tr("Key"), tr("Value"), tr("Time left")});
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_list->setSelectionMode(QAbstractItemView::SingleSelection);
    m_list->setTabKeyNavigation(false);
    m_list->setWordWrap(false);
    m_list->setShowGrid(false);
    m_list->setItemDelegate(new widgets::IndentedDelegate(m_list));
    m_list->setFont(m_appearance.monospaced());
    m_list->verticalHeader()->hide();
    m_list->horizontalHeader()->setSectionResizeMode(valueColumn, QHeaderView::Stretch);
    m_list->horizontalHeader()->setHighlightSections(false);
    m_list->setColumnWidth(keyColumn, keyWidth);
    m_list->setColumnWidth(timeLeftColumn, timeWidth);
    for (int row = 0; row < rows; ++row) {
        const watching::KeySnapshot &snapshot = m_snapshots[static_cast<std::size_t>(row)];
        m_list->setItem(row, keyColumn, new QTableWidgetItem(keytable::keyText(snapshot.key.bytes(), maxCellLength)));
        m_list->setItem(row, valueColumn,
                        new QTableWidgetItem(keytable::valueText(snapshot.value).left(maxCellLength)));
        m_list->setItem(row, timeLeftColumn, new QTableWidgetItem);
    }
    m_list->horizontalHeader()->setDefaultAlignment(Qt::AlignLeading | Qt::AlignVCenter);
    const int rowsHeight = std::min(rows, maxShownRows) * m_list->verticalHeader()->defaultSectionSize();
    m_list->setFixedHeight(rowsHeight + headerHeight);
    m_list->setMinimumWidth(listWidth);
    addRow(m_list);
}

void SnapshotView::refresh()
{
    const base::MonotonicTime now = m_clock.now();
    const auto textOf = [now](const watching::KeySnapshot &snapshot) {
        return keytable::timeLeftText(snapshot.deadline, keys::KeyState::Live, now);
    };
    if (m_timeLeft != nullptr) {
        m_timeLeft->setText(textOf(m_snapshots.front()));
        return;
    }
    for (int row = 0; row < m_list->rowCount(); ++row)
        m_list->item(row, timeLeftColumn)->setText(textOf(m_snapshots[static_cast<std::size_t>(row)]));
}

void fitToContent(QDialog &dialog)
{
    for (QWidget *part : dialog.findChildren<QWidget *>())
        part->ensurePolished(); // The font is known only after polishing.
    dialog.resize(dialog.layout()->totalSizeHint());
}

} // namespace latchkey::ui::inspector
