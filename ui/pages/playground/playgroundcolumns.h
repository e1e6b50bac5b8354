#pragma once

#include <QSplitter>

#include <optional>

namespace latchkey::ui::playground {

class ClientCardArea;

/// The three columns of the Playground page: cards, diagram, and side panel, with the division of the width.
///
/// No card is cut at its side; cards take two columns only on a wide page. The user's choices take precedence: the
/// position of a splitter, and whether the side is shown. Owned by the page, as are the contents.
class PlaygroundColumns final : public QSplitter
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PlaygroundColumns)

public:
    /// Margin of the page in pixels at the left and at the right of the columns.
    static constexpr int pageMargin = 20;

    explicit PlaygroundColumns(QWidget *parent = nullptr);

    /// Sets the contents of the columns, from left to right.
    void setContents(ClientCardArea &cards, QWidget &middle, QWidget &side);
    /// Sets the choice of the user whether the side is shown.
    void setSideWanted(bool isWanted) { m_isSideWanted = isWanted; }
    /// Shows only the middle, or all columns.
    void setPresenting(bool isPresenting);
    /// Shows the side if the user has chosen so, or else if there is room. Returns whether it is shown.
    bool fitSide(int pageWidth);
    /// Sets the least width of the column of the cards, and shares the width if there are more cards than before. The
    /// other columns keep their own least widths.
    void fitCards(int pageWidth);
    /// Divides the width again when the next card is added, so that cards are side by side if there is room.
    void divideAgain() { m_sharedCards = 0; }

private:
    [[nodiscard]] int widthOfSide() const;
    /// Sets the initial widths of the columns.
    void share(int minCardsWidth, int pageWidth);

    // Not owned: children of the splitter.
    ClientCardArea *m_cards = nullptr;
    QWidget *m_side = nullptr;
    bool m_isPresenting = false;
    std::optional<bool> m_isSideWanted; ///< Choice of the user; absent: shown if there is room.
    int m_sharedCards = 0;              ///< Number of cards, at most 2, for which the columns were shared.
};

} // namespace latchkey::ui::playground
