// The choice and the widths of the columns of a KeyTableView.

#include "ui/views/keytable/keytableview.h"

#include <QHeaderView>
#include <QMenu>

#include <array>
#include <utility>

namespace latchkey::ui::keytable {

namespace {

constexpr int narrowestColumn = 60;
/// Least width of a column without a fixed width.
constexpr int narrowestStretched = 110;
/// Below this table width in pixels, columns use their narrow widths, to leave room for keys and values.
constexpr int narrowTable = 950;

} // namespace

void KeyTableView::setUpColumns()
{
    QHeaderView *header = horizontalHeader();
    header->setMinimumSectionSize(narrowestColumn);
    for (int column = 0; column < ColumnCount; ++column) {
        header->setSectionResizeMode(column, fixedWidth(column) ? QHeaderView::Fixed : QHeaderView::Stretch);
    }
    fitColumns();
}

bool KeyTableView::isWanted(int column) const
{
    const ColumnTraits &traits = traitsOf(column);
    if (m_isCompact)
        return traits.compact.has_value();
    if (const auto chosen = m_choice.constFind(column); chosen != m_choice.cend())
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
            needed += fixedWidth(column).value_or(narrowestStretched);
    }
    for (const int column : {EndColumn, TypeColumn, ValueColumn, HolderColumn, FindingsColumn, KindColumn}) {
        bool &isShown = shown[static_cast<std::size_t>(column)];
        if (needed <= width() || m_isCompact)
            break;
        if (std::exchange(isShown, false))
            needed -= fixedWidth(column).value_or(narrowestStretched);
    }
    for (int column = 0; column < ColumnCount; ++column) {
        if (const auto pixels = fixedWidth(column))
            horizontalHeader()->resizeSection(column, *pixels);
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
            m_choice.insert(column, isShown);
            setUpColumns();
        });
    }
    menu->popup(horizontalHeader()->mapToGlobal(at));
}

void KeyTableView::setCompact(bool isCompact)
{
    m_isCompact = isCompact;
    if (m_model)
        setUpColumns();
}

} // namespace latchkey::ui::keytable
