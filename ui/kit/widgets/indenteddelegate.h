#pragma once

#include <QStyledItemDelegate>

namespace latchkey::ui::widgets {

/// A delegate that aligns the content of cells with the text of the header. Owned by the list that it draws.
class IndentedDelegate final : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        constexpr int indent = 9;
        QStyleOptionViewItem inner(option);
        inner.rect.adjust(indent, 0, -indent, 0);
        QStyledItemDelegate::paint(painter, inner, index);
    }
};

} // namespace latchkey::ui::widgets
