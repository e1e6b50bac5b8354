#pragma once

#include <QApplication>
#include <QHeaderView>
#include <QStyledItemDelegate>
#include <QTreeView>

#include <algorithm>

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

    /// Returns the size with the indents. A wrapped text has the height for the width in which it is painted. A
    /// QTreeView does not pass the width of the column, and the base class does not subtract the padding of the style
    /// sheet.
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        QStyleOptionViewItem inner = option;
        const auto *tree = qobject_cast<const QTreeView *>(option.widget);
        const bool isWrapped = tree != nullptr && tree->wordWrap()
                            && tree->header()->sectionResizeMode(index.column()) == QHeaderView::Stretch;
        if (isWrapped) { // The width of other columns follows their contents.
            initStyleOption(&inner, index);
            inner.rect = QRect(0, 0, std::max(1, tree->columnWidth(index.column()) - 2 * indent), QWIDGETSIZE_MAX);
            const QRect text = tree->style()->subElementRect(QStyle::SE_ItemViewItemText, &inner, tree);
            inner.rect.setWidth(std::max(1, text.width()));
        }
        const QSize size = QStyledItemDelegate::sizeHint(inner, index);
        return {size.width() + 2 * indent, size.height()};
    }

protected:
    /// Keeps the colour of a text in a selected row, because red still marks an error.
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        if (index.data(Qt::ForegroundRole).isValid())
            option->palette.setBrush(QPalette::HighlightedText, option->palette.brush(QPalette::Text));
    }

    /// Handles a click on a check box at the position where it is painted.
    bool editorEvent(QEvent *event, QAbstractItemModel *model, const QStyleOptionViewItem &option,
                     const QModelIndex &index) override
    {
        return QStyledItemDelegate::editorEvent(event, model, indented(option), index);
    }

private:
    static constexpr int indent = 9;

    [[nodiscard]] static QStyleOptionViewItem indented(const QStyleOptionViewItem &option)
    {
        QStyleOptionViewItem inner(option);
        inner.rect.adjust(indent, 0, -indent, 0);
        return inner;
    }
};

} // namespace latchkey::ui::widgets
