#pragma once

#include <QApplication>
#include <QStyledItemDelegate>

namespace latchkey::ui::widgets {

/// A delegate that aligns the content of cells with the text of the header. Owned by the list that it draws.
class IndentedDelegate final : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        // The background of a selected row has no gaps between the cells.
        const QStyle *style = option.widget != nullptr ? option.widget->style() : QApplication::style();
        style->drawPrimitive(QStyle::PE_PanelItemViewItem, &option, painter, option.widget);
        QStyledItemDelegate::paint(painter, indented(option), index);
    }

protected:
    /// Handles a click on a check box at the position where it is painted.
    bool editorEvent(QEvent *event, QAbstractItemModel *model, const QStyleOptionViewItem &option,
                     const QModelIndex &index) override
    {
        return QStyledItemDelegate::editorEvent(event, model, indented(option), index);
    }

private:
    [[nodiscard]] static QStyleOptionViewItem indented(const QStyleOptionViewItem &option)
    {
        constexpr int indent = 9;
        QStyleOptionViewItem inner(option);
        inner.rect.adjust(indent, 0, -indent, 0);
        return inner;
    }
};

} // namespace latchkey::ui::widgets
