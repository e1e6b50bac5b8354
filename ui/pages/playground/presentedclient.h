#pragma once

#include "ui/pages/playground/clientcard.h"

#include <QFrame>

class QLabel;
class QPushButton;

namespace latchkey::ui::playground {

class FlowLayout;

/// The controls of one client while the Playground is presented: name, state and the buttons for a demonstration.
///
/// Each button has the text and state of a button of the client's card, and clicks that button. Owned by its parent.
/// The card is not owned and must outlive this object.
class PresentedClient final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PresentedClient)

public:
    PresentedClient(ClientCard &card, theme::Appearance &appearance, QWidget *parent = nullptr);

    [[nodiscard]] const ClientCard &card() const { return m_card; }

private:
    /// A button, and the button of the card that it clicks.
    struct Pair
    {
        QPushButton *shown;
        const QPushButton *cardButton; // Not owned: the card's.
    };

    void updateCard();

    ClientCard &m_card;
    widgets::Pill *m_state;
    QList<Pair> m_buttons;
};

/// The bar above a presented Playground: the controls of all clients, and the button that ends the presentation. Owned
/// by the page. The appearance is not owned.
class PresentedClients final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PresentedClients)

public:
    explicit PresentedClients(theme::Appearance &appearance, QWidget *parent = nullptr);

    /// Adds the controls of a client. They must be removed before its card is destroyed.
    void add(ClientCard &card);
    void remove(const ClientCard &card);
    /// Sets the height of the names in pixels.
    void setNamePixels(int pixels);

Q_SIGNALS:
    void leaveRequested();

private:
    theme::Appearance &m_appearance;
    FlowLayout *m_clientLayout; // Owned by its layout.
    QList<PresentedClient *> m_clients;
};

} // namespace latchkey::ui::playground
