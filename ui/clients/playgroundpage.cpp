#include "ui/clients/playgroundpage.h"

#include "ui/clients/flowlayout.h"
#include "ui/keytable/attention.h"
#include "ui/widgets/bidi.h"
#include "ui/widgets/elidedlabel.h"
#include "ui/widgets/plaintext.h"
#include "ui/wire/wirelog.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace latchkey::ui::clients {

using inspection::InspectedServer;
using keyspace::Watcher;
using keytable::KeyTableView;
using playground::ClientProcess;
using playground::ClientReport;
using playground::Crew;
using widgets::EmptyState;

namespace {

constexpr int widestSide = 430;
constexpr int narrowestSide = 320;
constexpr int cardSpacing = 14;

QLabel *makeLabel(const char *name, const QString &text, QWidget *parent)
{
    return widgets::makePlainLabel(QLatin1String(name), text, parent);
}

} // namespace

PlaygroundPage::PlaygroundPage(Crew &crew, theme::Appearance &appearance, const base::Clock &clock, QWidget *parent)
    : QWidget(parent)
    , m_crew(crew)
    , m_appearance(appearance)
    , m_clock(clock)
    , m_add(new QPushButton(tr("Add client"), this))
    , m_summary(new widgets::ElidedLabel(this))
    , m_scroll(new QScrollArea(this))
    , m_cardArea(new QWidget(m_scroll))
    , m_places(new FlowLayout(cardSpacing))
    , m_empty(new EmptyState(appearance, m_scroll->viewport()))
    , m_table(new KeyTableView(appearance, clock, this))
    , m_noKeys(new EmptyState(appearance, m_table->viewport()))
    , m_wire(new wire::WireLog(appearance, this))
{
    setObjectName(QStringLiteral("page"));
    m_add->setObjectName(QStringLiteral("addClient"));
    m_add->setProperty("kind", QStringLiteral("primary"));
    m_add->setShortcut(QKeySequence::New);
    connect(m_add, &QPushButton::clicked, this, &PlaygroundPage::addClient);
    m_summary->setObjectName(QStringLiteral("secondary"));
    m_table->setCompact(true);
    arrange();
    for (std::size_t i = 0; i < m_crew.size(); ++i)
        addCard(m_crew.at(i));
    connect(&m_crew, &Crew::added, this, &PlaygroundPage::addCard);
    connect(&m_crew, &Crew::aboutToBeRemoved, this, &PlaygroundPage::removeCard);
    connect(&m_appearance, &theme::Appearance::changed, this, &PlaygroundPage::applyAppearance);
    applyAppearance();
    refresh();
}

PlaygroundPage::~PlaygroundPage() = default;

void PlaygroundPage::arrange()
{
    auto *heading = new QVBoxLayout;
    heading->setSpacing(2);
    heading->addWidget(makeLabel("pageTitle", tr("Playground"), this));
    heading->addWidget(m_summary);
    auto *header = new QHBoxLayout;
    header->addLayout(heading, 1);
    header->addWidget(m_add);

    m_scroll->setObjectName(QStringLiteral("pageScroll"));
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_cardArea->setLayout(m_places);
    m_scroll->setWidget(m_cardArea);

    auto *body = new QHBoxLayout;
    body->setSpacing(18);
    // The side gets its full width first, and the cards what is left, but never less than they need.
    constexpr int first = 1000;
    body->addWidget(m_scroll, 1);
    body->addWidget(makeSide(), first);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(24, 18, 24, 16);
    layout->setSpacing(14);
    layout->addLayout(header);
    layout->addLayout(body, 1);
}

QWidget *PlaygroundPage::makeSide()
{
    auto *side = new QWidget(this);
    side->setMinimumWidth(narrowestSide);
    side->setMaximumWidth(widestSide);
    auto *layout = new QVBoxLayout(side);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(makeLabel("sectionTitle", tr("What the server knows"), side));
    layout->addWidget(m_table, 3);
    layout->addSpacing(6);
    layout->addWidget(makeLabel("sectionTitle", tr("On the wire"), side));
    layout->addWidget(m_wire, 2);
    return side;
}

void PlaygroundPage::applyAppearance()
{
    m_add->setIcon(m_appearance.icon(QStringLiteral("plus"), m_appearance.theme().onAccent));
    QFont small = m_appearance.monospaced();
    small.setPointSizeF(small.pointSizeF() * 0.88);
    m_wire->setFont(small);
}

void PlaygroundPage::setServer(InspectedServer *server)
{
    if (m_server) {
        m_server->watcher().disconnect(this);
        m_server->setAttention(*this, {});
    }
    m_server = server;
    m_table->setRows(nullptr);
    m_rows = server == nullptr ? nullptr : std::make_unique<rows::RowList>(server->store());
    m_table->setRows(m_rows.get());
    m_lastSeen = server == nullptr ? nullptr : std::make_unique<inspection::LastSeen>(server->session(), m_clock);
    if (server != nullptr)
        connect(&server->watcher(), &Watcher::ticked, this, &PlaygroundPage::tick);
    refresh();
}

void PlaygroundPage::enter()
{
    m_add->setFocus(Qt::OtherFocusReason);
}

void PlaygroundPage::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    QTimer::singleShot(0, this, &PlaygroundPage::fitCards);
    tick();
}

void PlaygroundPage::hideEvent(QHideEvent *event)
{
    if (m_server)
        m_server->watcher().setAttention({});
    QWidget::hideEvent(event);
}

void PlaygroundPage::addClient()
{
    m_crew.add();
    ClientCard *card = m_cards.back();
    card->enter();
    card->installEventFilter(this);
}

/// A card is scrolled to when it is given its place, which takes the layouts a few turns; until its client is at work.
bool PlaygroundPage::eventFilter(QObject *watched, QEvent *event)
{
    auto *card = qobject_cast<ClientCard *>(watched);
    const bool isPlaced = event->type() == QEvent::Move || event->type() == QEvent::Resize;
    if (card == nullptr || !isPlaced)
        return QWidget::eventFilter(watched, event);
    if (card->client().state() != ClientProcess::State::Starting || m_cards.isEmpty() || card != m_cards.back())
        card->removeEventFilter(this);
    else
        QTimer::singleShot(0, card, [this, card] { scrollTo(*card); }); // When the others have theirs too.
    return false;
}

void PlaygroundPage::scrollTo(const ClientCard &card)
{
    QScrollBar *bar = m_scroll->verticalScrollBar();
    const int height = m_scroll->viewport()->height();
    // Its top in any case: where it does not fit, its fields are what is wanted.
    const int top = card.y();
    const int bottom = std::min(card.geometry().bottom(), top + height);
    if (top < bar->value())
        bar->setValue(top);
    else if (bottom > bar->value() + height)
        bar->setValue(bottom - height);
}

void PlaygroundPage::addCard(ClientProcess &client)
{
    auto *card = new ClientCard(client, m_appearance, m_cardArea);
    m_cards += card;
    m_places->addWidget(card);
    QTimer::singleShot(0, this, &PlaygroundPage::fitCards); // When it is styled, and so knows how wide it has to be.
    // Not from within the card's own signal.
    connect(card, &ClientCard::removalAsked, this, [this, &client] { m_crew.remove(client); }, Qt::QueuedConnection);
    connect(&client, &ClientProcess::changed, card, [this, card] { refreshCard(*card); });
    connect(&client, &ClientProcess::reported, this,
            [this, &client](const ClientReport &report) { logWire(client, report); });
    refreshCard(*card);
    refresh();
}

void PlaygroundPage::removeCard(const ClientProcess &client)
{
    const auto found = std::ranges::find_if(m_cards, [&](ClientCard *card) { return &card->client() == &client; });
    if (found == m_cards.end())
        return;
    ClientCard *card = *found;
    const QWidget *focused = window()->focusWidget();
    const bool hadKeyboard = focused == card || card->isAncestorOf(focused);
    m_cards.erase(found);
    m_places->vacate(*card);
    delete card;
    if (hadKeyboard)
        enter();
    refresh();
}

void PlaygroundPage::fitCards()
{
    m_scroll->setMinimumWidth(m_places->minimumSize().width() + m_scroll->verticalScrollBar()->sizeHint().width());
}

QString PlaygroundPage::summary() const
{
    if (!m_server)
        return tr("Starting a private server…");
    const QString server = widgets::isolated(m_server->endpoint().display());
    const int count = static_cast<int>(m_cards.size());
    return count == 1 ? tr("1 client on the private server %1").arg(server)
                      : tr("%n clients on the private server %1", nullptr, count).arg(server);
}

void PlaygroundPage::refresh()
{
    m_add->setEnabled(m_server != nullptr);
    m_summary->setText(summary());
    if (m_cards.isEmpty())
        m_empty->show(QStringLiteral("playground"), tr("Nobody here yet"),
                      tr("Each client is a process of its own. Add two, let both go for one lock, then crash the one "
                         "that holds it and watch its lease run out."),
                      m_server ? tr("Add two clients") : QString(), [this] {
                          m_crew.add();
                          m_crew.add();
                          m_cards.front()->enter();
                      });
    else
        m_empty->hide();
    tick();
}

void PlaygroundPage::tick()
{
    if (!m_server)
        return;
    if (!isVisible() || window()->isMinimized()) {
        m_server->setAttention(*this, {}); // A page that nobody sees costs nothing.
        return;
    }
    if (m_rows->rowCount() == 0)
        m_noKeys->show(QStringLiteral("key"), tr("No keys"), QString());
    else
        m_noKeys->hide();
    m_table->showAsOf(m_lastSeen->outOfSightSince());
    m_server->setAttention(*this, keytable::keysOnScreen(*m_table));
    for (ClientCard *card : std::as_const(m_cards))
        refreshCard(*card);
}

void PlaygroundPage::refreshCard(ClientCard &card)
{
    if (!m_server || !isVisible())
        return;
    Truth truth = truthOf(m_server->store(), card.key(), m_crew);
    truth.isOutOfSight = m_lastSeen->outOfSightSince().has_value();
    card.showBelief(describe(card.client(), truth, m_clock.now()));
}

void PlaygroundPage::logWire(const ClientProcess &client, const ClientReport &report)
{
    if (report.event == ClientReport::Event::Wire)
        m_wire->add(client.name(), report.command, report.reply.toString());
    else if (report.event
             != ClientReport::Event::Renewed) // Which comes of itself, and goes on for as long as the lock.
        m_wire->closeAct(client.name());
}

} // namespace latchkey::ui::clients
