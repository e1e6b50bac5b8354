#pragma once

#include "core/inspect/voting/grouplocks.h"

#include <QCoreApplication>

namespace latchkey::ui::group {

/// The texts about the votes of a group for a lock. All are plain text. `now`: the time of the countdowns.
class GroupTexts final
{
    Q_DECLARE_TR_FUNCTIONS(GroupTexts)

public:
    using Lock = voting::GroupLocks::Lock;

    /// Returns the name of the holder, or the value that names none; empty if no server has the key.
    [[nodiscard]] static QString holder(const Lock &lock);
    /// Returns the number of votes: `3 of 5`, with a remark unless it is a majority.
    [[nodiscard]] static QString votes(const Lock &lock);
    /// Returns the time for which the holder may rely on the lock, for a column.
    [[nodiscard]] static QString validity(const Lock &lock, base::MonotonicTime now);
    /// Returns the state of the key on one server, for a column.
    [[nodiscard]] static QString serverCell(const Lock &lock, std::size_t server, base::MonotonicTime now);
    /// Returns a sentence about the state of the key on one server. `name`: that of the server.
    [[nodiscard]] static QString serverSentence(const Lock &lock, std::size_t server, const QString &name,
                                                base::MonotonicTime now);
    /// Returns a sentence about the holder and the majority.
    [[nodiscard]] static QString answer(const Lock &lock, base::MonotonicTime now);
    /// Returns a sentence about a server that is not seen.
    [[nodiscard]] static QString silence(const QString &name, const voting::MissingVote &silence,
                                         base::MonotonicTime now);
    /// Returns a sentence about a server that does not describe itself.
    [[nodiscard]] static QString undescribed(const QString &name);
};

} // namespace latchkey::ui::group
