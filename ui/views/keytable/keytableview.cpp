#include "ui/views/keytable/keytableview.h"

#include "core/foundation/base/avxstate.h"
#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/views/keytable/keydelegates.h"

#include <QAction>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>

namespace latchkey::ui::keytable {

namespace {

constexpr int rowPixels = 36;

/// Maximum time without changes under a pressed button. After that, current rows matter more than stable ones.
constexpr auto longestHold = std::chrono::seconds(10);

bool asksForMenu(const QKeyEvent &event)
{
    return event.key() == Qt::Key_Menu
        || (event.key() == Qt::Key_F10 && event.modifiers() == Qt::KeyboardModifiers(Qt::ShiftModifier));
}

} // namespace

KeyTableView::KeyTableView(theme::Appearance &appearance, const base::Clock &clock, QWidget *parent)
    : QTableView(parent)
    , m_appearance(appearance)
    , m_time(clock)
    , m_ticker(new CountdownTicker(*this, {TimeLeftColumn}, m_time))
{
    setObjectName(QStringLiteral("leaseTable"));
    setAccessibleName(tr("Keys and their TTLs"));
    setShowGrid(false);
    setFrameShape(QFrame::NoFrame);
    setSelectionBehavior(SelectRows);
    setSelectionMode(ExtendedSelection);
    setEditTriggers(NoEditTriggers);
    setTabKeyNavigation(false);
    setWordWrap(false);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setDefaultSectionSize(rowPixels);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setContextMenuPolicy(Qt::CustomContextMenu);
    horizontalHeader()->setSectionsMovable(true);
    horizontalHeader()->setFirstSectionMovable(false); // The groups are in the column of the keys.
    connect(horizontalHeader(), &QWidget::customContextMenuRequested, this, &KeyTableView::showColumnMenu);
    connect(horizontalHeader(), &QHeaderView::sectionResized, this, &KeyTableView::columnResized);
    connect(horizontalHeader(), &QHeaderView::sectionMoved, this, &KeyTableView::columnMoved);
    setUpDelegates();
    setUpSorting();
    m_holdTimer.setSingleShot(true);
    m_holdTimer.setInterval(longestHold);
    connect(&m_holdTimer, &QTimer::timeout, this, &KeyTableView::releaseRows);
    connect(&m_appearance, &theme::Appearance::changed, this, [this] { viewport()->update(); });
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this,
            [this] { horizontalHeader()->headerDataChanged(Qt::Horizontal, 0, ColumnCount - 1); });
    connect(this, &QAbstractItemView::clicked, this, &KeyTableView::toggleGroup);
    connect(this, &QAbstractItemView::clicked, this, [this](const QModelIndex &index) {
        if (index.column() == FindingsColumn && !index.data().toString().isEmpty())
            Q_EMIT detailsRequested();
    });
    connect(this, &QAbstractItemView::doubleClicked, this, [this](const QModelIndex &index) {
        if (m_model->idAt(index.row()))
            Q_EMIT detailsRequested();
    });
    connect(verticalScrollBar(), &QScrollBar::valueChanged, m_ticker, &CountdownTicker::refresh);
}

KeyTableView::~KeyTableView()
{
    // The view must release the model before the members of this object are destroyed.
    setModel(nullptr);
}

void KeyTableView::setUpDelegates()
{
    setItemDelegate(new KeyCellDelegate(m_appearance, m_time, this));
    for (int column = 0; column < ColumnCount; ++column) {
        switch (traitsOf(column).cell) {
        case ColumnTraits::Cell::Text:
            break;
        case ColumnTraits::Cell::Kind:
            setItemDelegateForColumn(column, new KindDelegate(m_appearance, m_time, this));
            break;
        case ColumnTraits::Cell::Holder:
            setItemDelegateForColumn(column, new HolderDelegate(m_appearance, m_time, this));
            break;
        case ColumnTraits::Cell::Findings:
            setItemDelegateForColumn(column, new FindingsDelegate(m_appearance, m_time, this));
            break;
        case ColumnTraits::Cell::Type:
            setItemDelegateForColumn(column, new TypeDelegate(m_appearance, m_time, this));
            break;
        case ColumnTraits::Cell::Countdown:
            setItemDelegateForColumn(column, new CountdownDelegate(m_appearance, m_time, this));
            break;
        }
    }
}

void KeyTableView::setUpSorting()
{
    for (int column = 0; column < ColumnCount; ++column) {
        auto *action = new QAction(traitsOf(column).title(), this);
        action->setShortcut(QKeySequence(Qt::ALT | static_cast<Qt::Key>(Qt::Key_1 + column)));
        action->setShortcutContext(Qt::WidgetShortcut);
        connect(action, &QAction::triggered, this, [this, column] {
            const QHeaderView *header = horizontalHeader();
            const bool turnsRound =
                header->sortIndicatorSection() == column && header->sortIndicatorOrder() == Qt::AscendingOrder;
            sortByColumn(column, turnsRound ? Qt::DescendingOrder : Qt::AscendingOrder);
        });
        addAction(action);
        m_sortActions += action;
    }
    m_columnsAction = new QAction(tr("Columns"), this);
    m_columnsAction->setObjectName(QStringLiteral("chooseColumns"));
    m_columnsAction->setShortcut(QKeySequence(Qt::ALT | Qt::Key_0));
    m_columnsAction->setShortcutContext(Qt::WidgetShortcut);
    connect(m_columnsAction, &QAction::triggered, this, [this] { showColumnMenu({}); });
    addAction(m_columnsAction);
}

void KeyTableView::resizeEvent(QResizeEvent *event)
{
    if (m_model)
        fitColumns();
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

void KeyTableView::setRows(rows::RowList *rows)
{
    releaseRows();
    m_selectionRestorer.reset();
    setModel(nullptr);
    m_model.reset();
    m_time.freeze(std::nullopt);
    // The cells and paintEvent() paint every pixel. Without this attribute, each frame of the countdown would first
    // fill the backgrounds of the window, the page and the table. An empty table has no header and rounded corners,
    // which the page must paint.
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent, rows != nullptr);
    if (rows == nullptr)
        return;
    m_model = std::make_unique<KeyTableModel>(*rows, m_time);
    m_model->setRenewals(m_renewals);
    m_model->setKindSigns(m_kindSigns);
    setSortingEnabled(false); // The store keeps its order; enabling sorting would request another one.
    setModel(m_model.get());
    setUpColumns();
    horizontalHeader()->setSortIndicator(KeyTableModel::TimeLeftColumn, Qt::AscendingOrder);
    setSortingEnabled(true);
    connectModel();
    m_model->setGrouping(m_grouping);
    m_ticker->refresh();
}

void KeyTableView::connectModel()
{
    m_selectionRestorer = std::make_unique<SelectionRestorer>(*this, *m_model);
    connect(&m_model->grouped(), &rows::GroupedRows::groupingDropped, this, &KeyTableView::groupingDropped);
    connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, &KeyTableView::choiceChanged);
    for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(m_model.get(), signal, m_ticker, &CountdownTicker::refresh);
    connect(m_model.get(), &QAbstractItemModel::rowsRemoved, this, &KeyTableView::choiceChanged);
    connect(m_model.get(), &QAbstractItemModel::dataChanged, m_ticker, &CountdownTicker::refresh);
    connect(m_model.get(), &QAbstractItemModel::layoutChanged, m_ticker, &CountdownTicker::refresh);
    connect(m_model.get(), &QAbstractItemModel::dataChanged, this, &KeyTableView::showFieldsRoom);
    connect(m_model.get(), &QAbstractItemModel::rowsRemoved, this, &KeyTableView::showFieldsRoom);
}

void KeyTableView::setGrouping(rows::Grouping grouping)
{
    m_grouping = grouping;
    if (m_model)
        m_model->setGrouping(grouping);
}

void KeyTableView::showAsOf(std::optional<base::MonotonicTime> moment)
{
    if (moment.has_value() == m_time.isFrozen() && (!moment || *moment == m_time.now()))
        return;
    m_time.freeze(moment);
    m_ticker->refresh();
    viewport()->update();
}

QList<QByteArray> KeyTableView::awaited() const
{
    return m_selectionRestorer ? m_selectionRestorer->awaited() : QList<QByteArray>();
}

KeyTableView::ViewState KeyTableView::viewState() const
{
    ViewState viewState;
    if (!m_model)
        return viewState;
    for (const keys::KeyId id : chosen(static_cast<std::size_t>(SelectionRestorer::most)))
        viewState.chosen += m_model->rows().known().table.key(id).toByteArray();
    viewState.chosen += awaited();
    viewState.sortedBy = horizontalHeader()->sortIndicatorSection();
    viewState.order = horizontalHeader()->sortIndicatorOrder();
    return viewState;
}

void KeyTableView::goTo(const ViewState &viewState)
{
    if (!m_model)
        return;
    if (viewState.sortedBy)
        sortByColumn(*viewState.sortedBy, viewState.order);
    m_selectionRestorer->await(viewState.chosen);
}

/// Calls `takes` for the selected rows from top to bottom, until it returns false. Works on ranges, because a million
/// rows may be selected.
void KeyTableView::forChosenRows(const std::function<bool(int row)> &takes) const
{
    if (!m_model)
        return;
    QItemSelection ranges = selectionModel()->selection();
    std::ranges::sort(ranges,
                      [](const QItemSelectionRange &x, const QItemSelectionRange &y) { return x.top() < y.top(); });
    for (const QItemSelectionRange &range : ranges) {
        for (int row = range.top(); row <= range.bottom(); ++row) {
            if (!takes(row))
                return;
        }
    }
}

std::vector<keys::KeyId> KeyTableView::chosen(std::size_t most) const
{
    std::vector<keys::KeyId> ids;
    if (most == 0)
        return ids;
    forChosenRows([&](int row) {
        // The rows of a key and its fields are adjacent.
        if (const auto id = m_model->idAt(row); id && (ids.empty() || ids.back() != *id))
            ids.push_back(*id);
        return ids.size() < most;
    });
    return ids;
}

QByteArrayList KeyTableView::chosenNames(std::size_t most) const
{
    QByteArrayList names;
    forChosenRows([&](int row) {
        const rows::GroupedRows::Item item = m_model->grouped().itemAt(row);
        if (item.field && !item.field->isRest)
            names += item.field->name;
        else if (item.id && !item.field)
            names += m_model->rows().known().table.key(*item.id).toByteArray();
        return static_cast<std::size_t>(names.size()) < most;
    });
    return names;
}

int KeyTableView::chosenCount() const
{
    int count = 0;
    if (m_model) {
        for (const QItemSelectionRange &range : selectionModel()->selection())
            count += range.height();
        const rows::GroupedRows &grouped = m_model->grouped();
        if (const auto &groups = grouped.groups()) { // Rows of groups do not count.
            for (const rows::RowGroups::Group &group : groups->groups())
                count -=
                    selectionModel()->isRowSelected(grouped.rowOf({std::nullopt, group.prefix, std::nullopt})) ? 1 : 0;
        }
        for (const rows::ExpandedKeys::Open &open :
             grouped.opened().all()) { // Rows of fields count only once per key, and
                                       // only if the row of the key is not selected.
            int fields = 0;
            for (int row = open.row + 1; open.isShown() && row <= open.row + open.fieldCount(); ++row)
                fields += selectionModel()->isRowSelected(row) ? 1 : 0;
            count -= fields > 0 && !selectionModel()->isRowSelected(open.row) ? fields - 1 : fields;
        }
    }
    return count;
}

void KeyTableView::keyPressEvent(QKeyEvent *event)
{
    // QAbstractItemView would copy the text of the cell. The page has its own copy actions for keys.
    if (event->matches(QKeySequence::Copy)) {
        event->ignore();
        return;
    }
    if (asksForMenu(*event)) {
        Q_EMIT contextMenuRequested(menuPlace());
        return;
    }
    if (foldByKey(*event))
        return;
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (isEnter && m_model && currentIndex().isValid() && m_model->idAt(currentIndex().row())) {
        selectRow(currentIndex().row());
        Q_EMIT detailsRequested();
        return;
    }
    // Tab into the table sets a current row without selecting it. If an arrow key cannot move further, it selects the
    // current row.
    QTableView::keyPressEvent(event);
    const bool isMove = event->key() == Qt::Key_Down || event->key() == Qt::Key_Up || event->key() == Qt::Key_Home
                     || event->key() == Qt::Key_End || event->key() == Qt::Key_PageDown
                     || event->key() == Qt::Key_PageUp;
    if (isMove && event->modifiers() == Qt::NoModifier && currentIndex().isValid()
        && !selectionModel()->isSelected(currentIndex()))
        selectionModel()->select(currentIndex(), QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

void KeyTableView::contextMenuEvent(QContextMenuEvent *event)
{
    releaseRows(); // The menu acts on the selection.
    Q_EMIT contextMenuRequested(event->reason() == QContextMenuEvent::Mouse ? event->globalPos() : menuPlace());
    event->accept();
}

/// Returns the position of the menu: below the start of the current row, limited to the visible area.
QPoint KeyTableView::menuPlace() const
{
    const QRect row = visualRect(currentIndex());
    const QRect seen = viewport()->rect();
    const QPoint corner = isRightToLeft() ? row.bottomRight() : row.bottomLeft();
    return viewport()->mapToGlobal(
        QPoint(std::clamp(corner.x(), seen.left(), seen.right()), std::clamp(corner.y(), seen.top(), seen.bottom())));
}

QModelIndex KeyTableView::moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers)
{
    // The cursor moves by rows, because single cells have no function.
    if ((action == MoveHome || action == MoveEnd) && model() != nullptr)
        modifiers |= Qt::ControlModifier;
    return QTableView::moveCursor(action, modifiers);
}

} // namespace latchkey::ui::keytable
