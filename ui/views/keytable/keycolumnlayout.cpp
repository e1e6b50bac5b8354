#include "ui/views/keytable/keycolumnlayout.h"

#include "ui/views/keytable/keycolumns.h"

#include <QHeaderView>
#include <QMenu>
#include <QScopedValueRollback>
#include <QTableView>

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

KeyColumnLayout::KeyColumnLayout(QTableView &view)
    : QObject(&view)
    , m_view(view)
{
    QHeaderView *header = m_view.horizontalHeader();
    header->setHighlightSections(false);
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    header->setSectionsMovable(true);
    header->setFirstSectionMovable(false); // The groups are in the column of the keys.
    connect(header, &QWidget::customContextMenuRequested, this, &KeyColumnLayout::showMenu);
    connect(header, &QHeaderView::sectionResized, this, &KeyColumnLayout::columnResized);
    connect(header, &QHeaderView::sectionMoved, this, &KeyColumnLayout::columnMoved);
}

bool KeyColumnLayout::hasModel() const
{
    return m_view.model() != nullptr;
}

void KeyColumnLayout::setUp()
{
    const QScopedValueRollback fitting(m_isFitting, true);
    QHeaderView *header = m_view.horizontalHeader();
    header->setMinimumSectionSize(minColumnWidth);
    for (int column = 0; column < ColumnCount; ++column) {
        const auto mode = m_isCompact ? QHeaderView::Fixed : QHeaderView::Interactive;
        header->setSectionResizeMode(column, column == KeyColumn ? QHeaderView::Stretch : mode);
    }
    setUpLayout();
    fit();
}

/// Puts the columns in the chosen order, or in the usual one.
void KeyColumnLayout::setUpLayout()
{
    QList<int> order = m_choices.order;
    if (order.isEmpty()) {
        order.resize(ColumnCount);
        std::iota(order.begin(), order.end(), 0);
    }
    const QScopedValueRollback fitting(m_isFitting, true);
    QHeaderView *header = m_view.horizontalHeader();
    for (int index = 0; index < ColumnCount; ++index)
        header->moveSection(header->visualIndex(order[index]), index);
}

void KeyColumnLayout::setChoices(const ColumnChoices &choices)
{
    m_choices = choices;
    if (hasModel())
        setUp();
}

/// Returns the maximum width of a column at which the other columns keep their width and the keys their minimum width.
int KeyColumnLayout::roomFor(int column) const
{
    int room = m_view.viewport()->width() - minStretchedWidth;
    for (int other = KeyColumn + 1; other < ColumnCount; ++other) {
        if (other != column && !m_view.isColumnHidden(other))
            room -= m_view.columnWidth(other);
    }
    return std::max(room, minColumnWidth);
}

void KeyColumnLayout::columnResized(int column, int before, int after)
{
    // The column of the keys has the remaining room. A width of 0 is that of a hidden column.
    if (m_isFitting || m_isCompact || !hasModel() || column == KeyColumn || before == 0 || after == 0)
        return;
    const int width = std::min(after, roomFor(column));
    m_choices.widths[column] = width;
    Q_EMIT choicesChanged();
    if (width == after)
        return;
    const QScopedValueRollback fitting(m_isFitting, true);
    m_view.horizontalHeader()->resizeSection(column, width);
}

void KeyColumnLayout::columnMoved()
{
    if (m_isFitting || !hasModel())
        return;
    m_choices.order.clear();
    for (int index = 0; index < ColumnCount; ++index)
        m_choices.order += m_view.horizontalHeader()->logicalIndex(index);
    Q_EMIT choicesChanged();
}

bool KeyColumnLayout::isWanted(int column) const
{
    const ColumnTraits &traits = traitsOf(column);
    if (m_isCompact)
        return traits.compact.has_value();
    if (const auto chosen = m_choices.shown.constFind(column); chosen != m_choices.shown.cend())
        return *chosen;
    switch (traits.subject) {
    case ColumnTraits::Subject::Keys:
        return !m_hasLocks || m_view.width() >= traits.besideLocksFrom;
    case ColumnTraits::Subject::Locks:
        return m_hasLocks;
    case ColumnTraits::Subject::Findings:
        return m_hasFindings;
    }
    Q_UNREACHABLE();
}

void KeyColumnLayout::setHasLocksAndFindings(bool hasLocks, bool hasFindings)
{
    if (m_hasLocks == hasLocks && m_hasFindings == hasFindings)
        return;
    m_hasLocks = hasLocks;
    m_hasFindings = hasFindings;
    if (hasModel())
        setUp();
}

std::optional<int> KeyColumnLayout::fixedWidth(int column) const
{
    const ColumnTraits &traits = traitsOf(column);
    if (const auto chosen = m_choices.widths.constFind(column); chosen != m_choices.widths.cend() && !m_isCompact)
        return *chosen;
    const ColumnTraits::Widths widths = m_isCompact ? traits.compact.value_or(traits.widths) : traits.widths;
    if (traits.besideLocks && m_hasLocks && !m_isCompact)
        return traits.besideLocks;
    return m_view.width() < narrowTable ? widths.narrow : widths.usual;
}

/// Hides columns that do not fit, because the table cannot scroll sideways. The least important column is hidden first,
/// and returns when there is room. The key and its remaining time are always shown.
void KeyColumnLayout::fit()
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
        if (needed <= m_view.width() || m_isCompact)
            break;
        if (std::exchange(isShown, false))
            needed -= fixedWidth(column).value_or(minStretchedWidth);
    }
    // Columns without a width share the room with the keys.
    int room = m_view.viewport()->width();
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
            m_view.horizontalHeader()->resizeSection(
                column, fixedWidth(column).value_or(std::max(minColumnWidth, room / std::max(1, sharing))));
        if (const bool isHidden = !shown[static_cast<std::size_t>(column)]; isHidden != m_view.isColumnHidden(column))
            m_view.setColumnHidden(column, isHidden);
    }
}

void KeyColumnLayout::showMenu(const QPoint &at)
{
    auto *menu = new QMenu(&m_view);
    menu->setObjectName(QStringLiteral("columnMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (int column = KeyColumn + 1; column < ColumnCount; ++column) {
        QAction *action = menu->addAction(traitsOf(column).title());
        action->setCheckable(true);
        action->setChecked(!m_view.isColumnHidden(column));
        connect(action, &QAction::toggled, this, [this, column](bool isShown) {
            m_choices.shown.insert(column, isShown);
            setUp();
            Q_EMIT choicesChanged();
        });
    }
    menu->addSeparator();
    QAction *reset = menu->addAction(tr("Reset columns"));
    reset->setObjectName(QStringLiteral("resetColumns"));
    reset->setEnabled(!m_choices.isEmpty());
    connect(reset, &QAction::triggered, this, [this] {
        setChoices({});
        Q_EMIT choicesChanged();
    });
    menu->popup(m_view.horizontalHeader()->mapToGlobal(at));
}

void KeyColumnLayout::setCompact(bool isCompact)
{
    m_isCompact = isCompact;
    if (hasModel())
        setUp();
}

} // namespace latchkey::ui::keytable
