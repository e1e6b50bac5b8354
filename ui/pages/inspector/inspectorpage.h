#pragma once

#include "core/inspect/inspection/inspectedserver.h"
#include "ui/kit/actions/actionregistry.h"
#include "ui/kit/theme/appearance.h"
#include "ui/kit/widgets/messages.h"
#include "ui/pages/detail/detailpanel.h"
#include "ui/pages/inspector/detailcontroller.h"
#include "ui/pages/inspector/inspectorheader.h"
#include "ui/pages/inspector/inspectorlayout.h"
#include "ui/pages/inspector/keyactionbar.h"
#include "ui/pages/inspector/keypanel.h"
#include "ui/pages/inspector/lockpatternactions.h"
#include "ui/views/timeline/timelineview.h"

#include <QPointer>
#include <QWidget>

class QAction;

namespace latchkey::ui::inspector {

class EndedKeysDialog;
class ExportControl;
class RecordControl;

/// The Inspector page: a live table of a server's keys with filter, counts, countdowns and actions on keys.
///
/// The page shows one InspectedServer at a time. It reads the data from the server and passes changes to the parts of
/// the page. Owned by the main window. Appearance, messages, clock and server are not owned.
class InspectorPage final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(InspectorPage)

public:
    InspectorPage(theme::Appearance &appearance, widgets::Messages &messages, const base::Clock &clock,
                  QWidget *parent = nullptr);

    void setServer(inspection::InspectedServer *server);
    /// Sets the name under which the server is saved, for questions. Empty: it is not saved.
    void setServerName(const QString &name) { m_actionBar->setServerName(name); }
    /// Sets the lock patterns that the user has defined. Not owned.
    void setOwnDialects(recognition::UserDialects &own) { m_patternActions->setDialects(own); }
    /// Saves and restores the layout of the page. An invalid layout is ignored.
    [[nodiscard]] QByteArray saveLayout() const { return m_layout->save(); }
    void restoreLayout(const QByteArray &layout) { m_layout->restore(layout); }

    /// Opens the panels that fit a window of this size, unless the user has chosen. These are the details beside the
    /// table, and the history below it if there are locks.
    void fitPanels(const QSize &window);
    /// Adds the actions of the page to the registry. `page`: number of the page.
    void addActionsTo(actions::ActionRegistry &registry, int page) const;
    /// Moves the keyboard focus to the filter.
    void editFilter();
    /// Moves the keyboard focus to the table.
    void enterTable();
    /// Selects this key in the table, and resets a filter that hides it. Has no effect if the key was deleted.
    void showKey(const QByteArray &key);
    /// Shows the history of the locks below the table.
    void showHistory() { m_header->setTimelineShown(true); }
    /// Opens the list of the keys that have ended within the last hour.
    void showEndedKeys();
    [[nodiscard]] keytable::KeyTableView &table() const { return m_panel->table(); }
    /// Drops the question that waits for arming, because the user refused to arm the server.
    void forgetQuestion() { m_actionBar->forgetQuestion(); }

Q_SIGNALS:
    /// Emitted when the user wants to change keys on a server that is not armed.
    void armingRequested();
    void privateServerRequested();
    void playgroundRequested();
    /// Emitted when the user has chosen a recording to open.
    void recordingRequested(const QString &path);
    /// Emitted when the user has changed the columns, a panel or the grouping; see saveLayout().
    void layoutChanged();

private:
    void setUpLayout();
    void connectParts();
    void applyFilter();
    void sortRequested(int column);
    void refresh();
    void refreshHeader(const KeyCounts &counts);
    void refreshProblem();
    void selectedKeysChanged();
    void groupingDropped();
    void makeTimeline();
    void openDefaultPanels();
    void chooseKey(const QByteArray &key);
    void selectRequestedKey();
    void showMessage(const QString &topic, widgets::Banner::Tone tone, const QString &text);
    void showReport(const KeyChangeReport &report);
    void withdrawUndo();
    void runAction(EmptyText::Action action);
    [[nodiscard]] KeyCounts counts() const;

    widgets::Messages &m_messages; // Not owned.
    const base::Clock &m_clock;    // Not owned.
    QPointer<inspection::InspectedServer> m_server;
    InspectorHeader *m_header;
    KeyPanel *m_panel;
    detail::DetailPanel *m_detail;
    DetailController *m_detailController;
    InspectorLayout *m_layout;
    timeline::TimelineView *m_timeline = nullptr; ///< Timeline of the current server; null while it is hidden.
    theme::Appearance &m_appearance;              // Not owned.
    QAction *m_showDetails;
    QAction *m_showEnded;
    QPointer<EndedKeysDialog> m_ended;
    KeyActionBar *m_actionBar;
    LockPatternActions *m_patternActions;
    RecordControl *m_record;
    ExportControl *m_export;
    QString m_shownProblem;
    std::optional<QByteArray> m_requestedKey; ///< Key of showKey() that has no row yet.
};

} // namespace latchkey::ui::inspector
