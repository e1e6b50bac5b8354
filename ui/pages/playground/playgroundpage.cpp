#include "ui/pages/playground/playgroundpage.h"

#include "ui/kit/widgets/bidi.h"
#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/presenting.h"
#include "ui/pages/playground/clientcardarea.h"
#include "ui/pages/playground/playgroundcolumns.h"
#include "ui/pages/playground/playgroundheader.h"
#include "ui/pages/playground/presentedclient.h"
#include "ui/pages/playground/presetbutton.h"
#include "ui/pages/playground/sequencepanel.h"
#include "ui/pages/playground/serverpanel.h"
#include "ui/pages/playground/serverstrip.h"

#include <QApplication>
#include <QFontInfo>
#include <QLabel>
#include <QShortcut>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace latchkey::ui::playground {

using inspection::InspectedServer;
using latchkey::playground::ClientPool;
using latchkey::playground::ClientProcess;
using latchkey::playground::ClientReport;
using latchkey::playground::Preset;
using latchkey::playground::SequenceRecorder;
using latchkey::playground::ServerPool;
using watching::Watcher;

namespace {

/// Number of watcher ticks (30 per second) between two updates of a visible card; ticksHidden: of a hidden card.
constexpr quint64 ticksVisible = 8;
constexpr quint64 ticksHidden = 40;
/// Number of ticks between two requests to all servers, if there are several.
constexpr quint64 ticksPerPoll = 9;

} // namespace

PlaygroundPage::PlaygroundPage(ClientPool &clientPool, ServerPool &serverPool, theme::Appearance &appearance,
                               const base::Clock &clock, QWidget *parent)
    : QWidget(parent)
    , m_clientPool(clientPool)
    , m_serverPool(serverPool)
    , m_appearance(appearance)
    , m_clock(clock)
    , m_recorder({}, clock)
    , m_lanes(m_recorder, serverPool)
    , m_contents(serverPool, clientPool)
    , m_presetRunner(clientPool, serverPool)
    , m_header(new PlaygroundHeader(serverPool, appearance, this))
    , m_hint(widgets::makePlainLabel(QStringLiteral("secondary"), {}, this))
    , m_servers(new ServerStrip(serverPool, clientPool, appearance, this))
    , m_columns(new PlaygroundColumns(this))
    , m_cards(new ClientCardArea(appearance, m_columns))
    , m_middle(new SequencePanel(m_recorder, appearance, clock, this))
    , m_controls(new PresentedClients(appearance, this))
    , m_side(new ServerPanel(appearance, clock, this))
{
    setObjectName(QStringLiteral("page"));
    setUpLayout();
    connectParts();
    connectPools();
    for (std::size_t i = 0; i < m_clientPool.size(); ++i)
        addCard(m_clientPool.at(i));
    refreshServers();
    refresh();
}

PlaygroundPage::~PlaygroundPage() = default;

void PlaygroundPage::setUpLayout()
{
    m_hint->setWordWrap(true);
    m_hint->hide();
    m_controls->hide();
    m_columns->setContents(*m_cards, *m_middle, *m_side);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(PlaygroundColumns::pageMargin, 14, PlaygroundColumns::pageMargin, 14);
    layout->setSpacing(10);
    layout->addWidget(m_header);
    layout->addWidget(m_hint);
    layout->addWidget(m_controls);
    layout->addWidget(m_servers);
    layout->addWidget(m_columns, 1);
}

void PlaygroundPage::connectParts()
{
    connect(m_header, &PlaygroundHeader::clientRequested, this, &PlaygroundPage::addClient);
    connect(m_header, &PlaygroundHeader::presetRequested, this, &PlaygroundPage::startPreset);
    connect(m_header, &PlaygroundHeader::presentationRequested, this, [this] { setPresenting(true); });
    connect(m_header, &PlaygroundHeader::sideToggled, this, [this](bool isWanted) {
        m_columns->setSideWanted(isWanted);
        fitSide();
    });
    connect(&m_recorder, &SequenceRecorder::changed, this, &PlaygroundPage::refreshResource);
    connect(m_cards, &ClientCardArea::neededWidthChanged, this, &PlaygroundPage::fitCards);
    connect(m_cards, &ClientCardArea::twoClientsRequested, this, &PlaygroundPage::addTwoClients);
    connect(m_cards, &ClientCardArea::presetRequested, this, &PlaygroundPage::startPreset);
    connect(m_controls, &PresentedClients::leaveRequested, this, [this] { setPresenting(false); });
    // The window has the other shortcuts, see shell::MainWindow.
    auto *leave = new QShortcut(Qt::Key_Escape, this);
    leave->setContext(Qt::WidgetWithChildrenShortcut);
    connect(leave, &QShortcut::activated, this, [this] { setPresenting(false); });
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this,
            &PlaygroundPage::retranslate);
}

void PlaygroundPage::connectPools()
{
    connect(&m_clientPool, &ClientPool::added, this, &PlaygroundPage::addCard);
    connect(&m_clientPool, &ClientPool::aboutToBeRemoved, this, &PlaygroundPage::removeCard);
    connect(&m_serverPool, &ServerPool::sizeChanged, this, &PlaygroundPage::refreshServers);
    connect(&m_serverPool, &ServerPool::changed, this, &PlaygroundPage::refreshServers);
    connect(&m_serverPool, &ServerPool::keysRead, this, &PlaygroundPage::recordServerContents);
}

void PlaygroundPage::setServer(InspectedServer *server)
{
    if (m_server) {
        m_server->watcher().disconnect(this);
        m_server->disconnect(this);
        m_server->setVisibleKeys(*this, {});
    }
    m_server = server;
    m_contents.setServer(server);
    m_side->setServer(server);
    if (server != nullptr) {
        connect(&server->watcher(), &Watcher::ticked, this, &PlaygroundPage::tick);
        connect(server, &InspectedServer::committed, this, &PlaygroundPage::recordServerContents);
    }
    refresh();
}

void PlaygroundPage::takeFocus()
{
    m_header->takeFocus();
}

void PlaygroundPage::requestClient()
{
    m_header->clickAdd();
}

void PlaygroundPage::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    QTimer::singleShot(0, this, &PlaygroundPage::fitCards);
    refreshResource();
    tick();
}

void PlaygroundPage::hideEvent(QHideEvent *event)
{
    if (m_server)
        m_server->setVisibleKeys(*this, {});
    QWidget::hideEvent(event);
}

void PlaygroundPage::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    fitSide();
    if (m_isPresenting)
        applySizes();
}

void PlaygroundPage::applySizes()
{
    const int pixels = widgets::presentedPixels(window()->size());
    // Font sizes of the style sheet do not follow the font of the page.
    const auto sized = [](const char *names, int size) {
        return QStringLiteral("%1 { font-size: %2px; } ").arg(QLatin1String(names)).arg(size);
    };
    setStyleSheet(m_isPresenting ? sized("#page #conflict, #page #sentence", pixels * 11 / 10)
                                       + sized("#page #insideWho, #page #resource #secondary", pixels)
                                       + sized("#page #insideNumber", pixels * 3 / 2)
                                 : QString());
    m_controls->setNamePixels(pixels);
    m_middle->setScale(m_isPresenting ? static_cast<double>(pixels + 1) / QFontInfo(QApplication::font()).pixelSize()
                                      : 1);
    QTimer::singleShot(0, this, &PlaygroundPage::fitCards);
}

void PlaygroundPage::setPresenting(bool isPresenting)
{
    if (m_isPresenting == isPresenting)
        return;
    m_isPresenting = isPresenting;
    Q_EMIT presentingChanged(isPresenting);
    m_header->setVisible(!isPresenting);
    m_columns->setPresenting(isPresenting);
    m_middle->setPresenting(isPresenting);
    m_controls->setVisible(isPresenting);
    refreshPreset();
    applySizes();
    fitSide();
    refreshServers();
    if (isPresenting)
        m_middle->takeFocus();
}

void PlaygroundPage::fitCards()
{
    m_columns->fitCards(width());
}

void PlaygroundPage::fitSide()
{
    m_header->setSideShown(m_columns->fitSide(width()));
}

void PlaygroundPage::retranslate()
{
    m_lanes.refresh();
    refresh();
}

void PlaygroundPage::startPreset(const Preset &preset)
{
    m_presetRunner.start(preset);
    m_preset = &preset; // Set after the removal of the last client, which ends the former preset.
    m_lanes.restart();
    m_middle->restart(explanationOf(preset));
    m_columns->divideAgain();
    refresh();
}

void PlaygroundPage::refreshPreset()
{
    if (m_preset != nullptr)
        m_hint->setText(explanationOf(*m_preset));
    m_hint->setVisible(m_preset != nullptr && !m_isPresenting);
}

void PlaygroundPage::addClient()
{
    m_clientPool.add();
    m_cards->enterLast();
}

void PlaygroundPage::addTwoClients()
{
    m_clientPool.add();
    m_clientPool.add();
    m_cards->cards().front()->takeFocus();
}

void PlaygroundPage::addCard(ClientProcess &client)
{
    ClientCard &card = m_cards->add(client);
    m_controls->add(card);
    // Queued, because the card must not be deleted within its own signal.
    connect(
        &card, &ClientCard::removalRequested, this, [this, &client] { m_clientPool.remove(client); },
        Qt::QueuedConnection);
    connect(
        &card, &ClientCard::restartRequested, this, [this, &client] { m_clientPool.restart(client); },
        Qt::QueuedConnection);
    m_recorder.record(client);
    connect(&client, &ClientProcess::reported, this, [this, &client](const ClientReport &report) {
        m_side->log(client, report);
        m_middle->showReport(client, report);
    });
    if (m_server && isVisible())
        card.showBelief(describe(client, m_contents.stateFor(card), m_clock.now()));
    refresh();
}

void PlaygroundPage::removeCard(const ClientProcess &client)
{
    m_recorder.forget(client);
    const ClientCard *card = m_cards->cardOf(client);
    if (card == nullptr)
        return;
    const QWidget *focused = window()->focusWidget();
    const bool hadKeyboard = focused == card || card->isAncestorOf(focused);
    m_controls->remove(*card);
    m_cards->remove(*card);
    if (hadKeyboard)
        takeFocus();
    refresh();
}

QString PlaygroundPage::summary() const
{
    if (!m_server)
        return tr("Starting a private server…");
    const QString server = widgets::isolated(m_server->endpoint().display());
    const int count = static_cast<int>(m_cards->cards().size());
    return count == 1 ? tr("1 client on the private server %1").arg(server)
                      : tr("%n clients on the private server %1", nullptr, count).arg(server);
}

void PlaygroundPage::refresh()
{
    const bool canStart = m_server != nullptr;
    m_header->setStartEnabled(canStart);
    m_header->setSummary(summary());
    if (m_cards->cards().isEmpty() && m_presetRunner.running() == nullptr)
        m_preset = nullptr;
    refreshPreset();
    m_cards->refreshEmptyState(canStart);
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
    m_side->refresh();
    m_server->setVisibleKeys(*this, visibleKeys());
    // Each new text causes a layout of its card, so updates are limited to a readable rate, and to a low rate for
    // hidden cards.
    ++m_ticks;
    if (m_contents.isPolled() && m_ticks % ticksPerPoll == 0)
        requestServerContents();
    if (m_ticks % ticksVisible != 0)
        return;
    refreshResource();
    refreshCards(m_ticks % ticksHidden == 0 || m_isPresenting);
}

void PlaygroundPage::refreshCards(bool withHidden)
{
    for (ClientCard *card : m_cards->cards()) {
        if (withHidden || m_cards->isOnScreen(*card))
            card->showBelief(describe(card->client(), m_contents.stateFor(*card), m_clock.now()));
    }
}

void PlaygroundPage::refreshServers()
{
    m_servers->setVisible(m_contents.isPolled());
}

void PlaygroundPage::requestServerContents()
{
    std::vector<base::Key> keys = m_recorder.keys();
    for (const ClientCard *card : m_cards->cards()) {
        if (std::ranges::find(keys, card->key()) == keys.end())
            keys.push_back(card->key());
    }
    m_serverPool.readKeys(keys);
    if (!keys.empty())
        m_servers->showKeyState(m_recorder.keys().empty() ? keys.front() : m_recorder.keys().back(), m_clock.now());
}

void PlaygroundPage::recordServerContents()
{
    m_contents.recordInto(m_recorder);
}

void PlaygroundPage::refreshResource()
{
    if (isVisible())
        m_middle->showHolders(m_contents.believedHolders(m_recorder.sequence(), m_clock.now()));
}

/// Returns the keys of the table, of the cards and of the diagram.
std::vector<keys::KeyId> PlaygroundPage::visibleKeys() const
{
    std::vector<keys::KeyId> ids = m_side->keysOnScreen();
    std::vector<base::Key> wanted = m_recorder.keys();
    for (const ClientCard *card : m_cards->cards())
        wanted.push_back(card->key());
    for (const base::Key &key : wanted) {
        const auto id = m_server->store().known().table.find(key.bytes());
        if (id && std::ranges::find(ids, *id) == ids.end())
            ids.push_back(*id);
    }
    return ids;
}

} // namespace latchkey::ui::playground
