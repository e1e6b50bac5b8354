#pragma once

#include "core/keyspace/rows/endedrows.h"
#include "ui/kit/theme/appearance.h"
#include "ui/pages/inspector/statustext.h"

#include <QWidget>

class QLabel;
class QToolButton;

namespace latchkey::ui::inspector {

/// A bar below the table with the keys that ended within the last minute. It expands to a list with one line per key.
/// The bar is also visible without such keys, so that no row moves when a key ends. Owned by the page. The appearance
/// is not owned.
class RecentlyEndedBar final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RecentlyEndedBar)

public:
    explicit RecentlyEndedBar(theme::Appearance &appearance, QWidget *parent = nullptr);

    /// Shows the count and the list. `ended`: the ended keys that had a row, the latest first.
    void show(const EndedCount &count, const std::vector<keys::EndedKey> &ended, base::MonotonicTime now);

Q_SIGNALS:
    /// Emitted when the user wants the list of the last hour.
    void endedListRequested();

private:
    QToolButton *m_fold;
    QLabel *m_summary;
    QLabel *m_list;
};

} // namespace latchkey::ui::inspector
