#include "ui/pages/playground/flowlayout.h"

#include <QStyle>
#include <QWidget>

#include <algorithm>

namespace latchkey::ui::playground {

FlowLayout::FlowLayout(int spacing, QWidget *parent)
    : QLayout(parent)
{
    setSpacing(spacing);
    setContentsMargins(0, 0, 0, 0);
}

FlowLayout::~FlowLayout()
{
    qDeleteAll(m_items);
}

void FlowLayout::addItem(QLayoutItem *item)
{
    const auto isEmpty = [](QLayoutItem *each) { return each->spacerItem() != nullptr; };
    if (const auto found = std::ranges::find_if(m_items, isEmpty); found != m_items.end())
        delete std::exchange(*found, item);
    else
        m_items += item;
    invalidate();
}

void FlowLayout::removeKeepingCell(QWidget &widget)
{
    const auto found = std::ranges::find_if(m_items, [&](QLayoutItem *item) { return item->widget() == &widget; });
    if (found == m_items.end())
        return;
    delete std::exchange(*found, new QSpacerItem(widget.minimumSizeHint().width(), widget.height()));
    while (!m_items.isEmpty() && m_items.back()->spacerItem() != nullptr)
        delete m_items.takeLast();
    invalidate();
}

QLayoutItem *FlowLayout::takeAt(int index)
{
    return index >= 0 && index < m_items.size() ? m_items.takeAt(index) : nullptr;
}

int FlowLayout::heightForWidth(int width) const
{
    return positionItems(QRect(0, 0, width, 0)).height;
}

void FlowLayout::setGeometry(const QRect &rect)
{
    QLayout::setGeometry(rect);
    const Positions positions = positionItems(rect);
    m_rowWidth = rect.width();
    m_rowHeights = positions.rowHeights;
    const Qt::LayoutDirection direction =
        parentWidget() == nullptr ? Qt::LeftToRight : parentWidget()->layoutDirection();
    for (qsizetype i = 0; i < m_items.size(); ++i)
        m_items[i]->setGeometry(QStyle::visualRect(direction, rect, positions.items[i]));
}

QSize FlowLayout::minimumSize() const
{
    QSize size;
    for (const QLayoutItem *item : m_items)
        size = size.expandedTo(item->minimumSize());
    return size;
}

FlowLayout::Positions FlowLayout::positionItems(const QRect &rect) const
{
    int widest = 1;
    for (const QLayoutItem *item : m_items)
        widest = std::max(widest, item->minimumSize().width());
    const int columns = std::max(1, (rect.width() + spacing()) / (widest + spacing()));
    const int width = (rect.width() - (columns - 1) * spacing()) / columns;

    Positions positions;
    int y = rect.top();
    for (qsizetype first = 0; first < m_items.size(); first += columns) {
        const qsizetype end = std::min<qsizetype>(m_items.size(), first + columns);
        int height = rect.width() == m_rowWidth ? m_rowHeights.value(first / columns) : 0;
        for (qsizetype i = first; i < end; ++i)
            height = std::max(height, m_items[i]->hasHeightForWidth() ? m_items[i]->heightForWidth(width)
                                                                      : m_items[i]->sizeHint().height());
        for (qsizetype i = first; i < end; ++i)
            positions.items += QRect(rect.left() + static_cast<int>(i - first) * (width + spacing()), y, width, height);
        positions.rowHeights += height;
        y += height + spacing();
    }
    positions.height = m_items.isEmpty() ? 0 : y - spacing() - rect.top();
    return positions;
}

} // namespace latchkey::ui::playground
