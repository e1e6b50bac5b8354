#include "ui/pages/playground/playgroundcolumns.h"

#include "ui/pages/playground/clientcardarea.h"

#include <algorithm>

namespace latchkey::ui::playground {

namespace {

constexpr int minSideWidth = 260;
constexpr int minDiagramWidth = 380;
/// Minimum width in pixels for the server's keys. In a narrower page they are hidden in favour of the diagram, unless
/// the user has opened them.
constexpr int widthWithSide = 1250;

} // namespace

PlaygroundColumns::PlaygroundColumns(QWidget *parent)
    : QSplitter(parent)
{
    setObjectName(QStringLiteral("columns"));
    setHandleWidth(14);
}

void PlaygroundColumns::setContents(ClientCardArea &cards, QWidget &middle, QWidget &side)
{
    m_cards = &cards;
    m_side = &side;
    middle.setMinimumWidth(minDiagramWidth);
    side.setMinimumWidth(minSideWidth);
    addWidget(&cards);
    addWidget(&middle);
    addWidget(&side);
    setChildrenCollapsible(false);
    setStretchFactor(1, 1);
}

void PlaygroundColumns::setPresenting(bool isPresenting)
{
    m_isPresenting = isPresenting;
    m_cards->setVisible(!isPresenting);
}

bool PlaygroundColumns::fitSide(int pageWidth)
{
    const bool isShown = !m_isPresenting && m_isSideWanted.value_or(pageWidth >= widthWithSide);
    m_side->setVisible(isShown);
    return isShown;
}

void PlaygroundColumns::fitCards(int pageWidth)
{
    const int maximum = width() - minDiagramWidth - handleWidth() - widthOfSide();
    const int narrowest = std::min(m_cards->neededWidth(), maximum);
    m_cards->setMinimumWidth(narrowest);
    const int cards = std::min(m_cards->placeCount(), 2);
    if (m_sharedCards < cards || sizes().front() < narrowest)
        share(narrowest, pageWidth);
    m_sharedCards = cards == 0 ? 0 : std::max(cards, m_sharedCards);
}

int PlaygroundColumns::widthOfSide() const
{
    constexpr int more = 40; // Additional width, because the log has long lines.
    return m_side->isVisibleTo(this) ? minSideWidth + more : 0;
}

void PlaygroundColumns::share(int minCardsWidth, int pageWidth)
{
    const int forSide = widthOfSide();
    const int two = m_cards->widthForTwo(minCardsWidth);
    const int margins = 2 * (handleWidth() + pageMargin);
    const bool isRoomForTwo = m_cards->placeCount() > 1 && two + minDiagramWidth + forSide + margins <= pageWidth;
    const int cards = isRoomForTwo ? two : minCardsWidth;
    setSizes({cards, std::max(minDiagramWidth, pageWidth - cards - forSide), forSide});
}

} // namespace latchkey::ui::playground
