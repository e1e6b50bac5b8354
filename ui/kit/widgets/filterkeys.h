#pragma once

#include <QObject>

class QLineEdit;
class QTreeWidget;

namespace latchkey::ui::widgets {

/// A handler of the keys of a filter field above a list. Up and Down move the list's selection, and Return chooses the
/// selected item; the focus stays in the field.
///
/// Items that cannot be selected, such as headings and disabled items, are skipped. It does not filter the list. Owned
/// by the field; the list is not owned.
class FilterKeys final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(FilterKeys)

public:
    FilterKeys(QLineEdit &filter, QTreeWidget &list);

Q_SIGNALS:
    /// Emitted when Return was pressed.
    void chosen();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void move(int by);

    QTreeWidget &m_list; // Not owned.
};

} // namespace latchkey::ui::widgets
