#pragma once

#include "core/inspection/inspectedserver.h"
#include "ui/clients/clientcard.h"
#include "ui/keytable/keytableview.h"
#include "ui/widgets/emptystate.h"

#include <QPointer>
#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QScrollArea;

namespace latchkey::ui::clients {

/// Clients that compete for locks, each a process of its own: their cards, what the server knows, and every command
/// that travels between them. Owned by the main window; crew, server, appearance and clock are not owned.
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

private:
    void arrange();
    void applyAppearance();
    void addCard(playground::ClientProcess &client);
    void removeCard(const playground::ClientProcess &client);
    void refresh();
    void refreshCards();
    void logWire(const playground::ClientProcess &client, const playground::ClientReport &report);

    playground::Crew &m_crew;
    theme::Appearance &m_appearance;
    const base::Clock &m_clock;
    QPointer<inspection::InspectedServer> m_server;
    QList<ClientCard *> m_cards;
    QPushButton *m_add;
    QLabel *m_summary;
    QScrollArea *m_scroll;
    QWidget *m_cardArea;
    widgets::EmptyState *m_empty;
    keytable::KeyTableView *m_table;
    widgets::EmptyState *m_noKeys;
    QPlainTextEdit *m_wire;
};

} // namespace latchkey::ui::clients
