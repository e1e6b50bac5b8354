// The choice and the widths of the columns of a KeyTableView.

#include "ui/views/keytable/keytableview.h"

#include <QHeaderView>
#include <QMenu>

#include <QScopedValueRollback>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace latchkey::ui::keytable {

namespace {

constexpr int minColumnWidth = 60;
/// Least width of a column without a fixed width.
constexpr int minStretchedWidth = 110;
/// Below this table width in pixels, columns use their narrow widths, to leave room for keys and values.
constexpr int narrowTable = 950;

} // namespace

void KeyTableView::setUpColumns()
{
    const QScopedValueRollback fitting(m_isFitting, true);
    QHeaderView *header = horizontalHeader();
    header->setMinimumSectionSize(minColumnWidth);
    for (int column = 0; column < ColumnCount; ++column) {
        const auto mode = m_isCompact ? QHeaderView::Fixed : QHeaderView::Interactive;
        header->setSectionResizeMode(column, column == KeyColumn ? QHeaderView::Stretch : mode);
    }
    arrangeColumns();
    fitColumns();
}

/// Puts the columns in the chosen order, or in the usual one.
void KeyTableView::arrangeColumns()
{
    QList<int> order = m_choices.order;
    if (order.isEmpty()) {
        order.resize(ColumnCount);
        std::iota(order.begin(), order.end(), 0);
    }
    const QScopedValueRollback fitting(m_isFitting, true);
    QHeaderView *header = horizontalHeader();
    for (int place = 0; place < ColumnCount; ++place)
        header->moveSection(header->visualIndex(order[place]), place);
}

void KeyTableView::setColumnChoices(const ColumnChoices &choices)
{
    m_choices = choices;
    if (m_model)
        setUpColumns();
}

/// Returns the maximum width of a column at which the other columns keep their width and the keys their minimum width.
int KeyTableView::roomFor(int column) const
{
    int room = viewport()->width() - minStretchedWidth;
    for (int other = KeyColumn + 1; other < ColumnCount; ++other) {
        if (other != column && !isColumnHidden(other))
            room -= columnWidth(other);
    }
    return std::max(room, minColumnWidth);
}

void KeyTableView::columnResized(int column, int before, int after)
{
    // The column of the keys has the remaining room. A width of 0 is that of a hidden column.
    if (m_isFitting || m_isCompact || !m_model || column == KeyColumn || before == 0 || after == 0)
        return;
    const int width = std::min(after, roomFor(column));
    m_choices.widths[column] = width;
    Q_EMIT columnChoicesChanged();
    if (width == after)
        return;
    const QScopedValueRollback fitting(m_isFitting, true);
    horizontalHeader()->resizeSection(column, width);
}

void KeyTableView::columnMoved()
{
    if (m_isFitting || !m_model)
        return;
    m_choices.order.clear();
    for (int place = 0; place < ColumnCount; ++place)
        m_choices.order += horizontalHeader()->logicalIndex(place);
    Q_EMIT columnChoicesChanged();
}

bool KeyTableView::isWanted(int column) const
{
    const ColumnTraits &traits = traitsOf(column);
    if (m_isCompact)
        return traits.compact.has_value();
    if (const auto chosen = m_choices.shown.constFind(column); chosen != m_choices.shown.cend())
        return *chosen;
    switch (traits.subject) {
    case ColumnTraits::Subject::Keys:
        return !m_hasLocks || width() >= traits.besideLocksFrom;
    case ColumnTraits::Subject::Locks:
        return m_hasLocks;
    case ColumnTraits::Subject::Findings:
        return m_hasFindings;
    }
    Q_UNREACHABLE();
}

void KeyTableView::setHas(bool hasLocks, bool hasFindings)
{
    if (m_hasLocks == hasLocks && m_hasFindings == hasFindings)
        return;
    m_hasLocks = hasLocks;
    m_hasFindings = hasFindings;
    if (m_model)
        setUpColumns();
}

std::optional<int> KeyTableView::fixedWidth(int column) const
{
    const ColumnTraits &traits = traitsOf(column);
    if (const auto chosen = m_choices.widths.constFind(column); chosen != m_choices.widths.cend() && !m_isCompact)
        return *chosen;
    const ColumnTraits::Widths widths = m_isCompact ? traits.compact.value_or(traits.widths) : traits.widths;
    if (traits.besideLocks && m_hasLocks && !m_isCompact)
        return traits.besideLocks;
    return width() < narrowTable ? widths.narrow : widths.usual;
}

/// Hides columns that do not fit, because the table cannot scroll sideways. The least important column is hidden first,
/// and returns when there is room. The key and its remaining time are always shown.
void KeyTableView::fitColumns()
{
    std::array<bool, ColumnCount> shown {};
    int needed = 0;
    for (int column = 0; column < ColumnCount; ++column) {
        shown[static_cast<std::size_t>(column)] = isWanted(column);
        if (isWanted(column))
            needed += fixedWidth(column).value_or(minStretchedWidth);
    }
    for (const int column : {EndColumn, TypeColumn, ValueColumn, HolderColumn, FindingsColumn, KindColumn}) {
        bool &isShown = shown[static_cast<std::size_t>(column)];
        if (needed <= width() || m_isCompact)
            break;
        if (std::exchange(isShown, false))
            needed -= fixedWidth(column).value_or(minStretchedWidth);
    }
    // Columns without a width share the room with the keys.
    int room = viewport()->width();
    int sharing = 0;
    for (int column = 0; column < ColumnCount; ++column) {
        if (shown[static_cast<std::size_t>(column)]) {
            room -= fixedWidth(column).value_or(0);
            sharing += fixedWidth(column) ? 0 : 1;
        }
    }
    const QScopedValueRollback fitting(m_isFitting, true);
    for (int column = 0; column < ColumnCount; ++column) {
        if (column != KeyColumn)
            horizontalHeader()->resizeSection(
                column, fixedWidth(column).value_or(std::max(minColumnWidth, room / std::max(1, sharing))));
        if (const bool isHidden = !shown[static_cast<std::size_t>(column)]; isHidden != isColumnHidden(column))
            setColumnHidden(column, isHidden);
    }
}

void KeyTableView::showColumnMenu(const QPoint &at)
{
    auto *menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("columnMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (int column = KeyColumn + 1; column < ColumnCount; ++column) {
        QAction *action = menu->addAction(traitsOf(column).title());
        action->setCheckable(true);
        action->setChecked(!isColumnHidden(column));
        connect(action, &QAction::toggled, this, [this, column](bool isShown) {
            m_choices.shown.insert(column, isShown);
            setUpColumns();
            Q_EMIT columnChoicesChanged();
        });
    }
    menu->addSeparator();
    QAction *reset = menu->addAction(tr("Reset columns"));
    reset->setObjectName(QStringLiteral("resetColumns"));
    reset->setEnabled(!m_choices.isEmpty());
    connect(reset, &QAction::triggered, this, [this] {
        setColumnChoices({});
        Q_EMIT columnChoicesChanged();
    });
    menu->popup(horizontalHeader()->mapToGlobal(at));
}

void KeyTableView::setCompact(bool isCompact)
{
    m_isCompact = isCompact;
    if (m_model)
        setUpColumns();
}

} // namespace latchkey::ui::keytable
