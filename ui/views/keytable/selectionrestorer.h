#pragma once

#include <QByteArray>
#include <QList>
#include <QObject>
#include <QPersistentModelIndex>

class QAbstractItemView;

namespace latchkey::ui::keytable {

class KeyTableModel;

/// A component that restores the selection of keys that had no row for a time. If a selected lock is released and
/// acquired again, it is selected again.
///
/// The selection is kept by key. The key of a removed selected row is remembered, and selected without scrolling when
/// it has a row again, until the user makes another selection. The current row is restored too, unless another row has
/// become current since. At most `maxKeys` keys are remembered. Owned by the KeyTableView, for one model. View and
/// model are not owned.
class SelectionRestorer final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SelectionRestorer)

public:
    static constexpr qsizetype maxKeys = 50;

    /// Requires a view that already shows the model.
    SelectionRestorer(QAbstractItemView &view, KeyTableModel &model);

    /// Returns the keys that were selected and have no row now.
    [[nodiscard]] const QList<QByteArray> &awaited() const { return m_awaited; }
    /// Sets the awaited keys, at most `maxKeys`. Keys with a row are selected at once.
    void await(const QList<QByteArray> &keys);

private:
    void remember(int first, int last);
    void removed();
    void restore();
    void restoreFocus(const QModelIndex &index);

    QAbstractItemView &m_view; // Not owned.
    KeyTableModel &m_model;    // Not owned.
    QList<QByteArray> m_awaited;
    QByteArray m_current;               ///< Awaited key that had the current row.
    QPersistentModelIndex m_substitute; ///< Row that became current in place of m_current.
    bool m_areFieldRowsRemoved = false; ///< Whether rows of fields are among the removed selected rows. Their keys
                                        ///< still exist and are selected at once.
    bool m_isOurs = false;              ///< Whether this object, and not the user, is changing the selection.
};

} // namespace latchkey::ui::keytable
