#pragma once

#include <QAbstractItemView>
#include <QApplication>
#include <QStyledItemDelegate>

namespace latchkey::ui::widgets {

/// A delegate for the items of a list whose texts are wrapped.
///
/// Qt computes the size of a text at the width of the whole list. It paints the text within the padding of the item and
/// beside the scroll bar, where the text may need another line. This delegate asks the style for the width of the
/// painted text. Owned by the list that it draws.
class WrappingDelegate final : public QStyledItemDelegate
{
public:
    /// `list`: not owned; the owner of this object.
    explicit WrappingDelegate(QAbstractItemView *list)
        : QStyledItemDelegate(list)
        , m_list(list)
    {}

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        if (const QVariant given = index.data(Qt::SizeHintRole); given.isValid())
            return given.toSize();
        QStyleOptionViewItem item(option);
        initStyleOption(&item, index);
        item.rect = QRect(0, 0, m_list->viewport()->width(), QStyledItemDelegate::sizeHint(option, index).height());
        const QStyle *style = m_list->style();
        const QRect inner = style->subElementRect(QStyle::SE_ItemViewItemText, &item, m_list);
        const int margin = style->pixelMetric(QStyle::PM_FocusFrameHMargin, &item, m_list) + 1;
        constexpr int unlimited = 10'000;
        const QRect text = item.fontMetrics.boundingRect(QRect(0, 0, inner.width() - 2 * margin, unlimited),
                                                         Qt::TextWordWrap, item.text);
        return {item.rect.width(), text.height() + item.rect.height() - inner.height()};
    }

private:
    QAbstractItemView *m_list;
};

} // namespace latchkey::ui::widgets
