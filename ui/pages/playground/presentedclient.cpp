#include "ui/pages/playground/presentedclient.h"

#include "ui/kit/widgets/pill.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/pages/playground/flowlayout.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include <algorithm>

namespace latchkey::ui::playground {

namespace {

constexpr int spacingOfClients = 10;

} // namespace

PresentedClient::PresentedClient(ClientCard &card, theme::Appearance &appearance, QWidget *parent)
    : QFrame(parent)
    , m_card(card)
    , m_state(new widgets::Pill(appearance, this))
{
    setObjectName(QStringLiteral("presentedClient"));
    setAccessibleName(card.client().name());
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(10, 4, 6, 4);
    layout->setSpacing(6);
    layout->addWidget(widgets::makePlainLabel(QStringLiteral("presentedName"), card.client().name(), this));
    layout->addWidget(m_state);
    layout->addStretch(1);
    for (QPushButton *cardButton : card.presentedButtons()) {
        auto *shown = new QPushButton(this);
        shown->setObjectName(QStringLiteral("presented-") + cardButton->objectName());
        shown->setProperty("kind", cardButton->property("kind"));
        layout->addWidget(shown);
        m_buttons += Pair {shown, cardButton};
        connect(shown, &QPushButton::clicked, cardButton, &QPushButton::click);
    }
    connect(&card, &ClientCard::refreshed, this, &PresentedClient::updateCard);
    updateCard();
}

void PresentedClient::updateCard()
{
    m_state->set(m_card.statePill().text(), m_card.statePill().tone());
    for (const Pair &pair : std::as_const(m_buttons)) {
        pair.shown->setText(pair.cardButton->text());
        pair.shown->setToolTip(pair.cardButton->toolTip());
        pair.shown->setEnabled(pair.cardButton->isEnabled());
        pair.shown->setVisible(m_card.isOffered(*pair.cardButton));
    }
}

PresentedClients::PresentedClients(theme::Appearance &appearance, QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
    , m_clientLayout(new FlowLayout(spacingOfClients))
{
    auto *leave = new QPushButton(tr("Exit (Esc)"), this);
    leave->setObjectName(QStringLiteral("leavePresenting"));
    leave->setProperty("kind", QStringLiteral("quiet"));
    leave->setToolTip(tr("Back to the clients"));
    connect(leave, &QPushButton::clicked, this, &PresentedClients::leaveRequested);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(spacingOfClients);
    layout->addLayout(m_clientLayout, 1);
    layout->addWidget(leave, 0, Qt::AlignTop);
}

void PresentedClients::add(ClientCard &card)
{
    m_clients += new PresentedClient(card, m_appearance, this);
    m_clientLayout->addWidget(m_clients.back());
}

void PresentedClients::remove(const ClientCard &card)
{
    const auto found = std::ranges::find_if(m_clients, [&](PresentedClient *each) { return &each->card() == &card; });
    if (found == m_clients.end())
        return;
    m_clientLayout->removeKeepingCell(**found);
    delete *found;
    m_clients.erase(found);
}

void PresentedClients::setNamePixels(int pixels)
{
    setStyleSheet(QStringLiteral("#presentedName { font-size: %1px; }").arg(pixels));
}

} // namespace latchkey::ui::playground
