#include "ui/clients/flowlayout.h"

namespace latchkey::ui::clients {

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
    m_items += item;
}

QLayoutItem *FlowLayout::takeAt(int index)
{
    return index >= 0 && index < m_items.size() ? m_items.takeAt(index) : nullptr;
}

int FlowLayout::heightForWidth(int width) const
{
    return arrange(QRect(0, 0, width, 0), false);
}

void FlowLayout::setGeometry(const QRect &rect)
{
    QLayout::setGeometry(rect);
    (void)arrange(rect, true);
}

QSize FlowLayout::minimumSize() const
{
    QSize size;
    for (const QLayoutItem *item : m_items)
        size = size.expandedTo(item->minimumSize());
    return size;
}

int FlowLayout::arrange(const QRect &rect, bool places) const
{
    int widest = 1;
    for (const QLayoutItem *item : m_items)
        widest = std::max(widest, item->minimumSize().width());
    const int columns = std::max(1, (rect.width() + spacing()) / (widest + spacing()));
    const int width = (rect.width() - (columns - 1) * spacing()) / columns;

    int y = rect.top();
    for (qsizetype first = 0; first < m_items.size(); first += columns) {
        const qsizetype end = std::min<qsizetype>(m_items.size(), first + columns);
        int height = 0;
        for (qsizetype i = first; i < end; ++i)
            height = std::max(height, m_items[i]->hasHeightForWidth() ? m_items[i]->heightForWidth(width)
                                                                      : m_items[i]->sizeHint().height());
        for (qsizetype i = first; places && i < end; ++i)
            m_items[i]->setGeometry(
                QRect(rect.left() + static_cast<int>(i - first) * (width + spacing()), y, width, height));
        y += height + spacing();
    }
    return m_items.isEmpty() ? 0 : y - spacing() - rect.top();
}

} // namespace latchkey::ui::clients
