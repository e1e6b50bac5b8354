#pragma once

#include "core/inspect/inspection/inspectedserver.h"
#include "core/inspect/inspection/sight.h"
#include "core/playground/playground/preset.h"
#include "core/playground/playground/sequencerecorder.h"
#include "core/playground/playground/serverpool.h"
#include "core/playground/scenarios/resource.h"
#include "ui/kit/widgets/emptystate.h"
#include "ui/pages/playground/clientcard.h"
#include "ui/pages/playground/resourceview.h"
#include "ui/views/keytable/keytableview.h"

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

namespace latchkey::ui::commandlog {
class CommandLogView;
}

namespace latchkey::ui::playground {

class FlowLayout;
class PresentedClients;
class StableLabel;
class ServerStrip;

/// The Playground page: clients that compete for locks, each a separate process. It shows their cards, the server's
/// keys, the resource that the locks protect, and a sequence diagram of all commands.
///
/// A hidden page paints nothing and sends no requests. It records the events of the clients and is up to date when it
/// is shown again. Owned by the main window. Client pool, server pool, server, appearance and clock are not owned.
class PlaygroundPage final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PlaygroundPage)

public:
    PlaygroundPage(latchkey::playground::ClientPool &clientPool, latchkey::playground::ServerPool &serverPool,
                   theme::Appearance &appearance, const base::Clock &clock, QWidget *parent = nullptr);
    ~PlaygroundPage() override;

    /// Sets the server of the clients. Null without a server.
    void setServer(inspection::InspectedServer *server);
    /// Moves the keyboard focus to the page.
    void enter();
    /// Shows only the controls of the clients, the diagram, the resource and a sentence about the last result, in large
    /// type.
    void setPresenting(bool isPresenting);
    [[nodiscard]] bool isPresenting() const { return m_isPresenting; }
    /// Adds a client, as a click on the button does. Does nothing while the button is disabled.
    void requestClient();
    /// Removes all clients and starts a preset, which must stay valid.
    void startPreset(const latchkey::playground::Preset &preset);

Q_SIGNALS:
    /// Emitted when a presentation starts or ends, before the page changes its own layout.
    void presentingChanged(bool isPresenting);

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
    /// Sets the font sizes of a presentation, or the usual ones.
    void applySizes();
    /// Shows the result of an order in the sentence of the presentation.
    void showLast(const latchkey::playground::ClientProcess &client, const latchkey::playground::ClientReport &report);
    void setUpShortcuts();
    void setUpPresets();
    void namePresets();
    void setUpServers();
    void addActsOnOne(QMenu &menu);
    void showServers();
    [[nodiscard]] QStringList serverNames() const;
    /// Reports a state change of a server to the diagram.
    void serverChanged(int server);
    void fitServers();
    /// Returns whether each server is queried separately: there are several, or the only one was killed or frozen.
    [[nodiscard]] bool areServersPolled() const;
    void requestServerContents();
    void recordServerContents();
    [[nodiscard]] KeyServerState truthFor(const ClientCard &card) const;
    void fitSide();
    /// Sets the initial widths of the columns, until the user moves a splitter. Cards take two columns only on a wide
    /// page.
    void shareColumns(int minCardsWidth);
    void showResource();
    [[nodiscard]] BelievedHolder::Mistake mistakeOf(const sequence::Belief &belief) const;
    void showWrite(const latchkey::playground::ClientProcess &client, const latchkey::playground::ClientReport &report);
    /// Reports the locks on the servers to the diagram.
    void readServers();
    void applyAppearance();
    /// Adds a client on request of the user, scrolls to its card and moves the keyboard focus there.
    void addClient();
    void scrollTo(const ClientCard &card);
    void addCard(latchkey::playground::ClientProcess &client);
    /// Sets the least width of the column of the cards, so that no card is cut at its side. The diagram and the log
    /// keep their own least widths.
    void fitCards();
    [[nodiscard]] int widthOfSide() const;
    void removeCard(const latchkey::playground::ClientProcess &client);
    /// Updates everything that depends on clients and server.
    void refresh();
    /// Updates everything that depends on the time.
    void tick();
    [[nodiscard]] std::vector<keys::KeyId> visibleKeys() const;
    void refreshCard(ClientCard &card);
    void logWire(const latchkey::playground::ClientProcess &client, const latchkey::playground::ClientReport &report);
    [[nodiscard]] QString summary() const;

    latchkey::playground::ClientPool &m_clientPool;
    latchkey::playground::ServerPool &m_serverPool;
    theme::Appearance &m_appearance;
    const base::Clock &m_clock;
    QPointer<inspection::InspectedServer> m_server;
    std::unique_ptr<rows::RowList> m_rows;
    QList<ClientCard *> m_cards;
    latchkey::playground::SequenceRecorder m_recorder;
    scenarios::Resource m_resource;
    quint64 m_ticks = 0;
    qsizetype m_sharedCards = 0; ///< Number of cards, at most 2, for which the columns were shared.
    bool m_isPresenting = false;
    std::optional<bool> m_isSideWanted; ///< Choice of the user; absent: shown if there is room.
    QList<latchkey::playground::ServerPool::State> m_serverStates; ///< States known to the diagram, by server lane.
    latchkey::playground::PresetRunner m_presetRunner;
    const latchkey::playground::Preset *m_preset = nullptr; ///< Last started preset; null after all clients were
                                                            ///< removed.
    QWidget *m_header = nullptr;
    QPushButton *m_presetMenu;
    QLabel *m_hint; ///< Hint about possible actions in the preset.
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
    // Shown only while presenting:
    StableLabel *m_sentence;
    QPushButton *m_leave;
    PresentedClients *m_controls;
    QWidget *m_side = nullptr;
    keytable::KeyTableView *m_table;
    widgets::EmptyState *m_noKeys;
    commandlog::CommandLogView *m_commandLog;
};

} // namespace latchkey::ui::playground
