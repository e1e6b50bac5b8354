#include "ui/keytable/keytableview.h"

#include "core/base/avxstate.h"
#include "ui/keytable/keydelegates.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>

namespace latchkey::ui::keytable {

namespace {

constexpr int rowPixels = 36;
constexpr int typeWidth = 96;
constexpr int timeLeftWidth = 250;
constexpr int compactTimeLeftWidth = 162;
constexpr int compactValueWidth = 76;
constexpr int endWidth = 190;
/// A table narrower than this gives up some of its bars for the keys and values.
constexpr int narrowTable = 950;

} // namespace

KeyTableView::KeyTableView(theme::Appearance &appearance, const base::Clock &clock, QWidget *parent)
    : QTableView(parent)
    , m_appearance(appearance)
    , m_clock(clock)
    , m_ticker(new CountdownTicker(*this, {KeyTableModel::TimeLeftColumn}, clock))
{
    setObjectName(QStringLiteral("leaseTable"));
    setAccessibleName(tr("Keys and how long they have left"));
    setShowGrid(false);
    setFrameShape(QFrame::NoFrame);
    setSelectionBehavior(SelectRows);
    setSelectionMode(ExtendedSelection);
    setEditTriggers(NoEditTriggers);
    setTabKeyNavigation(false);
    setWordWrap(false);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setContextMenuPolicy(Qt::CustomContextMenu);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setDefaultSectionSize(rowPixels);
    horizontalHeader()->setHighlightSections(false);
    setUpDelegates();
    connect(&m_appearance, &theme::Appearance::changed, this, [this] { viewport()->update(); });
    connect(verticalScrollBar(), &QScrollBar::valueChanged, m_ticker, &CountdownTicker::refresh);
}

KeyTableView::~KeyTableView()
{
    // Before the model, which it still shows, is destroyed with this object's members.
    setModel(nullptr);
}

void KeyTableView::setUpDelegates()
{
    auto *monospaced = new KeyCellDelegate(m_appearance, KeyCellDelegate::Font::Monospaced, this);
    setItemDelegate(monospaced);
    setItemDelegateForColumn(KeyTableModel::TypeColumn, new TypeDelegate(m_appearance, this));
    setItemDelegateForColumn(KeyTableModel::TimeLeftColumn, new CountdownDelegate(m_appearance, m_clock, this));
}

void KeyTableView::setUpColumns()
{
    QHeaderView *header = horizontalHeader();
    header->setMinimumSectionSize(60);
    header->setSectionResizeMode(QHeaderView::Fixed);
    header->setSectionResizeMode(KeyTableModel::KeyColumn, QHeaderView::Stretch);
    header->setSectionResizeMode(KeyTableModel::ValueColumn, m_isCompact ? QHeaderView::Fixed : QHeaderView::Stretch);
    if (m_isCompact)
        header->resizeSection(KeyTableModel::ValueColumn, compactValueWidth);
    header->resizeSection(KeyTableModel::TypeColumn, typeWidth);
    fitTimeLeft();
    header->resizeSection(KeyTableModel::EndColumn, endWidth);
    setColumnHidden(KeyTableModel::TypeColumn, m_isCompact);
    setColumnHidden(KeyTableModel::EndColumn, m_isCompact);
}

void KeyTableView::fitTimeLeft()
{
    const bool isNarrow = m_isCompact || width() < narrowTable;
    horizontalHeader()->resizeSection(KeyTableModel::TimeLeftColumn, isNarrow ? compactTimeLeftWidth : timeLeftWidth);
}

void KeyTableView::resizeEvent(QResizeEvent *event)
{
    if (m_model)
        fitTimeLeft();
    QTableView::resizeEvent(event);
}

void KeyTableView::paintEvent(QPaintEvent *event)
{
    base::leaveAvxState();
    const int rows = verticalHeader()->length() - verticalHeader()->offset();
    const int columns = horizontalHeader()->length() - horizontalHeader()->offset();
    const int left = isRightToLeft() ? viewport()->width() - columns : 0;
    const QRegion empty = event->region() - QRect(left, 0, columns, rows);
    if (m_model && !empty.isEmpty()) {
        QPainter painter(viewport());
        for (const QRect &rect : empty)
            painter.fillRect(rect, m_appearance.theme().surface);
    }
    QTableView::paintEvent(event);
}

void KeyTableView::setCompact(bool isCompact)
{
    m_isCompact = isCompact;
    if (m_model)
        setUpColumns();
}

void KeyTableView::setStore(rows::RowStore *store)
{
    setModel(nullptr);
    m_model.reset();
    // Cells paint every pixel of theirs and paintEvent() the rest. Without this, each frame of the countdown would fill
    // the backgrounds of the window, the page and the table first, one over the other, under all that it repaints.
    // Empty, there is no header, and the corners of the table, which are round, are the page's.
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent, store != nullptr);
    if (store == nullptr)
        return;
    m_model = std::make_unique<KeyTableModel>(*store, m_clock);
    setSortingEnabled(false); // The store keeps its order; a header that is switched on would ask for another one.
    setModel(m_model.get());
    setUpColumns();
    horizontalHeader()->setSortIndicator(KeyTableModel::TimeLeftColumn, Qt::AscendingOrder);
    setSortingEnabled(true);
    connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, &KeyTableView::choiceChanged);
    for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(m_model.get(), signal, m_ticker, &CountdownTicker::refresh);
    connect(m_model.get(), &QAbstractItemModel::rowsRemoved, this, &KeyTableView::choiceChanged);
    connect(m_model.get(), &QAbstractItemModel::dataChanged, m_ticker, &CountdownTicker::refresh);
    connect(m_model.get(), &QAbstractItemModel::layoutChanged, m_ticker, &CountdownTicker::refresh);
    m_ticker->refresh();
}

std::vector<keys::KeyId> KeyTableView::chosen(std::size_t most) const
{
    std::vector<keys::KeyId> ids;
    if (!m_model)
        return ids;
    // By ranges: everything may be chosen, and that may be a million rows.
    QItemSelection ranges = selectionModel()->selection();
    std::ranges::sort(ranges,
                      [](const QItemSelectionRange &x, const QItemSelectionRange &y) { return x.top() < y.top(); });
    for (const QItemSelectionRange &range : ranges) {
        for (int row = range.top(); row <= range.bottom() && ids.size() < most; ++row)
            ids.push_back(m_model->idAt(row));
    }
    return ids;
}

int KeyTableView::chosenCount() const
{
    int count = 0;
    if (m_model) {
        for (const QItemSelectionRange &range : selectionModel()->selection())
            count += range.height();
    }
    return count;
}

void KeyTableView::keyPressEvent(QKeyEvent *event)
{
    // QAbstractItemView would copy the cell's text; the page has actions for copying that know what a key is.
    if (event->matches(QKeySequence::Copy)) {
        event->ignore();
        return;
    }
    // Coming here by Tab gives the keyboard a row without choosing it: where there is no next one to go to, an arrow
    // chooses that one.
    QTableView::keyPressEvent(event);
    const bool isMove = event->key() == Qt::Key_Down || event->key() == Qt::Key_Up || event->key() == Qt::Key_Home
                     || event->key() == Qt::Key_End || event->key() == Qt::Key_PageDown
                     || event->key() == Qt::Key_PageUp;
    if (isMove && event->modifiers() == Qt::NoModifier && currentIndex().isValid()
        && !selectionModel()->isSelected(currentIndex()))
        selectRow(currentIndex().row());
}

QModelIndex KeyTableView::moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers)
{
    // By rows: a cell of its own is of no use to anybody here.
    if ((action == MoveHome || action == MoveEnd) && model() != nullptr)
        modifiers |= Qt::ControlModifier;
    return QTableView::moveCursor(action, modifiers);
}

} // namespace latchkey::ui::keytable
