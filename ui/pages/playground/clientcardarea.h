#pragma once

#include "ui/kit/widgets/emptystate.h"
#include "ui/pages/playground/clientcard.h"

#include <QScrollArea>

namespace latchkey::playground {
struct Preset;
}

namespace latchkey::ui::playground {

class FlowLayout;

/// The scroll area with the cards of the clients. Without a card it shows how to begin.
///
/// A removed card moves no other card, and a new card is scrolled into view when it has received its place. Owned by
/// the page; the appearance is not owned. It does not know the client pool: the page adds and removes the cards.
class ClientCardArea final : public QScrollArea
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ClientCardArea)

public:
    ClientCardArea(theme::Appearance &appearance, QWidget *parent = nullptr);

    [[nodiscard]] ClientCard &add(latchkey::playground::ClientProcess &client);
    /// Deletes the card of a client.
    void remove(const ClientCard &card);
    /// Returns the card of a client; null if it has none.
    [[nodiscard]] ClientCard *cardOf(const latchkey::playground::ClientProcess &client) const;
    [[nodiscard]] const QList<ClientCard *> &cards() const { return m_cards; }
    /// Moves the keyboard focus to the last card, and scrolls to it until its client has started.
    void enterLast();
    /// Returns whether a part of the card is in the visible part of the area.
    [[nodiscard]] bool isOnScreen(const ClientCard &card) const;
    /// Shows how to begin if there is no card. `canStart`: whether there is a server, so that clients can be added.
    void refreshEmptyState(bool canStart);

    /// Returns the number of cards and of the places of removed cards.
    [[nodiscard]] int placeCount() const;
    /// Returns the width at which no card is cut at its side; for the text in place of the cards if there is none.
    [[nodiscard]] int neededWidth() const;
    /// Returns the width for two cards side by side, if one needs `width`.
    [[nodiscard]] int widthForTwo(int width) const;

Q_SIGNALS:
    /// Emitted when neededWidth() may have changed, after the cards have their style and place.
    void neededWidthChanged();
    /// Emitted when the user begins with two clients.
    void twoClientsRequested();
    /// Emitted when the user begins with a preset.
    void presetRequested(const latchkey::playground::Preset &preset);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void scrollTo(const ClientCard &card);

    theme::Appearance &m_appearance;
    QWidget *m_content;
    FlowLayout *m_places; // Owned by the content.
    widgets::EmptyState *m_empty;
    QList<ClientCard *> m_cards;
};

} // namespace latchkey::ui::playground
