#pragma once

#include "core/foundation/base/clock.h"
#include "core/foundation/base/glob.h"
#include "core/keyspace/keys/endedkeylog.h"

#include <QAbstractTableModel>

#include <deque>

namespace latchkey::ui::inspector {

/// A list model of the keys of a server that have ended, the latest first.
///
/// A row is only the number of a key in the record. Fifty thousand rows therefore take little memory, and a thousand
/// new rows per second are inserted in one step. Rows are added by update() only: a list that a user reads does not
/// move. Owned by the dialog. The record and the clock are not owned.
class EndedKeysModel final : public QAbstractTableModel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(EndedKeysModel)

public:
    enum Column { TimeColumn, KeyColumn, EndingColumn, DeadlineColumn, LateColumn, SourceColumn, ColumnCount };

    EndedKeysModel(const keys::EndedKeyLog &ended, const base::Clock &clock, QObject *parent = nullptr);

    /// Sets the filter for the keys. Keys that were flushed together have no name and always match.
    void setFilter(const base::Glob &filter);
    [[nodiscard]] const base::Glob &filter() const { return m_filter; }
    /// Adds the keys that have ended since the last update.
    void update();
    /// Removes the rows of keys that the record has dropped.
    void trim();
    /// Returns the number of keys that have ended since the last update, with or without the filter.
    [[nodiscard]] qint64 unshownCount() const { return static_cast<qint64>(m_ended.total() - m_next); }
    [[nodiscard]] QByteArray keyAt(int row) const;

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] bool matches(const keys::EndedKey &ended) const;
    [[nodiscard]] QString text(const keys::EndedKey &ended, int column) const;

    const keys::EndedKeyLog &m_ended;
    const base::Clock &m_clock;
    base::Glob m_filter;
    std::deque<quint64> m_rows; ///< Numbers in the record, the latest first.
    quint64 m_next = 0;         ///< Number of the first key after the last update().
    int m_changes = 0;          ///< Number of changes of the record that were announced.
};

} // namespace latchkey::ui::inspector
