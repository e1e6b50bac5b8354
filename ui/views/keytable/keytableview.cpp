#include "ui/views/keytable/keytableview.h"

#include "core/foundation/base/avxstate.h"
#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/views/keytable/keycolumnlayout.h"
#include "ui/views/keytable/keydelegates.h"
#include "ui/views/keytable/keyselection.h"
#include "ui/views/keytable/rowexpander.h"
#include "ui/views/keytable/rowsuspension.h"

#include <QAction>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <utility>

namespace latchkey::ui::keytable {

namespace {

constexpr int rowPixels = 36;

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
    , m_columns(new KeyColumnLayout(*this))
{
    setObjectName(QStringLiteral("leaseTable"));
    setAccessibleName(tr("Keys and their TTLs"));
    setUpAppearance();
    setUpDelegates();
    setUpSorting();
    connect(m_columns, &KeyColumnLayout::choicesChanged, this, &KeyTableView::columnChoicesChanged);
    connect(&m_appearance, &theme::Appearance::changed, this, [this] { viewport()->update(); });
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this,
            [this] { horizontalHeader()->headerDataChanged(Qt::Horizontal, 0, ColumnCount - 1); });
    connect(this, &QAbstractItemView::clicked, this, &KeyTableView::rowClicked);
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

void KeyTableView::setUpAppearance()
{
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
    connect(m_columnsAction, &QAction::triggered, this, [this] { m_columns->showMenu({}); });
    addAction(m_columnsAction);
}

void KeyTableView::resizeEvent(QResizeEvent *event)
{
    if (m_model)
        m_columns->fit();
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
    m_suspension.reset();
    m_expander.reset();
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
    m_columns->setUp();
    horizontalHeader()->setSortIndicator(KeyTableModel::TimeLeftColumn, Qt::AscendingOrder);
    setSortingEnabled(true);
    connectModel();
    m_model->setGrouping(m_grouping);
    m_ticker->refresh();
}

void KeyTableView::connectModel()
{
    m_selectionRestorer = std::make_unique<SelectionRestorer>(*this, *m_model);
    m_expander = std::make_unique<RowExpander>(*this, *m_model);
    m_suspension = std::make_unique<RowSuspension>(m_model->rows());
    connect(&m_model->grouped(), &rows::GroupedRows::groupingDropped, this, &KeyTableView::groupingDropped);
    connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, &KeyTableView::selectedKeysChanged);
    for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(m_model.get(), signal, m_ticker, &CountdownTicker::refresh);
    connect(m_model.get(), &QAbstractItemModel::rowsRemoved, this, &KeyTableView::selectedKeysChanged);
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

void KeyTableView::freezeAt(std::optional<base::MonotonicTime> moment)
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
    for (const keys::KeyId id : selectedKeys(static_cast<std::size_t>(SelectionRestorer::maxKeys)))
        viewState.selectedKeys += m_model->rows().known().table.key(id).toByteArray();
    viewState.selectedKeys += awaited();
    viewState.sortedBy = horizontalHeader()->sortIndicatorSection();
    viewState.order = horizontalHeader()->sortIndicatorOrder();
    return viewState;
}

void KeyTableView::restoreViewState(const ViewState &viewState)
{
    if (!m_model)
        return;
    if (viewState.sortedBy)
        sortByColumn(*viewState.sortedBy, viewState.order);
    m_selectionRestorer->await(viewState.selectedKeys);
}

std::vector<keys::KeyId> KeyTableView::selectedKeys(std::size_t maximum) const
{
    return m_model ? KeySelection(*selectionModel(), *m_model).keys(maximum) : std::vector<keys::KeyId>();
}

QByteArrayList KeyTableView::selectedNames(std::size_t maximum) const
{
    return m_model ? KeySelection(*selectionModel(), *m_model).names(maximum) : QByteArrayList();
}

int KeyTableView::selectedCount() const
{
    return m_model ? KeySelection(*selectionModel(), *m_model).count() : 0;
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
    if (m_expander && m_expander->handleKey(*event))
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

void KeyTableView::mousePressEvent(QMouseEvent *event)
{
    if (m_expander && m_expander->handlePress(*event))
        return;
    holdRows();
    QTableView::mousePressEvent(event);
}

void KeyTableView::mouseReleaseEvent(QMouseEvent *event)
{
    QTableView::mouseReleaseEvent(event);
    if (event->buttons() == Qt::NoButton)
        releaseRows();
}

void KeyTableView::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (m_expander && m_expander->handlePress(*event))
        return;
    holdRows();
    QTableView::mouseDoubleClickEvent(event);
}

/// Releases the rows. A menu or dialog that opens receives the release of the button instead of this widget.
void KeyTableView::focusOutEvent(QFocusEvent *event)
{
    releaseRows();
    QTableView::focusOutEvent(event);
}

void KeyTableView::hideEvent(QHideEvent *event)
{
    releaseRows();
    QTableView::hideEvent(event);
}

void KeyTableView::holdRows()
{
    if (m_suspension)
        m_suspension->begin();
}

void KeyTableView::releaseRows()
{
    if (m_suspension)
        m_suspension->end();
}

/// Folds or unfolds a group, or shows the findings.
void KeyTableView::rowClicked(const QModelIndex &index)
{
    m_expander->toggleGroup(index);
    if (index.column() == FindingsColumn && !index.data().toString().isEmpty())
        Q_EMIT detailsRequested();
}

/// Repaints all rows when the first key gets expiring fields: every row then leaves room for the mark.
void KeyTableView::showFieldsRoom()
{
    const bool hasFields = m_model && !m_model->rows().known().fieldEnds.isEmpty();
    if (std::exchange(m_hasFields, hasFields) != hasFields)
        viewport()->update();
}

void KeyTableView::setCompact(bool isCompact)
{
    m_columns->setCompact(isCompact);
}

void KeyTableView::setHasLocksAndFindings(bool hasLocks, bool hasFindings)
{
    m_columns->setHasLocksAndFindings(hasLocks, hasFindings);
}

const ColumnChoices &KeyTableView::columnChoices() const
{
    return m_columns->choices();
}

void KeyTableView::setColumnChoices(const ColumnChoices &choices)
{
    m_columns->setChoices(choices);
}

} // namespace latchkey::ui::keytable
