#pragma once

#include "core/inspect/inspection/inspectedserver.h"
#include "ui/kit/widgets/emptystate.h"
#include "ui/pages/inspector/recentlyendedbar.h"
#include "ui/pages/inspector/serversilentnote.h"
#include "ui/pages/inspector/statustext.h"
#include "ui/views/keytable/keytableview.h"

#include <QPointer>
#include <QWidget>

#include <memory>

namespace latchkey::ui::inspector {

/// The table of a server's keys with its notes: why the table is empty, that the server does not reply, and the keys
/// that ended recently.
///
/// The panel reports the visible keys to the server's watcher. Owned by the page. Appearance, clock and server are not
/// owned.
class KeyPanel final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KeyPanel)

public:
    KeyPanel(theme::Appearance &appearance, const base::Clock &clock, QWidget *parent = nullptr);
    ~KeyPanel() override;

    void setServer(inspection::InspectedServer *server);
    [[nodiscard]] keytable::KeyTableView &table() const { return *m_table; }
    /// Returns the rows of the table. Null without a server.
    [[nodiscard]] rows::RowList *rows() const { return m_rows.get(); }

    /// Updates everything that depends on the rows or on the time. The rows must be up to date.
    void refresh(const KeyCounts &counts);

Q_SIGNALS:
    /// Emitted when the user clicks the button of the empty table.
    void actionRequested(latchkey::ui::inspector::EmptyText::Action action);
    /// Emitted when the user wants the list of the ended keys.
    void endedListRequested();

private:
    void refreshGap();
    void refreshEnded();
    [[nodiscard]] EndedCount endedCount(base::MonotonicTime now);
    void refreshEmpty(const KeyCounts &counts);
    void removeDueRows();

    const base::Clock &m_clock;
    QPointer<inspection::InspectedServer> m_server;
    keytable::KeyTableView *m_table;
    widgets::EmptyState *m_empty;
    ServerSilentNote *m_note;
    RecentlyEndedBar *m_recentlyEnded;
    std::unique_ptr<rows::RowList> m_rows;
    std::unique_ptr<rows::EndedRows> m_endedRows;
    base::MonotonicTime m_nextEnd;
    std::optional<base::MonotonicTime> m_seesSince; ///< Time since which changes are reported without a gap. Absent
                                                    ///< while changes are not reported.
};

} // namespace latchkey::ui::inspector
