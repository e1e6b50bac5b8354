#include "ui/shell/shell/connectionbar.h"

#include "core/foundation/base/duration.h"
#include "ui/kit/widgets/bidi.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/restyle.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/shell/connections/servertexts.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace latchkey::ui::shell {

using inspection::InspectedServer;
using net::Session;
using widgets::Pill;
using namespace std::chrono_literals;

namespace {

constexpr int barHeight = 56;
constexpr int maxUrlWidth = 330;
constexpr int minUrlWidth = 160;
constexpr int maxNameWidth = 150;
constexpr int maxNarrowNameWidth = 60;
/// Width of the bar in pixels below which the name is short.
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
    , m_recoveryButton(new QPushButton(this))
    , m_version(makeMetric(QStringLiteral("serverVersion"), tr("Server version"), this))
    , m_roundTrip(makeMetric(QStringLiteral("roundTrip"), tr("Round trip"), this))
    , m_cost(new CostButton(appearance, this))
    , m_pause(new QPushButton(this))
    , m_arm(new QPushButton(this))
{
    setObjectName(QStringLiteral("connectionBar"));
    setFixedHeight(barHeight);
    setUpUrl();
    setUpWidgets();
    connect(&m_appearance, &theme::Appearance::changed, this, &ConnectionBar::applyAppearance);
    applyAppearance();
    refresh();
}

void ConnectionBar::setUpUrl()
{
    m_url->setMaximumWidth(maxUrlWidth);
    connect(m_url, &ServerUrlEdit::entered, this, &ConnectionBar::enterUrl);
    connect(m_url, &QLineEdit::textEdited, this, &ConnectionBar::urlRefusalCleared);
    connect(m_url, &ServerUrlEdit::draftDropped, this, &ConnectionBar::urlRefusalCleared);
}

void ConnectionBar::setUpWidgets()
{
    m_name->setObjectName(QStringLiteral("serverKept"));
    m_name->setProperty("kind", QStringLiteral("quiet"));
    connect(m_name, &QPushButton::clicked, this, &ConnectionBar::serverSwitchRequested);
    m_state->setObjectName(QStringLiteral("connectionState"));
    m_recoveryButton->setObjectName(QStringLiteral("connectionRemedy"));
    m_recoveryButton->hide();
    connect(m_recoveryButton, &QPushButton::clicked, this, &ConnectionBar::recover);
    connect(m_cost, &CostButton::measured, this, &ConnectionBar::refresh);
    connect(m_cost, &CostButton::commandsPerSecondChosen, this, &ConnectionBar::commandsPerSecondChosen);
    connect(m_cost, &CostButton::fastFirstScanChosen, this, [this](bool isFast) {
        if (!isProduction()) // On a production server, the choice is for this server only.
            Q_EMIT fastFirstScanChosen(isFast);
    });
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
        Q_EMIT armingRequested(isChecked);
    });

    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(20, 0, 16, 0);
    layout->setSpacing(12);
    layout->addWidget(m_name);
    layout->addWidget(m_url, 100);
    layout->addWidget(m_state);
    layout->addWidget(m_recoveryButton);
    layout->addWidget(m_version);
    layout->addStretch(1);
    layout->addWidget(m_roundTrip);
    layout->addWidget(m_cost);
    layout->addWidget(m_pause);
    layout->addWidget(m_arm);
}

void ConnectionBar::applyAppearance()
{
    m_pause->setIcon(m_appearance.icon(m_pause->isChecked() ? QStringLiteral("play") : QStringLiteral("pause")));
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
    m_cost->setServer(m_server);
    m_pause->setChecked(m_server && m_server->watcher().isPaused());
    m_url->setServer(m_server ? m_server->endpoint().toUrl() : QString());
    if (m_server) {
        connect(&m_server->session(), &Session::stateChanged, this, &ConnectionBar::refresh);
        connect(&m_server->session(), &Session::roundTripMeasured, this, &ConnectionBar::refresh);
        connect(&m_server->cluster(), &inspection::ClusterMembership::changed, this, &ConnectionBar::refresh);
        connect(m_server, &InspectedServer::armedChanged, this, &ConnectionBar::refresh);
    }
    refresh();
}

void ConnectionBar::setRecentServers(const QStringList &displayUrls)
{
    m_url->setRecentServers(displayUrls);
}

void ConnectionBar::setSavedConnection(const latchkey::connections::SavedConnection *server)
{
    m_saved = server == nullptr ? std::nullopt : std::optional(*server);
    refresh();
}

bool ConnectionBar::isProduction() const
{
    return m_saved && m_saved->environment == latchkey::connections::Environment::Production;
}

void ConnectionBar::showArming()
{
    ArmingStatus arming {m_server && m_server->isArmed(), m_server && m_server->isPrivate(), isProduction()};
    if (m_server)
        arming.left = m_server->armedLeft();
    m_arm->setEnabled(m_server && !arming.isPrivate);
    m_arm->setChecked(arming.isArmed && !arming.isPrivate);
    m_arm->setText(armingText(arming));
    m_arm->setToolTip(widgets::toolTipText(armingExplanation(arming)));
    if (const QString name = armingName(arming); name != m_arm->accessibleName())
        m_arm->setAccessibleName(name);
}

void ConnectionBar::editUrl()
{
    m_url->edit();
}

void ConnectionBar::addActionsTo(actions::ActionRegistry &registry) const
{
    registry.add(actions::ActionRegistry::Group::Server, *m_pause);
    registry.add(actions::ActionRegistry::Group::Server, *m_arm, actions::ActionRegistry::everyPage,
                 [](const QString &) { return tr("Arm or disarm writes"); });
}

void ConnectionBar::enterUrl(const QString &url)
{
    const auto endpoint = net::Endpoint::fromUrl(url);
    if (!endpoint) {
        m_url->refuse();
        Q_EMIT urlRefused(widgets::sentence(endpoint.error().message()));
        return;
    }
    // Called before the signals: the password in the URL was read, and must not stay on screen.
    m_url->settle();
    Q_EMIT urlRefusalCleared();
    Q_EMIT serverEntered(*endpoint);
}

void ConnectionBar::recover()
{
    if (m_offered == RecoveryAction::EnterPassword)
        Q_EMIT passwordRequested();
    else if (m_server)
        m_server->session().retryNow();
}

ConnectionStatus ConnectionBar::status() const
{
    const Session &session = m_server->session();
    const auto now = m_server->clock().now();
    ConnectionStatus status {session.state(), m_server->isPrivate(), m_pause->isChecked(), session.lastError(), {}, {}};
    status.part = m_server->cluster().part();
    if (session.lastAnswer())
        status.silence = now - *session.lastAnswer();
    if (session.state() == Session::State::Waiting && session.nextAttempt() != base::MonotonicTime::max())
        status.wait = std::max(session.nextAttempt() - now, std::chrono::nanoseconds(0));
    return status;
}

void ConnectionBar::showState()
{
    const ConnectionTexts words = describe(status());
    m_state->set(words.state, words.tone);
    m_state->setToolTip(words.explanation.isEmpty() ? QString() : widgets::toolTipText(words.explanation));
    m_state->setAccessibleDescription(words.explanation);
    m_offered = words.action;
    m_recoveryButton->setText(words.action == RecoveryAction::EnterPassword ? tr("Enter password…") : tr("Try now"));
    widgets::restyle(*m_recoveryButton, "kind",
                     words.action == RecoveryAction::EnterPassword ? QStringLiteral("primary") : QString());
    m_recoveryButton->setVisible(words.action != RecoveryAction::None);
    m_recoveryButton->setEnabled(words.canRecover);
    m_cost->setVisible(words.action == RecoveryAction::None); // The button for the remedy replaces the cost, because no
                                                              // commands are sent meanwhile.
}

void ConnectionBar::refresh()
{
    const bool hasServer = m_server != nullptr;
    m_pause->setEnabled(hasServer);
    m_pause->setAccessibleName(m_pause->isChecked() ? tr("Resume polling") : tr("Pause polling"));
    m_pause->setToolTip(m_pause->accessibleName());
    showArming();
    applyAppearance();
    showSavedConnection();
    if (!hasServer) {
        m_state->set(QString(), Pill::Tone::Neutral);
        m_recoveryButton->hide();
        m_cost->show();
        m_version->clear();
        m_roundTrip->clear();
        fitTexts();
        return;
    }
    showState();
    const bool isReady = m_server->session().state() == Session::State::Ready;
    m_version->setText(isReady ? m_server->session().server().display() : QString()); // Empty otherwise, because the
                                                                                      // room is needed.
    const auto roundTrip = m_server->session().roundTrip();
    m_roundTrip->setText(roundTrip && isReady ? widgets::isolated(base::millisecondsText(*roundTrip)) : QString());
    fitTexts();
}

/// Shows the name of the saved connection. A production environment is conspicuous, most of all while the server is
/// armed.
void ConnectionBar::showSavedConnection()
{
    const bool isProduction = this->isProduction();
    const bool isArmed = m_server && m_server->isArmed() && !m_server->isPrivate();
    const QFontMetrics metrics = m_name->fontMetrics();
    const QString environment = m_saved ? connections::textOf(m_saved->environment) : QString();
    // In a narrow bar, the name takes a part of the URL's width. Without a name, the button is hidden, because Ctrl+K
    // is enough.
    const bool isNarrow = width() < narrowBar;
    m_name->setVisible(m_saved.has_value() || !isNarrow);
    m_url->setMinimumWidth(m_saved && isNarrow ? minUrlWidth - maxNarrowNameWidth : minUrlWidth);
    m_name->setText(
        m_saved ? metrics.elidedText(m_saved->name, Qt::ElideMiddle, isNarrow ? maxNarrowNameWidth : maxNameWidth)
                : QString());
    m_name->setToolTip(
        m_saved ? widgets::toolTipText(
                      environment.isEmpty()
                          ? tr("%1. Click for the other servers (Ctrl+K)").arg(m_saved->name)
                          : tr("%1, %2. Click for the other servers (Ctrl+K)").arg(m_saved->name, environment))
                : tr("Servers (Ctrl+K)"));
    m_name->setAccessibleName(m_saved ? tr("Server %1").arg(m_saved->name) : tr("Servers"));
    const QColor colour = m_saved ? connections::colourOf(m_saved->mark, m_appearance.theme()) : QColor();
    m_name->setIcon(
        m_appearance.icon(QStringLiteral("server"), colour.isValid() ? colour : m_appearance.theme().muted));
    widgets::restyle(*this, "tone",
                     !isProduction ? QString()
                     : isArmed     ? QStringLiteral("armed")
                                   : QStringLiteral("production"));
}

/// Hides the texts that do not fit, the least important one first; the tool tip of the state then contains them. As a
/// last step, the cost is shortened.
void ConnectionBar::fitTexts()
{
    m_cost->setRoom(width(), false);
    const QMargins margins = layout()->contentsMargins();
    const auto widthOf = [this](const QWidget *widget) {
        return std::max(widget->minimumWidth(), widget->minimumSizeHint().width()) + layout()->spacing();
    };
    int needed = margins.left() + margins.right();
    for (int i = 0; i < layout()->count(); ++i) {
        const QWidget *widget = layout()->itemAt(i)->widget();
        if (widget != nullptr && (!widget->isHidden() || widget == m_version || widget == m_roundTrip))
            needed += widthOf(widget);
    }
    QStringList hidden;
    for (QLabel *label : {m_version, m_roundTrip}) {
        const bool fits = needed <= width();
        if (!fits || label->text().isEmpty())
            needed -= widthOf(label);
        if (!fits && !label->text().isEmpty())
            hidden += label->text();
        label->setVisible(fits && !label->text().isEmpty());
    }
    if (needed > width())
        m_cost->setRoom(width(), true);
    if (m_state->accessibleDescription().isEmpty())
        m_state->setToolTip(widgets::toolTipText(hidden.join(QStringLiteral(" · "))));
}

void ConnectionBar::resizeEvent(QResizeEvent *event)
{
    QFrame::resizeEvent(event);
    showSavedConnection();
    showArming();
    fitTexts();
}

} // namespace latchkey::ui::shell
