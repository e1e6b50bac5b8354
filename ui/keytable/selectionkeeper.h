#pragma once

#include <QByteArray>
#include <QList>
#include <QObject>
#include <QPersistentModelIndex>

class QAbstractItemView;

namespace latchkey::ui::keytable {

class KeyTableModel;

/// Keeps chosen what has been chosen while it is gone: a lock that is released and acquired again is the same choice.
///
/// Choices are by key. A chosen row that is removed is remembered, and chosen again when a row of that key comes,
/// without scrolling there; until the user chooses anew. The keyboard's row comes back with it, if the user has not
/// moved on. At most `most` keys are remembered.
/// Owned by the KeyTableView, for one model. View and model are not owned.
class SelectionKeeper final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SelectionKeeper)

public:
    static constexpr qsizetype most = 50;

    /// The view shows the model already.
    SelectionKeeper(QAbstractItemView &view, KeyTableModel &model);

    /// The keys that were chosen, and are no rows at present.
    [[nodiscard]] const QList<QByteArray> &awaited() const { return m_awaited; }
    /// As if these had been chosen and were gone: those that are rows are chosen at once. At most `most` of them.
    void await(const QList<QByteArray> &keys);

private:
    void remember(int first, int last);
    void removed();
    void restore();
    void giveBackKeyboard(const QModelIndex &index);

    QAbstractItemView &m_view; // Not owned.
    KeyTableModel &m_model;    // Not owned.
    QList<QByteArray> m_awaited;
    QByteArray m_current;             ///< Of the awaited, that which had the keyboard's row.
    QPersistentModelIndex m_standsIn; ///< The row that has it instead.
    bool m_isBackAtOnce = false;      ///< Of what was chosen some were rows of fields.
    bool m_isOurs = false;            ///< What is chosen changes, but not because the user chooses.
};

} // namespace latchkey::ui::keytable
