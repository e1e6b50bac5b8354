#pragma once

#include "ui/views/keytable/columnchoices.h"

#include <QObject>

#include <optional>

class QPoint;
class QTableView;

namespace latchkey::ui::keytable {

/// The columns of a table of keys: shown or hidden, their widths and their order.
///
/// The choices of the user take precedence; otherwise the content and the room of the table decide. The table cannot
/// scroll sideways, so columns that do not fit are hidden. Owned by the KeyTableView. The view is not owned. It does
/// not know the rows.
class KeyColumnLayout final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KeyColumnLayout)

public:
    explicit KeyColumnLayout(QTableView &view);

    /// Arranges the columns of a new model.
    void setUp();
    /// Fits the columns to the width of the view.
    void fit();
    /// Shows only keys, values and remaining times, for a narrow table.
    void setCompact(bool isCompact);
    /// Sets whether there are locks and findings.
    void setHasLocksAndFindings(bool hasLocks, bool hasFindings);
    [[nodiscard]] const ColumnChoices &choices() const { return m_choices; }
    void setChoices(const ColumnChoices &choices);
    /// Opens the menu of the columns. `at`: position in the header.
    void showMenu(const QPoint &at);

Q_SIGNALS:
    /// Emitted when the user has shown, hidden, moved or resized a column.
    void choicesChanged();

private:
    [[nodiscard]] bool hasModel() const;
    [[nodiscard]] std::optional<int> fixedWidth(int column) const;
    [[nodiscard]] bool isWanted(int column) const;
    [[nodiscard]] int roomFor(int column) const;
    void setUpLayout();
    void columnResized(int column, int before, int after);
    void columnMoved();

    QTableView &m_view;
    ColumnChoices m_choices;
    bool m_isFitting = false; ///< Whether columns are arranged by this object, and not by the user.
    bool m_hasLocks = false;
    bool m_hasFindings = false;
    bool m_isCompact = false;
};

} // namespace latchkey::ui::keytable
