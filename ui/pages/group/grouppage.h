#pragma once

#include "ui/kit/widgets/emptystate.h"
#include "ui/pages/group/grouptablemodel.h"

#include <QSet>
#include <QSortFilterProxyModel>
#include <QTimer>

class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QTableView;

namespace latchkey::ui::group {

/// The page of a redlock group: its locks with the votes of each server, and sentences about the selected lock.
///
/// The page only reads. A server that is lost or frozen is named; its votes count as not known, and the others are
/// shown as before. Owned by the main window. Appearance and clock are not owned.
class GroupPage final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(GroupPage)

public:
    /// A watched group.
    struct Group
    {
        QString name;
        QStringList servers; ///< Name of each server.
        std::vector<std::shared_ptr<inspection::InspectedServer>> watched;
    };

    GroupPage(theme::Appearance &appearance, const base::Clock &clock, QWidget *parent = nullptr);
    ~GroupPage() override;

    /// Shows a group. Without servers: none.
    void setGroup(Group group);
    /// Moves the keyboard focus to the page.
    void takeFocus();
    void editFilter();

Q_SIGNALS:
    /// Emitted when the user wants to choose a group, or to create one.
    void groupsRequested();

private:
    void setUpLayout();
    void setUpTable();
    void setUpSorting();
    void sortBy(int column);
    void showGroup();
    void showState();
    void showEmptyState();
    void showSelected();
    void setWidth(int column, int width);
    void fitColumns();
    [[nodiscard]] std::vector<int> wantedWidths() const;
    [[nodiscard]] std::vector<int> minimumWidths() const;
    [[nodiscard]] QStringList serverProblems() const;

    theme::Appearance &m_appearance; // Not owned.
    const base::Clock &m_clock;      // Not owned.
    QLabel *m_title;
    QLabel *m_counts;
    QLineEdit *m_filter;
    QPushButton *m_choose;
    QLabel *m_problem;
    QTableView *m_table;
    QLabel *m_selected;
    QScrollArea *m_selectedArea;
    widgets::EmptyState *m_empty;
    QString m_emptyText; ///< Text of the shown empty state; empty while rows are shown.
    QString m_name;
    std::unique_ptr<voting::GroupLocks> m_locks; ///< Null without a group.
    std::unique_ptr<GroupTableModel> m_model;    ///< Destroyed before the locks.
    QSortFilterProxyModel m_filtered;
    QTimer m_countdown;
    QSet<int> m_fixedColumns;  ///< Columns that the user has resized.
    std::vector<int> m_widths; ///< Width of each column if the window is wide enough.
    bool m_isFitting = false;  ///< Whether the page itself changes the width of a column.
};

} // namespace latchkey::ui::group
