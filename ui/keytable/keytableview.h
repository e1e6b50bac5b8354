#pragma once

#include "ui/keytable/countdownticker.h"
#include "ui/keytable/keytablemodel.h"
#include "ui/keytable/selectionkeeper.h"
#include "ui/theme/appearance.h"

#include <QHash>
#include <QTableView>

#include <functional>
#include <memory>
#include <optional>

namespace latchkey::ui::keytable {

/// A table of keys that counts down: columns, delegates, and the ticker that keeps it moving.
///
/// Used wherever keys are shown. It is given a store and makes the model for it. What is chosen is kept by key, see
/// SelectionKeeper. Everything works by keyboard: Alt and a column's number sort by it, Shift+F10 or the menu key asks
/// for the menu of the keyboard's row.
/// Owned by a page; appearance and clock are not owned, the store must outlive its being shown.
class KeyTableView final : public QTableView
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KeyTableView)

public:
    KeyTableView(theme::Appearance &appearance, const base::Clock &clock, QWidget *parent = nullptr);
    ~KeyTableView() override;

    /// Where it is known how keys are renewed, of the rows that are shown from then on.
    void setRenewals(RenewalSource source) { m_renewals = std::move(source); }
    /// Where it is known what stands for a kind of lock, likewise.
    void setKindSigns(KindSigns signs) { m_kindSigns = std::move(signs); }
    /// Shows these keys; null: none.
    void setRows(rows::RowList *rows);
    [[nodiscard]] KeyTableModel *keyModel() const { return m_model.get(); }

    /// The keys of the chosen rows, from the top, at most so many. A field's row stands for its key.
    [[nodiscard]] std::vector<keys::KeyId> chosen(std::size_t most) const;
    [[nodiscard]] int chosenCount() const;
    /// What the chosen rows are called, from the top: keys, and fields where their rows are chosen.
    [[nodiscard]] QByteArrayList chosenNames(std::size_t most) const;
    /// What was chosen, is no row at present, and will be chosen again when it comes back.
    [[nodiscard]] QList<QByteArray> awaited() const;

    /// What the user has chosen, and the order of the rows; without an order that of a new table.
    struct Place
    {
        QList<QByteArray> chosen;
        std::optional<int> sortedBy; ///< A column.
        Qt::SortOrder order = Qt::AscendingOrder;
    };
    [[nodiscard]] Place place() const;
    /// The same of other rows; what is no row is awaited.
    void goTo(const Place &place);

    /// Whether keys with the same prefix stand together, in groups that fold: with a click, or with Left and Right.
    void setGrouping(rows::Grouping grouping);

    /// Only keys, values and the time left, for a narrow place.
    void setCompact(bool isCompact);
    /// There are locks among the keys, or some with which something is wrong: the columns that tell of them are shown,
    /// and others only where there is room.
    void setHas(bool hasLocks, bool hasFindings);
    /// Shows, greyed, what was so at this moment; absent: what is so now.
    void showAsOf(std::optional<base::MonotonicTime> moment);
    [[nodiscard]] const ShownTime &shownTime() const { return m_time; }
    [[nodiscard]] const CountdownTicker &ticker() const { return *m_ticker; }

    /// An action for each column, which sorts by it, or the other way round where it is sorted by it already.
    [[nodiscard]] const QList<QAction *> &sortActions() const { return m_sortActions; }

Q_SIGNALS:
    /// What is chosen has changed, or may have.
    void choiceChanged();
    /// There are too many prefixes to group by.
    void groupingGivenUp();
    /// The user wants to see what can be done with what is chosen; at: on the screen.
    void menuWanted(const QPoint &at);

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    QModelIndex moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;

private:
    void setUpColumns();
    [[nodiscard]] std::optional<int> fixedWidth(int column) const;
    void fitColumns();
    [[nodiscard]] bool isWanted(int column) const;
    void setUpDelegates();
    void setUpSorting();
    void showColumnMenu(const QPoint &at);
    void connectModel();
    void toggleGroup(const QModelIndex &index);
    [[nodiscard]] bool foldByKey(const QKeyEvent &event);
    [[nodiscard]] bool openByKey(bool opens);
    [[nodiscard]] bool openByMouse(const QMouseEvent &event);
    void showFieldsRoom();
    void forChosenRows(const std::function<bool(int row)> &takes) const;
    [[nodiscard]] QPoint menuPlace() const;

    theme::Appearance &m_appearance;
    ShownTime m_time;
    RenewalSource m_renewals;
    KindSigns m_kindSigns;
    std::unique_ptr<KeyTableModel> m_model;
    std::unique_ptr<SelectionKeeper> m_keeper;
    CountdownTicker *m_ticker;
    QList<QAction *> m_sortActions;
    QHash<int, bool> m_choice; ///< Columns that the user wants to see, or not to see.
    bool m_hasLocks = false;
    bool m_hasFindings = false;
    bool m_hasFields = false; ///< Some key opens.
    bool m_isCompact = false;
    rows::Grouping m_grouping = rows::Grouping::None;
};

} // namespace latchkey::ui::keytable
