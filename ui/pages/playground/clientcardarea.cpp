#include "ui/pages/playground/clientcardarea.h"

#include "ui/pages/playground/flowlayout.h"
#include "ui/pages/playground/presetbutton.h"

#include <QEvent>
#include <QScrollBar>
#include <QTimer>

#include <algorithm>

namespace latchkey::ui::playground {

using latchkey::playground::ClientProcess;
using latchkey::playground::Preset;
using widgets::EmptyState;

namespace {

constexpr int cardSpacing = 14;

} // namespace

ClientCardArea::ClientCardArea(theme::Appearance &appearance, QWidget *parent)
    : QScrollArea(parent)
    , m_appearance(appearance)
    , m_content(new QWidget(this))
    , m_places(new FlowLayout(cardSpacing))
    , m_empty(new EmptyState(appearance, viewport()))
{
    setObjectName(QStringLiteral("pageScroll"));
    setFocusPolicy(Qt::NoFocus); // The focus scrolls to the controls of the cards.
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_content->setLayout(m_places);
    m_content->installEventFilter(this);
    setWidget(m_content);
}

ClientCard &ClientCardArea::add(ClientProcess &client)
{
    auto *card = new ClientCard(client, m_appearance, m_content);
    m_cards += card;
    m_places->addWidget(card);
    QTimer::singleShot(0, this, &ClientCardArea::neededWidthChanged); // Runs after the card has its style, and so its
                                                                      // minimum width.
    return *card;
}

void ClientCardArea::remove(const ClientCard &card)
{
    const auto found = std::ranges::find(m_cards, &card);
    if (found == m_cards.end())
        return;
    ClientCard *removed = *found;
    m_cards.erase(found);
    m_places->removeKeepingCell(*removed);
    delete removed;
}

ClientCard *ClientCardArea::cardOf(const ClientProcess &client) const
{
    const auto found = std::ranges::find_if(m_cards, [&](ClientCard *card) { return &card->client() == &client; });
    return found == m_cards.end() ? nullptr : *found;
}

void ClientCardArea::enterLast()
{
    ClientCard *card = m_cards.back();
    card->takeFocus();
    card->installEventFilter(this);
}

bool ClientCardArea::isOnScreen(const ClientCard &card) const
{
    return card.geometry().intersects(viewport()->rect().translated(-m_content->pos()));
}

void ClientCardArea::refreshEmptyState(bool canStart)
{
    std::vector<EmptyState::Choice> choices;
    for (const Preset &preset : latchkey::playground::presets()) {
        if (canStart)
            choices.push_back({QStringLiteral("start-") + QLatin1String(preset.id), titleOf(preset),
                               explanationOf(preset), [this, &preset] { Q_EMIT presetRequested(preset); }});
    }
    m_empty->setChoices(std::move(choices));
    if (m_cards.isEmpty())
        m_empty->show(QStringLiteral("playground"), tr("No clients yet"),
                      tr("Each client is a separate process. Add two, let both acquire one lock, then crash the holder "
                         "and watch its lease expire."),
                      canStart ? tr("Add two clients") : QString(), [this] { Q_EMIT twoClientsRequested(); });
    else
        m_empty->hide();
}

int ClientCardArea::placeCount() const
{
    return m_places->count();
}

int ClientCardArea::neededWidth() const
{
    const int forText = 40 * fontMetrics().averageCharWidth();
    const int forCards = m_places->count() > 0 ? m_places->minimumSize().width() : forText;
    return forCards + verticalScrollBar()->sizeHint().width();
}

int ClientCardArea::widthForTwo(int width) const
{
    return 2 * width + m_places->spacing() - verticalScrollBar()->sizeHint().width();
}

/// Scrolls to a new card after it has received its place. This takes several layout passes, and ends when the client
/// has started to work.
bool ClientCardArea::eventFilter(QObject *watched, QEvent *event)
{
    // A card asks for more room when its texts become longer.
    if (watched == m_content && event->type() == QEvent::LayoutRequest)
        QTimer::singleShot(0, this, &ClientCardArea::neededWidthChanged);
    auto *card = qobject_cast<ClientCard *>(watched);
    const bool isPlaced = event->type() == QEvent::Move || event->type() == QEvent::Resize;
    if (card == nullptr || !isPlaced)
        return QScrollArea::eventFilter(watched, event);
    if (card->client().state() != ClientProcess::State::Starting || m_cards.isEmpty() || card != m_cards.back())
        card->removeEventFilter(this);
    else
        QTimer::singleShot(0, card, [this, card] { scrollTo(*card); }); // Runs after the other cards have been placed
                                                                        // too.
    return false;
}

void ClientCardArea::scrollTo(const ClientCard &card)
{
    QScrollBar *bar = verticalScrollBar();
    const int height = viewport()->height();
    // The top is always visible: a card that does not fit should show its fields.
    const int top = card.y();
    const int bottom = std::min(card.geometry().bottom(), top + height);
    if (top < bar->value())
        bar->setValue(top);
    else if (bottom > bar->value() + height)
        bar->setValue(bottom - height);
}

} // namespace latchkey::ui::playground
