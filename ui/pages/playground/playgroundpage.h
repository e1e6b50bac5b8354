#pragma once

#include "core/inspect/inspection/inspectedserver.h"
#include "core/playground/playground/preset.h"
#include "core/playground/playground/sequencerecorder.h"
#include "core/playground/playground/serverpool.h"
#include "ui/pages/playground/servercontents.h"
#include "ui/pages/playground/serverlanes.h"

#include <QPointer>
#include <QWidget>

class QLabel;

namespace latchkey::ui::playground {

class ClientCardArea;
class PlaygroundColumns;
class PlaygroundHeader;
class PresentedClients;
class SequencePanel;
class ServerPanel;
class ServerStrip;

/// The Playground page: clients that compete for locks, each a separate process. It shows their cards, the server's
/// keys, the resource that the locks protect, and a sequence diagram of all commands.
///
/// The page connects its parts with the clients and the servers; the parts do not know each other. A hidden page paints
/// nothing and sends no requests. It records the events of the clients and is up to date when it is shown again. Owned
/// by the main window. Client pool, server pool, server, appearance and clock are not owned.
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
    void takeFocus();
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
    void resizeEvent(QResizeEvent *event) override;

private:
    void setUpLayout();
    void connectParts();
    void connectPools();
    /// Sets the font sizes of a presentation, or the usual ones.
    void applySizes();
    void fitCards();
    void fitSide();
    /// Updates everything that depends on the language.
    void retranslate();
    /// Adds a client on request of the user, scrolls to its card and moves the keyboard focus there.
    void addClient();
    void addTwoClients();
    void addCard(latchkey::playground::ClientProcess &client);
    void removeCard(const latchkey::playground::ClientProcess &client);
    /// Updates everything that depends on clients and server.
    void refresh();
    void refreshPreset();
    /// Updates everything that depends on the time.
    void tick();
    void refreshCards(bool withHidden);
    void refreshServers();
    void requestServerContents();
    /// Reports the locks on the servers to the diagram.
    void recordServerContents();
    void refreshResource();
    [[nodiscard]] std::vector<keys::KeyId> visibleKeys() const;
    [[nodiscard]] QString summary() const;

    latchkey::playground::ClientPool &m_clientPool;
    latchkey::playground::ServerPool &m_serverPool;
    theme::Appearance &m_appearance;
    const base::Clock &m_clock;
    QPointer<inspection::InspectedServer> m_server;
    latchkey::playground::SequenceRecorder m_recorder;
    ServerLanes m_lanes;
    ServerContents m_contents;
    latchkey::playground::PresetRunner m_presetRunner;
    const latchkey::playground::Preset *m_preset = nullptr; ///< Last started preset; null after all clients were
                                                            ///< removed.
    quint64 m_ticks = 0;
    bool m_isPresenting = false;
    PlaygroundHeader *m_header;
    QLabel *m_hint; ///< Hint about possible actions in the preset.
    ServerStrip *m_servers;
    PlaygroundColumns *m_columns;
    ClientCardArea *m_cards;
    SequencePanel *m_middle;
    PresentedClients *m_controls; ///< Shown only while presenting.
    ServerPanel *m_side;
};

} // namespace latchkey::ui::playground
