#include "ui/shell/connectionbar.h"

#include "core/base/duration.h"
#include "ui/widgets/sentence.h"

#include <QActionGroup>
#include <QCompleter>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QMenu>
#include <QPushButton>
#include <QStringListModel>
#include <QStyle>

namespace latchkey::ui::shell {

using inspection::InspectedServer;
using resp::Session;
using widgets::Pill;
using namespace std::chrono_literals;

namespace {

constexpr int barHeight = 56;
constexpr int widestUrl = 330;
constexpr int narrowestUrl = 160;
/// A bar narrower than this has no room for the limit beside the commands per second.
constexpr int narrowBar = 1000;

QString roundTripText(std::chrono::nanoseconds roundTrip)
{
    const double milliseconds = std::chrono::duration<double, std::milli>(roundTrip).count();
    return ConnectionBar::tr("%1 ms").arg(QLocale().toString(milliseconds, 'f', milliseconds < 10 ? 2 : 0));
}

QLabel *makeMetric(const QString &name, const QString &accessibleName, QWidget *parent)
{
    auto *label = new QLabel(parent);
    label->setObjectName(name);
    label->setAccessibleName(accessibleName);
    label->setToolTip(accessibleName);
    label->setProperty("class", QStringLiteral("metric"));
    return label;
}

} // namespace

ConnectionBar::ConnectionBar(theme::Appearance &appearance, QWidget *parent)
    : QFrame(parent)
    , m_appearance(appearance)
    , m_url(new QLineEdit(this))
    , m_state(new Pill(appearance, this))
    , m_version(makeMetric(QStringLiteral("serverVersion"), tr("Server version"), this))
    , m_roundTrip(makeMetric(QStringLiteral("roundTrip"), tr("Round trip"), this))
    , m_cost(new QPushButton(this))
    , m_pause(new QPushButton(this))
    , m_arm(new QPushButton(this))
    , m_budget(new QMenu(this))
{
    setObjectName(QStringLiteral("connectionBar"));
    setFixedHeight(barHeight);
    setUpWidgets();
    setUpBudgetMenu();
    connect(&m_appearance, &theme::Appearance::changed, this, &ConnectionBar::applyAppearance);
    m_second.setInterval(1s);
    connect(&m_second, &QTimer::timeout, this, &ConnectionBar::measure);
    m_second.start();
    applyAppearance();
    refresh();
}

void ConnectionBar::setUpWidgets()
{
    m_url->setObjectName(QStringLiteral("serverUrl"));
    m_url->setAccessibleName(tr("Server URL"));
    m_url->setPlaceholderText(tr("redis://host:6379 or unix:///path/to.sock"));
    m_url->setToolTip(tr("Enter another URL and press Return to connect to it (Ctrl+L)"));
    m_url->setMinimumWidth(narrowestUrl);
    m_url->setMaximumWidth(widestUrl);
    auto *completer = new QCompleter(new QStringListModel(this), this);
    completer->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
    m_url->setCompleter(completer);
    connect(m_url, &QLineEdit::returnPressed, this, &ConnectionBar::enterUrl);
    connect(m_url, &QLineEdit::textEdited, this, [this] {
        m_url->setProperty("kind", QVariant());
        m_url->style()->polish(m_url);
    });

    m_state->setObjectName(QStringLiteral("connectionState"));
    m_cost->setObjectName(QStringLiteral("commandsPerSecond"));
    m_cost->setProperty("kind", QStringLiteral("menu"));
    m_cost->setMenu(m_budget);
    m_cost->setToolTip(tr("Commands per second that this window causes on the server, and the limit that it keeps"));
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
        refresh(); // Shows what is, not what was asked for.
        Q_EMIT armingAsked(isChecked);
    });

    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(20, 0, 16, 0);
    layout->setSpacing(12);
    layout->addWidget(m_url, 100);
    layout->addWidget(m_state);
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
        QAction *action = m_budget->addAction(tr("At most %1 commands per second").arg(QLocale().toString(limit)));
        action->setCheckable(true);
        action->setData(limit);
        group->addAction(action);
    }
    connect(group, &QActionGroup::triggered, this, [this](const QAction *action) {
        if (m_server)
            m_server->watcher().setCommandsPerSecond(action->data().toInt());
        Q_EMIT commandsPerSecondChosen(action->data().toInt());
        measure();
    });
    connect(m_budget, &QMenu::aboutToShow, this, [this] {
        for (QAction *action : m_budget->actions())
            action->setChecked(m_server != nullptr
                               && action->data().toInt() == m_server->watcher().commandsPerSecond());
    });
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
    }
    m_server = server;
    m_lastCommands = 0;
    m_pause->setChecked(false);
    if (m_server) {
        m_url->setText(m_server->endpoint().display());
        m_url->setCursorPosition(0);
        m_lastCommands = m_server->commandsSent();
        m_lastMeasured = m_server->clock().now();
        connect(&m_server->session(), &Session::stateChanged, this, &ConnectionBar::refresh);
        connect(&m_server->session(), &Session::roundTripMeasured, this, &ConnectionBar::refresh);
        connect(m_server, &InspectedServer::armedChanged, this, &ConnectionBar::refresh);
    }
    measure();
    refresh();
}

void ConnectionBar::setRecentServers(const QStringList &displayUrls)
{
    if (auto *model = qobject_cast<QStringListModel *>(m_url->completer()->model()))
        model->setStringList(displayUrls);
}

void ConnectionBar::editUrl()
{
    m_url->setFocus(Qt::ShortcutFocusReason);
    m_url->selectAll();
}

void ConnectionBar::enterUrl()
{
    const auto endpoint = resp::Endpoint::fromUrl(m_url->text().trimmed());
    if (!endpoint) {
        m_url->setProperty("kind", QStringLiteral("error"));
        m_url->style()->polish(m_url);
        Q_EMIT urlRefused(widgets::sentence(endpoint.error().message));
        return;
    }
    // A password that was typed has been understood; it does not stay on screen.
    m_url->setText(endpoint->display());
    Q_EMIT serverEntered(*endpoint);
}

QString ConnectionBar::stateText() const
{
    switch (m_server->session().state()) {
    case Session::State::Stopped:
        return tr("not connected");
    case Session::State::Connecting:
        return tr("connecting");
    case Session::State::Ready:
        return m_pause->isChecked() ? tr("paused") : m_server->isPrivate() ? tr("private server") : tr("connected");
    case Session::State::Waiting: {
        const auto wait = m_server->session().nextAttempt() - m_server->clock().now();
        return tr("no connection, next attempt in %1 s")
            .arg(std::max<qint64>(0, std::chrono::ceil<std::chrono::seconds>(wait).count()));
    }
    }
    Q_UNREACHABLE();
}

void ConnectionBar::refresh()
{
    const bool hasServer = m_server != nullptr;
    m_pause->setEnabled(hasServer);
    m_pause->setAccessibleName(m_pause->isChecked() ? tr("Go on polling") : tr("Pause polling"));
    m_pause->setToolTip(m_pause->accessibleName());
    const bool isArmed = hasServer && m_server->isArmed();
    const bool isPrivate = hasServer && m_server->isPrivate();
    m_arm->setEnabled(hasServer && !isPrivate);
    m_arm->setChecked(isArmed && !isPrivate);
    m_arm->setText(isPrivate ? tr("Writes allowed") : isArmed ? tr("Writes armed") : tr("Watching only"));
    m_arm->setToolTip(isPrivate ? tr("This server is private: writing to it is always allowed")
                      : isArmed ? tr("Click to disarm: nothing is written any more")
                                : tr("Nothing is written to this server until you arm it"));
    applyAppearance();
    if (!hasServer) {
        m_state->set(QString(), Pill::Tone::Neutral);
        m_version->clear();
        m_roundTrip->clear();
        return;
    }
    const Session::State state = m_server->session().state();
    const Pill::Tone tone = state == Session::State::Ready
                              ? (m_pause->isChecked() ? Pill::Tone::Warning : Pill::Tone::Good)
                          : state == Session::State::Waiting ? Pill::Tone::Critical
                                                             : Pill::Tone::Neutral;
    m_state->set(stateText(), tone);
    m_version->setText(m_server->session().server().display());
    const auto roundTrip = m_server->session().roundTrip();
    m_roundTrip->setText(roundTrip && state == Session::State::Ready ? roundTripText(*roundTrip) : QString());
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
    const int limit = m_server->watcher().commandsPerSecond();
    const QString number = QLocale().toString(perSecond, 'f', 0);
    // The limit holds for watching; to see everything once it is exceeded.
    m_cost->setText(width() < narrowBar ? tr("%1 commands/s").arg(number)
                    : perSecond > 1.2 * limit
                        ? tr("%1 commands/s while reading all").arg(number)
                        : tr("%1 commands/s of at most %2").arg(number, QLocale().toString(limit)));
    m_lastCommands = commands;
    m_lastMeasured = now;
    refresh();
}

} // namespace latchkey::ui::shell
