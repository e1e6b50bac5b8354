#include "ui/shell/shell/alertcontrol.h"

#include "ui/kit/widgets/sentence.h"
#include "ui/shell/alerts/alertsdialog.h"
#include "ui/shell/alerts/alerttexts.h"

#include <QApplication>

namespace latchkey::ui::shell {

using alerts::AlertLog;
using alerts::AlertsDialog;
using alerts::AlertTexts;
using alerts::DesktopNotifier;
using alerts::LoggedAlert;
using inspection::InspectedServer;
using latchkey::alerts::AlertRule;
using namespace std::chrono_literals;

namespace {

constexpr auto collectingTime = 1s;

std::vector<AlertRule> rulesFrom(const QStringList &texts)
{
    std::vector<AlertRule> rules;
    for (const QString &text : texts) {
        if (auto rule = latchkey::alerts::parseAlertRule(text)) // Another version may support more conditions.
            rules.push_back(*std::move(rule));
    }
    return rules;
}

bool hasAlerts(const InspectedServer &server)
{
    return !server.isPrivate() && !server.isRecording();
}

} // namespace

AlertControl::AlertControl(Workspace &workspace, NavigationRail &rail, theme::Appearance &appearance,
                           std::function<void(const QByteArray &)> showKey, QWidget &window)
    : QObject(&window)
    , m_workspace(workspace)
    , m_rail(rail)
    , m_appearance(appearance)
    , m_window(window)
    , m_showKey(std::move(showKey))
    , m_log(workspace.clock())
{
    m_notifyTimer.setSingleShot(true);
    m_notifyTimer.setInterval(collectingTime);
    connect(&m_notifyTimer, &QTimer::timeout, this, &AlertControl::notify);
    connect(&workspace, &Workspace::inspectedChanged, this, &AlertControl::watchInspected);
    connect(&workspace.servers(), &latchkey::connections::SavedConnections::changed, this, &AlertControl::nameServer);
    connect(&rail, &NavigationRail::alertsRequested, this, &AlertControl::showDialog);
    connect(&m_log, &AlertLog::raised, this, &AlertControl::collect);
    connect(&m_log, &AlertLog::changed, this, [this] { m_rail.setAlertCount(m_log.openCount()); });
    connect(&m_notifier, &DesktopNotifier::activated, this, [this] {
        m_window.show();
        m_window.raise();
        m_window.activateWindow();
        showDialog();
    });
    const auto setProblem = [this](const QString &why) {
        m_desktopProblem = why;
        if (m_dialog != nullptr)
            m_dialog->setDesktopProblem(why);
    };
    connect(&m_notifier, &DesktopNotifier::failed, this, setProblem);
    connect(&m_notifier, &DesktopNotifier::shown, this, [setProblem] { setProblem({}); });
    watchInspected();
}

void AlertControl::watchInspected()
{
    InspectedServer *server = m_workspace.inspected();
    if (server != nullptr && hasAlerts(*server) && !m_log.isWatched(*server))
        m_log.watch(*server, rulesFrom(m_workspace.settings().alertRules(server->endpoint().display())));
    nameServer();
}

QString AlertControl::nameOf(const QString &url) const
{
    const auto endpoint = net::Endpoint::fromUrl(url);
    const auto *saved = endpoint ? m_workspace.servers().findEndpoint(*endpoint) : nullptr;
    return saved == nullptr ? url : saved->name;
}

/// Sets the server and the rules of the dialog.
void AlertControl::nameServer()
{
    if (m_dialog == nullptr)
        return;
    const InspectedServer *server = m_workspace.inspected();
    if (server == nullptr)
        return m_dialog->setServer({}, {}, tr("No server is open."));
    const QString url = server->endpoint().display();
    const QString reason = server->isRecording() ? tr("A recording has no alerts.")
                         : server->isPrivate()   ? tr("A private server has no alerts.")
                                                 : QString();
    m_dialog->setServer(nameOf(url), rulesFrom(m_workspace.settings().alertRules(url)), reason);
}

void AlertControl::showDialog()
{
    if (m_dialog == nullptr) {
        m_dialog = new AlertsDialog(
            m_log, m_appearance, m_workspace.clock(), [this](const QString &url) { return nameOf(url); }, &m_window);
        connect(m_dialog, &AlertsDialog::rulesChanged, this, &AlertControl::changeRules);
        connect(m_dialog, &AlertsDialog::showKeyRequested, this, &AlertControl::showKeyOf);
        connect(m_dialog, &AlertsDialog::desktopChosen, this, [this](bool isNotified, bool hasSound) {
            m_workspace.settings().setDesktopAlerts(isNotified, hasSound);
            m_dialog->setDesktop(isNotified, hasSound);
        });
        m_dialog->setDesktop(m_workspace.settings().areAlertsOnDesktop(), m_workspace.settings().haveAlertsSound());
        m_dialog->setDesktopProblem(m_desktopProblem);
        nameServer();
    }
    m_dialog->show();
    m_dialog->raise();
    m_dialog->activateWindow();
}

void AlertControl::changeRules(const std::vector<AlertRule> &rules)
{
    InspectedServer *server = m_workspace.inspected();
    if (server == nullptr || !hasAlerts(*server))
        return;
    QStringList texts;
    for (const AlertRule &rule : rules)
        texts += rule.text;
    m_workspace.settings().setAlertRules(server->endpoint().display(), texts);
    m_log.watch(*server, rules);
}

void AlertControl::showKeyOf(const LoggedAlert &alert)
{
    if (!alert.server || !alert.alert.key)
        return;
    if (alert.server != m_workspace.inspected())
        m_workspace.open(alert.server->endpoint()); // The server is watched, so its keys are known.
    if (alert.server != m_workspace.inspected())
        return;
    m_dialog->close(); // The dialog would cover the row.
    m_showKey(*alert.alert.key);
}

void AlertControl::collect(const LoggedAlert &alert)
{
    m_last = alert;
    ++m_collected;
    if (!m_notifyTimer.isActive())
        m_notifyTimer.start();
}

void AlertControl::notify()
{
    const LoggedAlert last = *std::exchange(m_last, std::nullopt);
    const int count = std::exchange(m_collected, 0);
    if (!m_workspace.settings().areAlertsOnDesktop() || QApplication::activeWindow() != nullptr)
        return;
    QApplication::alert(&m_window);
    const QString server = nameOf(last.serverUrl);
    const QString title = count == 1 ? QStringLiteral("%1: %2").arg(server, AlertTexts::key(last.alert))
                                     : tr("%1: %n alerts", nullptr, count).arg(server);
    QString text = widgets::sentence(last.alert.reason.toString());
    if (count > 1)
        text = QStringLiteral("%1: %2").arg(AlertTexts::key(last.alert), last.alert.reason.toString());
    m_notifier.notify(title, text, tr("Show"), m_workspace.settings().haveAlertsSound());
}

} // namespace latchkey::ui::shell
