#include "ui/pages/playground/playgroundpage.h"

#include "core/playground/scenarios/savedscenario.h"
#include "ui/kit/widgets/bidi.h"
#include "ui/kit/widgets/elidedlabel.h"
#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/pages/playground/flowlayout.h"
#include "ui/pages/playground/presentedclient.h"
#include "ui/pages/playground/serverstrip.h"
#include "ui/pages/playground/stablelabel.h"
#include "ui/views/commandlog/commandlogview.h"
#include "ui/views/diagram/diagrampanel.h"
#include "ui/views/keytable/attention.h"

#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QTimer>

#include <algorithm>

namespace latchkey::ui::playground {

using inspection::InspectedServer;
using keytable::KeyTableView;
using latchkey::playground::ClientPool;
using latchkey::playground::ClientProcess;
using latchkey::playground::ClientReport;
using watching::Watcher;
using widgets::EmptyState;

namespace {

constexpr int cardSpacing = 14;
/// Number of watcher ticks (30 per second) between two updates of a visible card; ticksUnseen: of a hidden card.
constexpr quint64 ticksSeen = 8;
constexpr quint64 ticksUnseen = 40;
/// Number of ticks between two requests to all servers, if there are several.
constexpr quint64 ticksPerPoll = 9;

} // namespace

PlaygroundPage::PlaygroundPage(ClientPool &clientPool, latchkey::playground::ServerPool &serverPool,
                               theme::Appearance &appearance, const base::Clock &clock, QWidget *parent)
    : QWidget(parent)
    , m_clientPool(clientPool)
    , m_serverPool(serverPool)
    , m_appearance(appearance)
    , m_clock(clock)
    , m_recorder({tr("server")}, clock)
    , m_presetRunner(clientPool, serverPool)
    , m_presetMenu(new QPushButton(tr("Presets"), this))
    , m_hint(widgets::makePlainLabel(QStringLiteral("secondary"), {}, this))
    , m_serverCount(new QPushButton(this))
    , m_servers(new ServerStrip(serverPool, clientPool, appearance, this))
    , m_add(new QPushButton(tr("Add client"), this))
    , m_showSide(new QPushButton(tr("Keys and log"), this))
    , m_present(new QPushButton(tr("Present"), this))
    , m_summary(new widgets::ElidedLabel(this))
    , m_columns(new QSplitter(this))
    , m_scroll(new QScrollArea(m_columns))
    , m_cardArea(new QWidget(m_scroll))
    , m_places(new FlowLayout(cardSpacing))
    , m_empty(new EmptyState(appearance, m_scroll->viewport()))
    , m_diagram(new diagram::DiagramPanel(clock, appearance, this))
    , m_resourceView(new ResourceView(this))
    , m_sentence(new StableLabel(QStringLiteral("sentence"), this, 1))
    , m_leave(new QPushButton(tr("Exit (Esc)"), this))
    , m_controls(new PresentedClients(*m_leave, appearance, this))
    , m_table(new KeyTableView(appearance, clock, this))
    , m_noKeys(new EmptyState(appearance, m_table->viewport()))
    , m_commandLog(new commandlog::CommandLogView(appearance, this))
{
    setObjectName(QStringLiteral("page"));
    m_summary->setObjectName(QStringLiteral("secondary"));
    m_table->setCompact(true);
    setUpButtons();
    setUpPresets();
    arrange();
    setUpShortcuts();
    setUpServers();
    m_diagram->setSequence(&m_recorder.sequence());
    m_diagram->setClearable(true);
    m_diagram->setStoryMaker([this]() -> base::Result<diagram::StoryFile> {
        const auto saved = scenarios::savedScenarioOf(m_recorder.sequence(), m_recorder.eventLog());
        if (!saved)
            return base::failure(saved.error());
        QStringList leftOut;
        for (const base::Text &what : saved->leftOut)
            leftOut += what.toString();
        return diagram::StoryFile {saved->file, leftOut};
    });
    m_diagram->view().setEmptyText(tr("Commands and replies between clients and server are drawn here."));
    connect(m_diagram, &diagram::DiagramPanel::clearRequested, &m_recorder,
            &latchkey::playground::SequenceRecorder::clear);
    connect(&m_recorder, &latchkey::playground::SequenceRecorder::changed, m_diagram, &diagram::DiagramPanel::refresh);
    connect(&m_recorder, &latchkey::playground::SequenceRecorder::changed, this, &PlaygroundPage::showResource);
    for (std::size_t i = 0; i < m_clientPool.size(); ++i)
        addCard(m_clientPool.at(i));
    connect(&m_clientPool, &ClientPool::added, this, &PlaygroundPage::addCard);
    connect(&m_clientPool, &ClientPool::aboutToBeRemoved, this, &PlaygroundPage::removeCard);
    connect(&m_appearance, &theme::Appearance::changed, this, &PlaygroundPage::applyAppearance);
    applyAppearance();
    refresh();
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this, [this] {
        m_diagram->view().setEmptyText(tr("Commands and replies between clients and server are drawn here."));
        m_resourceView->showWrites(m_resource);
        showServers();
        refresh();
    });
}

PlaygroundPage::~PlaygroundPage() = default;

void PlaygroundPage::readServers()
{
    if (!m_server)
        return;
    if (areServersPolled())
        return recordServerContents();
    for (const base::Key &key : m_recorder.keys()) {
        const KeyServerState truth = truthOf(m_server->store(), key, m_clientPool);
        m_recorder.see(0, key, truth.exists, truth.holder, truth.deadline.at());
    }
}

void PlaygroundPage::applyAppearance()
{
    m_add->setIcon(m_appearance.icon(QStringLiteral("plus"), m_appearance.theme().onAccent));
    m_showSide->setIcon(m_appearance.icon(QStringLiteral("server")));
    m_present->setIcon(m_appearance.icon(QStringLiteral("play")));
    QFont small = m_appearance.monospaced();
    small.setPointSizeF(small.pointSizeF() * 0.88);
    m_commandLog->setFont(small);
}

void PlaygroundPage::setServer(InspectedServer *server)
{
    if (m_server) {
        m_server->watcher().disconnect(this);
        m_server->disconnect(this);
        m_server->setVisibleKeys(*this, {});
    }
    m_server = server;
    m_table->setRows(nullptr);
    m_rows = server == nullptr ? nullptr : std::make_unique<rows::RowList>(server->store());
    m_table->setRows(m_rows.get());
    if (server != nullptr) {
        connect(&server->watcher(), &Watcher::ticked, this, &PlaygroundPage::tick);
        connect(server, &InspectedServer::committed, this, &PlaygroundPage::readServers);
    }
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
    showResource();
    tick();
}

void PlaygroundPage::hideEvent(QHideEvent *event)
{
    if (m_server)
        m_server->setVisibleKeys(*this, {});
    QWidget::hideEvent(event);
}

void PlaygroundPage::addClient()
{
    m_clientPool.add();
    ClientCard *card = m_cards.back();
    card->enter();
    card->installEventFilter(this);
}

/// Scrolls to a new card after it has received its place. This takes several layout passes, and ends when the client
/// has started to work.
bool PlaygroundPage::eventFilter(QObject *watched, QEvent *event)
{
    // A card asks for more room when its texts become longer.
    if (watched == m_cardArea && event->type() == QEvent::LayoutRequest)
        QTimer::singleShot(0, this, &PlaygroundPage::fitCards);
    auto *card = qobject_cast<ClientCard *>(watched);
    const bool isPlaced = event->type() == QEvent::Move || event->type() == QEvent::Resize;
    if (card == nullptr || !isPlaced)
        return QWidget::eventFilter(watched, event);
    if (card->client().state() != ClientProcess::State::Starting || m_cards.isEmpty() || card != m_cards.back())
        card->removeEventFilter(this);
    else
        QTimer::singleShot(0, card, [this, card] { scrollTo(*card); }); // Runs after the other cards have been placed
                                                                        // too.
    return false;
}

void PlaygroundPage::scrollTo(const ClientCard &card)
{
    QScrollBar *bar = m_scroll->verticalScrollBar();
    const int height = m_scroll->viewport()->height();
    // The top is always visible: a card that does not fit should show its fields.
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
    m_controls->add(*card);
    QTimer::singleShot(0, this, &PlaygroundPage::fitCards); // Runs after the card has its style, and so its minimum
                                                            // width.
    // Queued, because the card must not be deleted within its own signal.
    connect(
        card, &ClientCard::removalRequested, this, [this, &client] { m_clientPool.remove(client); },
        Qt::QueuedConnection);
    connect(
        card, &ClientCard::restartRequested, this, [this, &client] { m_clientPool.restart(client); },
        Qt::QueuedConnection);
    m_recorder.follow(client);
    connect(&client, &ClientProcess::reported, this, [this, &client](const ClientReport &report) {
        logWire(client, report);
        showWrite(client, report);
        showLast(client, report);
    });
    refreshCard(*card);
    refresh();
}

void PlaygroundPage::removeCard(const ClientProcess &client)
{
    m_recorder.forget(client);
    const auto found = std::ranges::find_if(m_cards, [&](ClientCard *card) { return &card->client() == &client; });
    if (found == m_cards.end())
        return;
    ClientCard *card = *found;
    const QWidget *focused = window()->focusWidget();
    const bool hadKeyboard = focused == card || card->isAncestorOf(focused);
    m_cards.erase(found);
    m_controls->remove(*card);
    m_places->vacate(*card);
    delete card;
    if (hadKeyboard)
        enter();
    refresh();
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
    if (m_cards.isEmpty() && m_presetRunner.running() == nullptr)
        m_preset = nullptr;
    namePresets();
    if (m_cards.isEmpty())
        m_empty->show(QStringLiteral("playground"), tr("No clients yet"),
                      tr("Each client is a separate process. Add two, let both acquire one lock, then crash the holder "
                         "and watch its lease expire."),
                      m_server ? tr("Add two clients") : QString(), [this] {
                          m_clientPool.add();
                          m_clientPool.add();
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
        m_server->setVisibleKeys(*this, {}); // A hidden page causes no requests.
        return;
    }
    if (m_rows->rowCount() == 0)
        m_noKeys->show(QStringLiteral("key"), tr("No keys"), QString());
    else
        m_noKeys->hide();
    const auto unseen = inspection::unseenInterval(m_server->watcher());
    m_table->showAsOf(unseen ? std::optional(unseen->from) : std::nullopt);
    m_server->setVisibleKeys(*this, visibleKeys());
    // Each new text causes a layout of its card, so updates are limited to a readable rate, and to a low rate for
    // hidden cards.
    ++m_ticks;
    if (areServersPolled() && m_ticks % ticksPerPoll == 0)
        requestServerContents();
    if (m_ticks % ticksSeen != 0)
        return;
    showResource();
    const QRect seen = m_scroll->viewport()->rect().translated(-m_cardArea->pos());
    for (ClientCard *card : std::as_const(m_cards)) {
        if (m_ticks % ticksUnseen == 0 || m_isPresenting || card->geometry().intersects(seen))
            refreshCard(*card);
    }
}

/// Returns the keys of the table, of the cards and of the diagram.
std::vector<keys::KeyId> PlaygroundPage::visibleKeys() const
{
    std::vector<keys::KeyId> ids;
    if (m_table->isVisible())
        ids = keytable::keysOnScreen(*m_table);
    std::vector<base::Key> wanted = m_recorder.keys();
    for (const ClientCard *card : m_cards)
        wanted.push_back(card->key());
    for (const base::Key &key : wanted) {
        const auto id = m_server->store().known().table.find(key.bytes());
        if (id && std::ranges::find(ids, *id) == ids.end())
            ids.push_back(*id);
    }
    return ids;
}

void PlaygroundPage::refreshCard(ClientCard &card)
{
    if (!m_server || !isVisible())
        return;
    card.showBelief(describe(card.client(), truthFor(card), m_clock.now()));
}

void PlaygroundPage::logWire(const ClientProcess &client, const ClientReport &report)
{
    if (report.event == ClientReport::Event::Wire)
        m_commandLog->add(client.name(), report.command, report.reply.toString());
    else if (report.event
             != ClientReport::Event::Renewed) // Renewals repeat automatically for as long as the lock is held.
        m_commandLog->closeOperation(client.name());
}

} // namespace latchkey::ui::playground
