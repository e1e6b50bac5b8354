#pragma once

#include "ui/kit/theme/appearance.h"
#include "ui/views/keytable/columnchoices.h"
#include "ui/views/keytable/countdownticker.h"
#include "ui/views/keytable/keytablemodel.h"
#include "ui/views/keytable/selectionrestorer.h"

#include <QTableView>

#include <memory>
#include <optional>

namespace latchkey::ui::keytable {

class KeyColumnLayout;
class RowExpander;
class RowSuspension;

/// A table of keys with running countdowns: columns, delegates and ticker.
///
/// It is used wherever keys are shown. It receives a row list and creates the model for it. The selection is kept by
/// key, see SelectionRestorer. All functions have keyboard access: Alt and the number of a column sort by that column;
/// Shift+F10 or the menu key opens the menu of the current row, and Alt+0 the menu of the columns. While a mouse button
/// is down over the rows, no row moves, so that a click applies to the row that was pressed. Owned by a page.
/// Appearance and clock are not owned. The row list must stay alive while it is shown.
class KeyTableView final : public QTableView
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KeyTableView)

public:
    KeyTableView(theme::Appearance &appearance, const base::Clock &clock, QWidget *parent = nullptr);
    ~KeyTableView() override;

    /// Sets the source of renewals for rows set afterwards.
    void setRenewals(RenewalSource source) { m_renewals = std::move(source); }
    /// Sets the source of kind signs for rows set afterwards.
    void setKindSigns(KindSigns signs) { m_kindSigns = std::move(signs); }
    /// Shows these rows. Null: an empty table.
    void setRows(rows::RowList *rows);
    [[nodiscard]] KeyTableModel *keyModel() const { return m_model.get(); }

    /// Returns the keys of the selected rows, from top to bottom, at most `maximum`. A field's row counts as its key.
    [[nodiscard]] std::vector<keys::KeyId> selectedKeys(std::size_t maximum) const;
    [[nodiscard]] int selectedCount() const;
    /// Returns the names of the selected rows, from top to bottom: keys, and fields for rows of fields.
    [[nodiscard]] QByteArrayList selectedNames(std::size_t maximum) const;
    /// Returns the keys that were selected and have no row now. They are selected again when they return.
    [[nodiscard]] QList<QByteArray> awaited() const;

    /// The selection and the order of the rows. Without an order, the default order applies.
    struct ViewState
    {
        QList<QByteArray> selectedKeys;
        std::optional<int> sortedBy; ///< A column.
        Qt::SortOrder order = Qt::AscendingOrder;
    };
    [[nodiscard]] ViewState viewState() const;
    /// Restores a selection and an order, possibly for other rows. A key without a row is awaited.
    void restoreViewState(const ViewState &viewState);

    /// Sets whether keys with the same prefix form groups, and which prefix counts. A click, or Left and Right, fold
    /// and unfold a group.
    void setGrouping(rows::Grouping grouping);

    /// Shows only keys, values and remaining times, for a narrow table.
    void setCompact(bool isCompact);
    /// Sets whether there are locks and findings. If so, their columns are shown, and other columns only if there is
    /// room.
    void setHasLocksAndFindings(bool hasLocks, bool hasFindings);
    /// Returns the columns as the user has arranged them. Columns without room are hidden nevertheless.
    [[nodiscard]] const ColumnChoices &columnChoices() const;
    void setColumnChoices(const ColumnChoices &choices);
    /// Shows the state at `moment`, greyed. Absent: the current state.
    void freezeAt(std::optional<base::MonotonicTime> moment);
    [[nodiscard]] const ShownTime &shownTime() const { return m_time; }
    [[nodiscard]] const CountdownTicker &ticker() const { return *m_ticker; }

    /// Returns one action per column that sorts by the column, or reverses the order if the rows are sorted by it
    /// already.
    [[nodiscard]] const QList<QAction *> &sortActions() const { return m_sortActions; }
    /// Returns the action that opens the menu of the columns.
    [[nodiscard]] QAction *columnsAction() const { return m_columnsAction; }

Q_SIGNALS:
    /// Emitted when the selection has changed or may have changed.
    void selectedKeysChanged();
    /// Emitted when there are too many prefixes to group by.
    void groupingDropped();
    /// Emitted when the user requests the menu of the selection. `at`: position on the screen.
    void contextMenuRequested(const QPoint &at);
    /// Emitted when the user requests the details of the selected key: Enter, a double click, or a click on its
    /// findings.
    void detailsRequested();
    /// Emitted when the user has shown, hidden, moved or resized a column.
    void columnChoicesChanged();

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    void hideEvent(QHideEvent *event) override;
    QModelIndex moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;

private:
    void setUpAppearance();
    void setUpDelegates();
    void setUpSorting();
    void connectModel();
    void rowClicked(const QModelIndex &index);
    void holdRows();
    void releaseRows();
    void showFieldsRoom();
    [[nodiscard]] QPoint menuPlace() const;

    theme::Appearance &m_appearance;
    ShownTime m_time;
    RenewalSource m_renewals;
    KindSigns m_kindSigns;
    std::unique_ptr<KeyTableModel> m_model;
    std::unique_ptr<SelectionRestorer> m_selectionRestorer;
    std::unique_ptr<RowExpander> m_expander;
    std::unique_ptr<RowSuspension> m_suspension;
    CountdownTicker *m_ticker;
    KeyColumnLayout *m_columns;
    QList<QAction *> m_sortActions;
    QAction *m_columnsAction = nullptr;
    bool m_hasFields = false; ///< Whether any key can be opened.
    rows::Grouping m_grouping = rows::Grouping::None;
};

} // namespace latchkey::ui::keytable
