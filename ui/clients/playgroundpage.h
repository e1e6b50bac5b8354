#pragma once

#include "core/inspection/inspectedserver.h"
#include "core/inspection/lastseen.h"
#include "ui/clients/clientcard.h"
#include "ui/keytable/keytableview.h"
#include "ui/widgets/emptystate.h"

#include <QPointer>
#include <QWidget>

class QLabel;
class QPushButton;
class QScrollArea;

namespace latchkey::ui::wire {
class WireLog;
}

namespace latchkey::ui::clients {

class FlowLayout;

/// Clients that compete for locks, each a process of its own: their cards, what the server knows, and every command
/// that travels between them. While it is not shown it follows nothing: showing it brings it up to date. Owned by the
/// main window; crew, server, appearance and clock are not owned.
class PlaygroundPage final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PlaygroundPage)

public:
    PlaygroundPage(playground::Crew &crew, theme::Appearance &appearance, const base::Clock &clock,
                   QWidget *parent = nullptr);
    ~PlaygroundPage() override;

    /// The server on which the clients work; null while there is none.
    void setServer(inspection::InspectedServer *server);
    /// Puts the keyboard on the page.
    void enter();

protected:
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void arrange();
    [[nodiscard]] QWidget *makeSide();
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
    void refreshCard(ClientCard &card);
    void logWire(const playground::ClientProcess &client, const playground::ClientReport &report);
    [[nodiscard]] QString summary() const;

    playground::Crew &m_crew;
    theme::Appearance &m_appearance;
    const base::Clock &m_clock;
    QPointer<inspection::InspectedServer> m_server;
    std::unique_ptr<rows::RowList> m_rows;
    std::unique_ptr<inspection::LastSeen> m_lastSeen;
    QList<ClientCard *> m_cards;
    QPushButton *m_add;
    QLabel *m_summary;
    QScrollArea *m_scroll;
    QWidget *m_cardArea;
    FlowLayout *m_places;
    widgets::EmptyState *m_empty;
    keytable::KeyTableView *m_table;
    widgets::EmptyState *m_noKeys;
    wire::WireLog *m_wire;
};

} // namespace latchkey::ui::clients
