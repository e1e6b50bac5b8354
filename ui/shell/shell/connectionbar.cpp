#include "ui/shell/shell/connectionbar.h"

#include "core/foundation/base/duration.h"
#include "ui/kit/widgets/bidi.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/restyle.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/shell/connections/servertexts.h"

#include <QActionGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>

namespace latchkey::ui::shell {

using inspection::InspectedServer;
using net::Session;
using widgets::Pill;
using namespace std::chrono_literals;

namespace {

constexpr int barHeight = 56;
constexpr int widestUrl = 330;
constexpr int narrowestUrl = 160;
constexpr int widestName = 150;
constexpr int widestNarrowName = 60;
/// Below this width in pixels, the name is short.
constexpr int narrowBar = 1000;

QLabel *makeMetric(const QString &name, const QString &accessibleName, QWidget *parent)
{
    QLabel *label = widgets::makePlainLabel(name, QString(), parent);
    label->setAccessibleName(accessibleName);
    label->setToolTip(accessibleName);
    label->setProperty("class", QStringLiteral("metric"));
    return label;
}

} // namespace

ConnectionBar::ConnectionBar(theme::Appearance &appearance, QWidget *parent)
    : QFrame(parent)
    , m_appearance(appearance)
    , m_name(new QPushButton(this))
    , m_url(new ServerUrlEdit(this))
    , m_state(new Pill(appearance, this))
    , m_remedy(new QPushButton(this))
    , m_version(makeMetric(QStringLiteral("serverVersion"), tr("Server version"), this))
    , m_roundTrip(makeMetric(QStringLiteral("roundTrip"), tr("Round trip"), this))
    , m_cost(new QPushButton(this))
    , m_pause(new QPushButton(this))
    , m_arm(new QPushButton(this))
    , m_budget(new QMenu(this))
{
    setObjectName(QStringLiteral("connectionBar"));
    setFixedHeight(barHeight);
    setUpUrl();
    setUpWidgets();
    setUpBudgetMenu();
    connect(&m_appearance, &theme::Appearance::changed, this, &ConnectionBar::applyAppearance);
    m_second.setInterval(1s);
    connect(&m_second, &QTimer::timeout, this, &ConnectionBar::measure);
    m_second.start();
    applyAppearance();
    refresh();
}

void ConnectionBar::setUpUrl()
{
    m_url->setMinimumWidth(narrowestUrl);
    m_url->setMaximumWidth(widestUrl);
    connect(m_url, &ServerUrlEdit::entered, this, &ConnectionBar::enterUrl);
    connect(m_url, &QLineEdit::textEdited, this, &ConnectionBar::urlRefusalCleared);
    connect(m_url, &ServerUrlEdit::draftDropped, this, &ConnectionBar::urlRefusalCleared);
}

void ConnectionBar::setUpWidgets()
{
    m_name->setObjectName(QStringLiteral("serverKept"));
    m_name->setProperty("kind", QStringLiteral("quiet"));
    connect(m_name, &QPushButton::clicked, this, &ConnectionBar::switchingWanted);
    m_state->setObjectName(QStringLiteral("connectionState"));
    m_remedy->setObjectName(QStringLiteral("connectionRemedy"));
    m_remedy->hide();
    connect(m_remedy, &QPushButton::clicked, this, &ConnectionBar::remedy);
    m_cost->setObjectName(QStringLiteral("commandsPerSecond"));
    m_cost->setProperty("kind", QStringLiteral("menu"));
    m_cost->setMenu(m_budget);
    m_pause->setObjectName(QStringLiteral("pausePolling"));
    m_pause->setProperty("kind", QStringLiteral("quiet"));
    m_pause->setCheckable(true);
    connect(m_pause, &QPushButton::toggled, this, [this](bool isPaused) {
        if (m_server)
            m_server->watcher().setPaused(isPaused);
        refresh();
    });
    m_arm->setObjectName(QStringLiteral("armWrites"));
    m_arm->setProperty("kind", QStringLiteral("armed"));
    m_arm->setCheckable(true);
    connect(m_arm, &QPushButton::clicked, this, [this](bool isChecked) {
        refresh(); // Restores the displayed state until the server has changed.
        Q_EMIT armingAsked(isChecked);
    });

    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(20, 0, 16, 0);
    layout->setSpacing(12);
    layout->addWidget(m_name);
    layout->addWidget(m_url, 100);
    layout->addWidget(m_state);
    layout->addWidget(m_remedy);
    layout->addWidget(m_version);
    layout->addStretch(1);
    layout->addWidget(m_roundTrip);
    layout->addWidget(m_cost);
    layout->addWidget(m_pause);
    layout->addWidget(m_arm);
}

void ConnectionBar::setUpBudgetMenu()
{
    auto *group = new QActionGroup(this);
    for (const int limit : {100, 300, 1000, 3000, 10'000}) {
        QAction *action = m_budget->addAction(QString());
        action->setCheckable(true);
        action->setData(limit);
        group->addAction(action);
    }
    connect(group, &QActionGroup::triggered, this, [this](const QAction *action) {
        if (m_server)
            m_server->watcher().setLimit(budget::CommandLimit::ofShareAt(action->data().toInt()));
        Q_EMIT commandsPerSecondChosen(action->data().toInt());
        measure();
    });
    m_budget->addSeparator();
    QAction *fast = m_budget->addAction(QString());
    fast->setObjectName(QStringLiteral("fastFirstScan"));
    fast->setCheckable(true);
    connect(fast, &QAction::triggered, this, [this](bool isFast) {
        if (m_server)
            m_server->watcher().setFirstScanLimit(isFast ? std::nullopt
                                                         : std::optional(budget::CommandLimit::ofFirstScan()));
        if (!isProduction()) // On a production server, the choice is for this server only.
            Q_EMIT fastFirstScanChosen(isFast);
    });
    connect(m_budget, &QMenu::aboutToShow, this, [this, group, fast] {
        const bool isCostKnown = m_server == nullptr || m_server->watcher().serverTimeSpent();
        for (QAction *action : group->actions()) {
            const int limit = action->data().toInt();
            action->setText(limitText(limit, isCostKnown));
            action->setChecked(m_server != nullptr && limit == m_server->watcher().limit().perSecond());
        }
        fast->setEnabled(m_server != nullptr);
        fast->setChecked(m_server == nullptr || m_server->watcher().hasFastFirstScan());
        fast->setText(fastFirstScanText());
    });
}

/// Returns the text about reading all keys at full speed. Only the first scan and the data for sorting may exceed the
/// limit, unless the user forbids it. The text states the time within the limit of a first scan.
QString ConnectionBar::fastFirstScanText() const
{
    const qint64 keys = m_server ? m_server->watcher().databaseSize() : 0;
    const auto seconds =
        m_server ? m_server->watcher().scanTimeWithin(budget::CommandLimit::ofFirstScan(), keys).count() : 0;
    if (seconds < 2)
        return tr("Read all keys at full speed on connect and for sorting");
    const QString time = seconds < 120 ? tr("%Ln s", nullptr, static_cast<int>(seconds))
                                       : tr("%Ln min", nullptr, static_cast<int>((seconds + 59) / 60));
    return tr("Read all keys at full speed on connect and for sorting (within the limit: %1)").arg(time);
}

void ConnectionBar::applyAppearance()
{
    m_pause->setIcon(m_appearance.icon(m_pause->isChecked() ? QStringLiteral("play") : QStringLiteral("pause")));
    m_cost->setIcon(m_appearance.icon(QStringLiteral("gauge")));
    const theme::Theme &theme = m_appearance.theme();
    const bool isArmed = m_server != nullptr && m_server->isArmed();
    m_arm->setIcon(m_appearance.icon(isArmed ? QStringLiteral("unlock") : QStringLiteral("lock"),
                                     isArmed && !m_server->isPrivate() ? theme.critical : theme.muted));
}

void ConnectionBar::setServer(InspectedServer *server)
{
    if (m_server) {
        m_server->disconnect(this);
        m_server->session().disconnect(this);
        m_server->cluster().disconnect(this);
    }
    m_server = server;
    m_lastCommands = 0;
    m_lastSpent.reset();
    m_pause->setChecked(m_server && m_server->watcher().isPaused());
    m_url->setServer(m_server ? m_server->endpoint().toUrl() : QString());
    if (m_server) {
        m_lastCommands = m_server->commandsSent();
        m_lastSpent = m_server->watcher().serverTimeSpent();
        m_lastMeasured = m_server->clock().now();
        connect(&m_server->session(), &Session::stateChanged, this, &ConnectionBar::refresh);
        connect(&m_server->session(), &Session::roundTripMeasured, this, &ConnectionBar::refresh);
        connect(&m_server->cluster(), &inspection::ClusterPlace::changed, this, &ConnectionBar::refresh);
        connect(m_server, &InspectedServer::armedChanged, this, &ConnectionBar::refresh);
    }
    measure();
    refresh();
}

void ConnectionBar::setRecentServers(const QStringList &displayUrls)
{
    m_url->setRecentServers(displayUrls);
}

void ConnectionBar::setKept(const latchkey::connections::SavedConnection *server)
{
    m_kept = server == nullptr ? std::nullopt : std::optional(*server);
    refresh();
}

bool ConnectionBar::isProduction() const
{
    return m_kept && m_kept->environment == latchkey::connections::Environment::Production;
}

/// Shows the name of the saved connection. A production environment is conspicuous, most of all while the server is
/// armed.
void ConnectionBar::showKept()
{
    const bool isProduction = this->isProduction();
    const bool isArmed = m_server && m_server->isArmed() && !m_server->isPrivate();
    const QFontMetrics metrics = m_name->fontMetrics();
    const QString environment = m_kept ? connections::textOf(m_kept->environment) : QString();
    // In a narrow bar, the name takes a part of the URL's width. Without a name, the button is hidden, because Ctrl+K
    // is enough.
    const bool isNarrow = width() < narrowBar;
    m_name->setVisible(m_kept.has_value() || !isNarrow);
    m_url->setMinimumWidth(m_kept && isNarrow ? narrowestUrl - widestNarrowName : narrowestUrl);
    m_name->setText(m_kept ? metrics.elidedText(m_kept->name, Qt::ElideMiddle, isNarrow ? widestNarrowName : widestName)
                           : QString());
    m_name->setToolTip(
        m_kept ? widgets::toolTipText(
                     environment.isEmpty()
                         ? tr("%1. Click for the other servers (Ctrl+K)").arg(m_kept->name)
                         : tr("%1, %2. Click for the other servers (Ctrl+K)").arg(m_kept->name, environment))
               : tr("Servers (Ctrl+K)"));
    m_name->setAccessibleName(m_kept ? tr("Server %1").arg(m_kept->name) : tr("Servers"));
    const QColor colour = m_kept ? connections::colourOf(m_kept->mark, m_appearance.theme()) : QColor();
    m_name->setIcon(
        m_appearance.icon(QStringLiteral("server"), colour.isValid() ? colour : m_appearance.theme().muted));
    widgets::restyle(*this, "tone",
                     !isProduction ? QString()
                     : isArmed     ? QStringLiteral("armed")
                                   : QStringLiteral("production"));
    if (isProduction)
        m_arm->setText(isArmed ? tr("Writes armed: production") : tr("Read-only: production"));
}

void ConnectionBar::editUrl()
{
    m_url->edit();
}

void ConnectionBar::enterUrl(const QString &url)
{
    const auto endpoint = net::Endpoint::fromUrl(url);
    if (!endpoint) {
        m_url->refuse();
        Q_EMIT urlRefused(widgets::sentence(endpoint.error().message()));
        return;
    }
    // Before the signals: the password in the URL has been read, and must not stay on screen.
    m_url->settle();
    Q_EMIT urlRefusalCleared();
    Q_EMIT serverEntered(*endpoint);
}

void ConnectionBar::remedy()
{
    if (m_offered == Remedy::EnterPassword)
        Q_EMIT passwordWanted();
    else if (m_server)
        m_server->session().retryNow();
}

ConnectionFacts ConnectionBar::facts() const
{
    const Session &session = m_server->session();
    const auto now = m_server->clock().now();
    ConnectionFacts facts {session.state(), m_server->isPrivate(), m_pause->isChecked(), session.lastError(), {}, {}};
    facts.part = m_server->cluster().part();
    if (session.lastAnswer())
        facts.silence = now - *session.lastAnswer();
    if (session.state() == Session::State::Waiting && session.nextAttempt() != base::MonotonicTime::max())
        facts.wait = std::max(session.nextAttempt() - now, std::chrono::nanoseconds(0));
    return facts;
}

void ConnectionBar::showState()
{
    const ConnectionWords words = describe(facts());
    m_state->set(words.state, words.tone);
    m_state->setToolTip(words.explanation.isEmpty() ? QString() : widgets::toolTipText(words.explanation));
    m_state->setAccessibleDescription(words.explanation);
    m_offered = words.remedy;
    m_remedy->setText(words.remedy == Remedy::EnterPassword ? tr("Enter password…") : tr("Try now"));
    widgets::restyle(*m_remedy, "kind", words.remedy == Remedy::EnterPassword ? QStringLiteral("primary") : QString());
    m_remedy->setVisible(words.remedy != Remedy::None);
    m_remedy->setEnabled(words.canRemedy);
    m_cost->setVisible(words.remedy == Remedy::None); // The remedy button takes its place; no commands are sent
                                                      // meanwhile.
}

void ConnectionBar::refresh()
{
    const bool hasServer = m_server != nullptr;
    m_pause->setEnabled(hasServer);
    m_pause->setAccessibleName(m_pause->isChecked() ? tr("Resume polling") : tr("Pause polling"));
    m_pause->setToolTip(m_pause->accessibleName());
    const bool isArmed = hasServer && m_server->isArmed();
    const bool isPrivate = hasServer && m_server->isPrivate();
    m_arm->setEnabled(hasServer && !isPrivate);
    m_arm->setChecked(isArmed && !isPrivate);
    m_arm->setText(isPrivate ? tr("Writes allowed") : isArmed ? tr("Writes armed") : tr("Read-only"));
    m_arm->setToolTip(isPrivate ? tr("Private server: writes are always allowed")
                      : isArmed ? tr("Click to disarm: stops all writes")
                                : tr("Latchkey writes nothing to this server until you arm it"));
    applyAppearance();
    showKept();
    if (!hasServer) {
        m_state->set(QString(), Pill::Tone::Neutral);
        m_remedy->hide();
        m_cost->show();
        m_version->clear();
        m_roundTrip->clear();
        return;
    }
    showState();
    const bool isReady = m_server->session().state() == Session::State::Ready;
    m_version->setText(isReady ? m_server->session().server().display() : QString()); // Empty otherwise, because its
                                                                                      // room is needed.
    const auto roundTrip = m_server->session().roundTrip();
    m_roundTrip->setText(roundTrip && isReady ? widgets::isolated(base::millisecondsText(*roundTrip)) : QString());
}

void ConnectionBar::resizeEvent(QResizeEvent *event)
{
    QFrame::resizeEvent(event);
    showKept();
}

void ConnectionBar::measure()
{
    if (!m_server) {
        m_cost->setText(tr("0 commands/s"));
        return;
    }
    const quint64 commands = m_server->commandsSent();
    const auto now = m_server->clock().now();
    const std::chrono::duration<double> passed = now - m_lastMeasured;
    const double perSecond = passed.count() > 0.2 ? static_cast<double>(commands - m_lastCommands) / passed.count() : 0;
    const std::optional<double> spent = m_server->watcher().serverTimeSpent();
    CostFacts cost {perSecond, {}, m_server->watcher().limit().perSecond(), width()};
    if (spent) {
        constexpr double second = 1e6;
        cost.share = perSecond > 0 ? (*spent - m_lastSpent.value_or(*spent)) / second / passed.count() : 0;
    }
    m_cost->setText(widgets::isolated(costText(cost)));
    m_cost->setToolTip(widgets::toolTipText(costExplanation(spent.has_value())));
    m_lastCommands = commands;
    m_lastSpent = spent;
    m_lastMeasured = now;
    refresh();
}

} // namespace latchkey::ui::shell
