#pragma once

#include "core/inspection/inspectedserver.h"
#include "ui/detail/detailpanel.h"
#include "ui/inspector/chosendetails.h"
#include "ui/inspector/inspectorheader.h"
#include "ui/inspector/keyacts.h"
#include "ui/inspector/keypanel.h"
#include "ui/inspector/ownlocks.h"
#include "ui/theme/appearance.h"
#include "ui/timeline/timelineview.h"
#include "ui/widgets/messages.h"

#include <QPointer>
#include <QWidget>

class QSplitter;

namespace latchkey::ui::inspector {

class RecordControl;

/// The live table of a server's keys: filter, counts, countdowns, and what can be done with a key.
///
/// Shows one InspectedServer at a time, which it asks what is known; the parts of the page are told. Owned by the main
/// window; appearance, messages, clock and server are not owned.
class InspectorPage final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(InspectorPage)

public:
    InspectorPage(theme::Appearance &appearance, widgets::Messages &messages, const base::Clock &clock,
                  QWidget *parent = nullptr);

    void setServer(inspection::InspectedServer *server);
    /// What the user has said of locks of their own; not owned.
    void setOwnDialects(recognition::OwnDialects &own) { m_ownLocks->setDialects(own); }
    /// How the page is divided, to be remembered; and as it was remembered. What is not such a thing changes nothing.
    [[nodiscard]] QByteArray saveLayout() const;
    void restoreLayout(const QByteArray &layout);

    /// Puts the keyboard into the filter.
    void editFilter();
    /// Puts the keyboard into the table.
    void enterTable();
    /// Shows the history of the locks below the table.
    void showHistory() { m_header->setTimelineShown(true); }
    [[nodiscard]] keytable::KeyTableView &table() const { return m_panel->table(); }
    /// The server is not to be armed: what waits for that is not asked.
    void forgetQuestion() { m_acts->forgetQuestion(); }

Q_SIGNALS:
    /// The user wants to change something on a server that is not armed.
    void armingWanted();
    void privateServerWanted();
    void playgroundWanted();
    /// The user has chosen a recording to look at.
    void recordingWanted(const QString &path);

private:
    void arrange();
    void connectParts();
    void applyFilter();
    void sortAsked(int column);
    void refresh();
    void refreshHeader(const KeyCounts &counts);
    void refreshProblem();
    void choiceChanged();
    void groupingGivenUp();
    void showDetails(bool areShown);
    void makeTimeline();
    void chooseKey(const QByteArray &key);
    void showMessage(const QString &topic, widgets::Banner::Tone tone, const QString &text);
    void showReport(const ActReport &report);
    void withdrawUndo();
    void doAct(EmptyText::Act act);
    [[nodiscard]] KeyCounts counts() const;

    widgets::Messages &m_messages; // Not owned.
    const base::Clock &m_clock;    // Not owned.
    QPointer<inspection::InspectedServer> m_server;
    InspectorHeader *m_header;
    QSplitter *m_rows; ///< The table and its details above, the history below.
    QSplitter *m_split;
    KeyPanel *m_panel;
    detail::DetailPanel *m_detail;
    ChosenDetails *m_chosen;
    int m_detailWidth = 330;                      ///< In pixels, when it is shown next.
    timeline::TimelineView *m_timeline = nullptr; ///< Of this server; null while there is none.
    theme::Appearance &m_appearance;              // Not owned.
    KeyActs *m_acts;
    OwnLocks *m_ownLocks;
    RecordControl *m_record;
    std::optional<base::Error> m_shownProblem;
};

} // namespace latchkey::ui::inspector
