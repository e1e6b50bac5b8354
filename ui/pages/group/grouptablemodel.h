#pragma once

#include "ui/kit/theme/appearance.h"
#include "ui/pages/group/grouptexts.h"

#include <QAbstractTableModel>

namespace latchkey::ui::group {

/// A table model of the locks of a group: a row per lock, with its votes, and a column per server.
///
/// Times left are computed when the view asks for them. Owned by the page. The locks, the appearance and the clock are
/// not owned.
class GroupTableModel final : public QAbstractTableModel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(GroupTableModel)

public:
    /// The value by which a column is sorted: a text, or a number that does not change while a time runs.
    enum Role : int { SortRole = Qt::UserRole };
    enum Column : int { KeyColumn, KindColumn, HolderColumn, VotesColumn, ValidColumn, FirstServerColumn };

    /// `names`: the name of each server.
    GroupTableModel(voting::GroupLocks &locks, QStringList names, theme::Appearance &appearance,
                    const base::Clock &clock, QObject *parent = nullptr);

    [[nodiscard]] const voting::GroupLocks &locks() const { return m_locks; }
    [[nodiscard]] const QStringList &names() const { return m_names; }

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QString text(const GroupTexts::Lock &lock, int column) const;
    /// Returns the longer text of a cell, for tool tips and screen readers.
    [[nodiscard]] QString fullText(const GroupTexts::Lock &lock, int column) const;
    [[nodiscard]] QVariant sortValue(const GroupTexts::Lock &lock, int column) const;
    [[nodiscard]] QVariant colour(const GroupTexts::Lock &lock, int column) const;

    voting::GroupLocks &m_locks; // Not owned.
    const QStringList m_names;
    theme::Appearance &m_appearance; // Not owned.
    const base::Clock &m_clock;      // Not owned.
};

} // namespace latchkey::ui::group
