#pragma once

#include <QtGlobal>

class QKeyEvent;
class QModelIndex;
class QMouseEvent;
class QTableView;

namespace latchkey::ui::keytable {

class KeyTableModel;

/// A component that folds groups and opens keys with expiring fields, on key presses and clicks.
///
/// Owned by the KeyTableView, for one model. View and model are not owned.
class RowExpander final
{
    Q_DISABLE_COPY_MOVE(RowExpander)

public:
    RowExpander(QTableView &view, KeyTableModel &model);

    /// Carries out Left and Right. Left folds the current group, or moves from a key to its group. Right unfolds the
    /// group. Returns false if the key press has no effect on the current row.
    [[nodiscard]] bool handleKey(const QKeyEvent &event);
    /// Opens or closes a key after a click on its mark. The selection does not change. Returns false for another place.
    [[nodiscard]] bool handlePress(const QMouseEvent &event);
    /// Folds or unfolds the group of this row, if it has one.
    void toggleGroup(const QModelIndex &index);

private:
    [[nodiscard]] bool openByKey(bool opens);

    QTableView &m_view;
    KeyTableModel &m_model;
};

} // namespace latchkey::ui::keytable
