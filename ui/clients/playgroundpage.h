#pragma once

#include "core/inspection/inspectedserver.h"
#include "core/inspection/lastseen.h"
#include "core/playground/fleet.h"
#include "core/playground/sequencerecorder.h"
#include "core/stage/resource.h"
#include "ui/clients/clientcard.h"
#include "ui/clients/resourceview.h"
#include "ui/keytable/keytableview.h"
#include "ui/widgets/emptystate.h"

#include <QPointer>
#include <QWidget>

class QLabel;
class QMenu;
class QPushButton;
class QScrollArea;
class QSplitter;

namespace latchkey::ui::diagram {
class DiagramPanel;
}

namespace latchkey::ui::wire {
class WireLog;
}

namespace latchkey::ui::clients {

class FlowLayout;
class Saying;
class ServerStrip;

/// Clients that compete for locks, each a process of its own: their cards, what the server knows, and in the middle
/// every command that travels between them as a sequence diagram, with the resource that the lock protects.
///
/// While it is not shown it paints nothing and asks for nothing: what clients do is written down, and showing it brings
/// it up to date. Owned by the main window; crew, fleet, server, appearance and clock are not owned.
class PlaygroundPage final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PlaygroundPage)

public:
    PlaygroundPage(playground::Crew &crew, playground::Fleet &fleet, theme::Appearance &appearance,
                   const base::Clock &clock, QWidget *parent = nullptr);
    ~PlaygroundPage() override;

    /// The server on which the clients work; null while there is none.
    void setServer(inspection::InspectedServer *server);
    /// Puts the keyboard on the page.
    void enter();
    /// Nothing but the diagram, the resource and the sentence, in large type.
    void setPresenting(bool isPresenting);
    [[nodiscard]] bool isPresenting() const { return m_isPresenting; }
    /// What stands around the page and is not shown meanwhile. Not owned.
    void setHiddenWhilePresenting(const QList<QWidget *> &around) { m_around = around; }
    /// All of it in letters that are so many times larger; from 0.75 to 2.5.
    void setZoom(double zoom);
    [[nodiscard]] double zoom() const { return m_zoom; }

protected:
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void setUpButtons();
    void arrange();
    [[nodiscard]] QWidget *makeHeader();
    [[nodiscard]] QWidget *makeMiddle();
    [[nodiscard]] QWidget *makeSide();
    /// Of all letters, by the zoom and by whether it is presented.
    void applySizes();
    /// Says what has come of an order, for those who look at nothing else.
    void tellLast(const playground::ClientProcess &client, const playground::ClientReport &report);
    void setUpShortcuts();
    void setUpServers();
    void addActsOnOne(QMenu &menu);
    void showServers();
    /// Tells the diagram what has become of it.
    void serverChanged(int server);
    void fitServers();
    /// There are several, or the only one has been killed: then each is asked for what it has.
    [[nodiscard]] bool areServersAsked() const;
    void lookAtServers();
    void seeServers();
    [[nodiscard]] Truth truthFor(const ClientCard &card) const;
    void fitSide();
    /// As wide as they are before somebody moves a splitter: cards in two columns only where there is much room.
    void shareColumns(int narrowestCards);
    void showResource();
    [[nodiscard]] Insider::Mistake mistakeOf(const sequence::Belief &belief) const;
    void hearWrite(const playground::ClientProcess &client, const playground::ClientReport &report);
    /// Tells the diagram what the server has.
    void look();
    void applyAppearance();
    /// Adds one for the user, who wants to see it and go on with it.
    void addClient();
    void scrollTo(const ClientCard &card);
    void addCard(playground::ClientProcess &client);
    /// Cards are never cut off at their sides: the table beside them gives way.
    void fitCards();
    void removeCard(const playground::ClientProcess &client);
    /// What changes with clients and server.
    void refresh();
    /// What changes with time.
    void tick();
    [[nodiscard]] std::vector<keys::KeyId> keysLookedAt() const;
    void refreshCard(ClientCard &card);
    void logWire(const playground::ClientProcess &client, const playground::ClientReport &report);
    [[nodiscard]] QString summary() const;

    playground::Crew &m_crew;
    playground::Fleet &m_fleet;
    theme::Appearance &m_appearance;
    const base::Clock &m_clock;
    QPointer<inspection::InspectedServer> m_server;
    std::unique_ptr<rows::RowList> m_rows;
    std::unique_ptr<inspection::LastSeen> m_lastSeen;
    QList<ClientCard *> m_cards;
    playground::SequenceRecorder m_recorder;
    stage::Resource m_resource;
    QList<QWidget *> m_around; // Not owned.
    quint64 m_ticks = 0;
    bool m_areColumnsShared = false;
    bool m_isPresenting = false;
    std::optional<bool> m_isSideWanted; ///< By the user; absent: where there is room.
    double m_zoom = 1;
    QList<playground::Fleet::State> m_serverStates; ///< As the diagram has them, by lane.
    QWidget *m_header = nullptr;
    QPushButton *m_serverCount;
    ServerStrip *m_servers;
    QPushButton *m_add;
    QPushButton *m_showSide;
    QPushButton *m_present;
    QLabel *m_summary;
    QSplitter *m_columns;
    QScrollArea *m_scroll;
    QWidget *m_cardArea;
    FlowLayout *m_places;
    widgets::EmptyState *m_empty;
    diagram::DiagramPanel *m_diagram;
    ResourceView *m_resourceView;
    Saying *m_sentence; ///< While presenting.
    QPushButton *m_leave;
    QWidget *m_side = nullptr;
    keytable::KeyTableView *m_table;
    widgets::EmptyState *m_noKeys;
    wire::WireLog *m_wire;
};

} // namespace latchkey::ui::clients
