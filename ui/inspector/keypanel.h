#pragma once

#include "core/inspection/inspectedserver.h"
#include "core/inspection/lastseen.h"
#include "ui/inspector/gonestrip.h"
#include "ui/inspector/outofsightnote.h"
#include "ui/inspector/statustext.h"
#include "ui/keytable/keytableview.h"
#include "ui/widgets/emptystate.h"

#include <QPointer>
#include <QWidget>

#include <memory>

namespace latchkey::ui::inspector {

/// The table of a server's keys, and what stands over and below it: why there is nothing to show, that the server is
/// out of sight, and which keys have gone.
///
/// It tells the server's watcher what is on screen. Owned by the page; appearance, clock and server are not owned.
class KeyPanel final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KeyPanel)

public:
    KeyPanel(theme::Appearance &appearance, const base::Clock &clock, QWidget *parent = nullptr);
    ~KeyPanel() override;

    void setServer(inspection::InspectedServer *server);
    [[nodiscard]] keytable::KeyTableView &table() const { return *m_table; }
    /// Null while there is no server.
    [[nodiscard]] rows::RowList *rows() const { return m_rows.get(); }

    /// The rows are up to date; looks at everything that depends on them or on the time.
    void refresh(const KeyCounts &counts);

Q_SIGNALS:
    /// The user has clicked what the empty table offers.
    void actWanted(latchkey::ui::inspector::EmptyText::Act act);

private:
    void refreshSight();
    void refreshGone();
    [[nodiscard]] GoneCount goneCount(base::MonotonicTime now);
    void refreshEmpty(const KeyCounts &counts);
    void retireDue();

    const base::Clock &m_clock;
    QPointer<inspection::InspectedServer> m_server;
    keytable::KeyTableView *m_table;
    widgets::EmptyState *m_empty;
    OutOfSightNote *m_note;
    GoneStrip *m_strip;
    std::unique_ptr<inspection::LastSeen> m_lastSeen;
    std::unique_ptr<rows::RowList> m_rows;
    std::unique_ptr<rows::GoneKeys> m_gone;
    base::MonotonicTime m_nextGone;
    std::optional<base::MonotonicTime> m_seesSince; ///< Absent: the server is out of sight.
};

} // namespace latchkey::ui::inspector
