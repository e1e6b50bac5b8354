#include "ui/clients/playgroundpage.h"

#include "ui/clients/flowlayout.h"
#include "ui/keytable/attention.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

namespace latchkey::ui::clients {

using inspection::InspectedServer;
using keyspace::Watcher;
using keytable::KeyTableView;
using playground::ClientProcess;
using playground::ClientReport;
using playground::Crew;
using widgets::EmptyState;

namespace {

constexpr int sideWidth = 430;
constexpr int mostWireLines = 1000;

} // namespace

PlaygroundPage::PlaygroundPage(Crew &crew, theme::Appearance &appearance, const base::Clock &clock, QWidget *parent)
    : QWidget(parent)
    , m_crew(crew)
    , m_appearance(appearance)
    , m_clock(clock)
    , m_add(new QPushButton(tr("Add client"), this))
    , m_summary(new QLabel(this))
    , m_scroll(new QScrollArea(this))
    , m_cardArea(new QWidget(m_scroll))
    , m_empty(new EmptyState(appearance, m_scroll->viewport()))
    , m_table(new KeyTableView(appearance, clock, this))
    , m_noKeys(new EmptyState(appearance, m_table->viewport()))
    , m_wire(new QPlainTextEdit(this))
{
    setObjectName(QStringLiteral("page"));
    m_add->setObjectName(QStringLiteral("addClient"));
    m_add->setProperty("kind", QStringLiteral("primary"));
    m_add->setShortcut(QKeySequence::New);
    connect(m_add, &QPushButton::clicked, this, [this] { m_crew.add(); });
    m_summary->setObjectName(QStringLiteral("secondary"));
    m_wire->setObjectName(QStringLiteral("wire"));
    m_wire->setAccessibleName(tr("Commands and replies"));
    m_wire->setReadOnly(true);
    m_wire->setMaximumBlockCount(mostWireLines);
    m_wire->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_wire->setPlaceholderText(tr("Every command that a client sends, and what came back"));
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
    const auto makeLabel = [this](const char *name, const QString &text) {
        auto *label = new QLabel(text, this);
        label->setObjectName(QLatin1String(name));
        return label;
    };
    auto *heading = new QVBoxLayout;
    heading->setSpacing(2);
    heading->addWidget(makeLabel("pageTitle", tr("Playground")));
    heading->addWidget(m_summary);
    auto *header = new QHBoxLayout;
    header->addLayout(heading);
    header->addStretch(1);
    header->addWidget(m_add);

    m_scroll->setObjectName(QStringLiteral("pageScroll"));
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_cardArea->setLayout(new FlowLayout(14));
    m_scroll->setWidget(m_cardArea);

    auto *side = new QWidget(this);
    side->setFixedWidth(sideWidth);
    auto *sideLayout = new QVBoxLayout(side);
    sideLayout->setContentsMargins(0, 0, 0, 0);
    sideLayout->setSpacing(8);
    sideLayout->addWidget(makeLabel("sectionTitle", tr("What the server knows")));
    sideLayout->addWidget(m_table, 3);
    sideLayout->addSpacing(6);
    sideLayout->addWidget(makeLabel("sectionTitle", tr("On the wire")));
    sideLayout->addWidget(m_wire, 2);

    auto *body = new QHBoxLayout;
    body->setSpacing(18);
    body->addWidget(m_scroll, 1);
    body->addWidget(side);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(24, 18, 24, 16);
    layout->setSpacing(14);
    layout->addLayout(header);
    layout->addLayout(body, 1);
}

void PlaygroundPage::applyAppearance()
{
    m_add->setIcon(m_appearance.icon(QStringLiteral("plus"), m_appearance.theme().onAccent));
    QFont small = m_appearance.monospaced();
    small.setPointSizeF(small.pointSizeF() * 0.88);
    m_wire->setFont(small);
    refreshCards();
}

void PlaygroundPage::setServer(InspectedServer *server)
{
    m_server = server;
    m_table->setStore(server == nullptr ? nullptr : &server->store());
    if (server != nullptr)
        connect(&server->watcher(), &Watcher::ticked, this, &PlaygroundPage::refresh);
    refresh();
}

void PlaygroundPage::addCard(ClientProcess &client)
{
    auto *card = new ClientCard(client, m_appearance, m_cardArea);
    m_cards += card;
    m_cardArea->layout()->addWidget(card);
    // Not from within the card's own signal.
    connect(card, &ClientCard::removalAsked, this, [this, &client] { m_crew.remove(client); }, Qt::QueuedConnection);
    connect(&client, &ClientProcess::changed, this, &PlaygroundPage::refreshCards);
    connect(&client, &ClientProcess::reported, this,
            [this, &client](const ClientReport &report) { logWire(client, report); });
    refresh();
}

void PlaygroundPage::removeCard(const ClientProcess &client)
{
    for (ClientCard *card : std::as_const(m_cards)) {
        if (&card->client() != &client)
            continue;
        m_cards.removeOne(card);
        delete card;
        break;
    }
    refresh();
}

void PlaygroundPage::refresh()
{
    m_add->setEnabled(m_server != nullptr);
    const qsizetype count = m_cards.size();
    m_summary->setText(!m_server    ? tr("Starting a private server…")
                       : count == 1 ? tr("1 client on a private server")
                                    : tr("%1 clients on a private server").arg(count));
    if (count == 0)
        m_empty->show(QStringLiteral("playground"), tr("Nobody here yet"),
                      tr("Each client is a process of its own. Add two, let both go for one lock, then crash the one "
                         "that holds it and watch its lease run out."),
                      m_server ? tr("Add two clients") : QString(), [this] {
                          m_crew.add();
                          m_crew.add();
                      });
    else
        m_empty->hide();
    if (m_server && m_server->store().rowCount() == 0)
        m_noKeys->show(QStringLiteral("key"), tr("No keys"), QString());
    else
        m_noKeys->hide();
    if (m_server && isVisible()) {
        m_server->watcher().setAttention(keytable::keysOnScreen(*m_table, m_server->store()));
        refreshCards();
    }
}

void PlaygroundPage::refreshCards()
{
    if (!m_server)
        return;
    const auto now = m_clock.now();
    for (ClientCard *card : std::as_const(m_cards))
        card->showBelief(describe(card->client(), truthOf(m_server->store(), card->key(), m_crew), now));
}

void PlaygroundPage::logWire(const ClientProcess &client, const ClientReport &report)
{
    if (report.event != ClientReport::Event::Wire)
        return;
    // Tokens and the digests of scripts are told apart by their beginnings.
    static const QRegularExpression longHex(QStringLiteral("\\b([0-9a-f]{8})[0-9a-f]{24,32}\\b"));
    m_wire->appendPlainText(QStringLiteral("%1  %2 \u2192 %3")
                                .arg(client.name(), report.command, report.reply)
                                .replace(longHex, QStringLiteral("\\1\u2026")));
}

} // namespace latchkey::ui::clients
