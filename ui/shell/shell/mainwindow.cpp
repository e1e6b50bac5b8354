#include "ui/shell/shell/mainwindow.h"

#include "ui/kit/widgets/sentence.h"
#include "ui/kit/widgets/wheelguard.h"
#include "ui/pages/recording/recordingopener.h"
#include "ui/shell/shell/alertcontrol.h"
#include "ui/shell/shell/armingnotice.h"
#include "ui/shell/shell/layoutsaver.h"
#include "ui/shell/shell/passwordnotice.h"
#include "ui/shell/shell/trustquestions.h"
#include "ui/shell/shell/windowplace.h"

#include <QAction>
#include <QCloseEvent>
#include <QHBoxLayout>
#include <QScreen>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace latchkey::ui::shell {

using actions::ActionRegistry;
using inspection::InspectedServer;
using inspector::InspectorPage;
using widgets::Banner;

namespace {

// Topics of messages.
const QString welcomeTopic = QStringLiteral("welcome");
const QString urlTopic = QStringLiteral("url");
const QString workspaceTopic = QStringLiteral("workspace");
const QString settingsTopic = QStringLiteral("settings");
const QString incidentTopic = QStringLiteral("incident");

/// The size that every page fits. A smaller window scrolls, such as on a small screen with large scaling.
constexpr QSize smallestContent(920, 470);

/// A layout without height for width, by which QScrollArea would scroll contents that fit.
class ContentLayout final : public QHBoxLayout
{
public:
    using QHBoxLayout::QHBoxLayout;
    [[nodiscard]] bool hasHeightForWidth() const override { return false; }
};

} // namespace

MainWindow::MainWindow(Workspace &workspace, theme::Appearance &appearance, i18n::LanguageSwitcher &languageSwitcher)
    : m_workspace(workspace)
    , m_appearance(appearance)
    , m_rail(new NavigationRail(appearance, languageSwitcher, workspace.settings(), this))
    , m_bar(new ConnectionBar(appearance, this))
    , m_questions(new ServerQuestions(workspace, appearance, this))
    , m_help(new help::HelpControl(*this, m_actions, appearance, languageSwitcher, [this] { return m_rail->pages(); }))
    , m_inspector(new InspectorPage(appearance, m_messages, workspace.clock(), this))
    , m_pages(new PageStack(workspace, appearance, m_inspector, this))
{
    setObjectName(QStringLiteral("mainWindow"));
    setWindowTitle(QStringLiteral("Latchkey"));
    choosePlace();
    setUpLayout();
    setUpActions();
    connectParts();
    m_inspector->setOwnDialects(workspace.dialects());
    m_layout = new LayoutSaver(*m_inspector, workspace.settings(), this);
    showPage(InspectorIndex);
    showInspected();
}

MainWindow::~MainWindow()
{
    m_workspace.settings().setSaveHandler([](const auto &) {});
}

void MainWindow::choosePlace()
{
    constexpr QSize frame(4, 36); // Usual size; the actual size is unknown before the window is shown.
    const WindowSizes sizes = windowSizesFor(screen()->availableGeometry().size(), frame);
    setMinimumSize(sizes.smallest);
    resize(sizes.first);
    restoreGeometry(m_workspace.settings().windowGeometry()); // Qt fits the geometry into the screen automatically.
    setFullScreen(false);                                     // A presentation ends with the run.
}

void MainWindow::setUpLayout()
{
    m_rail->addPage(QStringLiteral("inspectorButton"), QStringLiteral("inspector"), tr("Inspector"),
                    Qt::CTRL | Qt::Key_1,
                    tr("Shows every key, its time left, and for locks the library, the holder and the findings."));
    m_rail->addPage(QStringLiteral("playgroundButton"), QStringLiteral("playground"), tr("Playground"),
                    Qt::CTRL | Qt::Key_2,
                    tr("Runs clients and private servers as processes that you can pause, crash and restart."));
    m_rail->addPage(QStringLiteral("storiesButton"), QStringLiteral("stories"), tr("Stories"), Qt::CTRL | Qt::Key_3,
                    tr("Plays a flawed lock beside a sound one, step by step, and searches for races."));
    m_rail->addPage(QStringLiteral("labButton"), QStringLiteral("lab"), tr("Expiry lab"), Qt::CTRL | Qt::Key_4,
                    tr("Measures which keys stay for ever and how late the others expire."));
    m_rail->addPage(
        QStringLiteral("groupButton"), QStringLiteral("server"), tr("Group"), Qt::CTRL | Qt::Key_5,
        tr("Shows the locks of independent servers with the votes of each server, as redlock counts them."));

    auto *right = new QVBoxLayout;
    right->setSpacing(0);
    right->addWidget(m_bar);
    right->addWidget(m_pages, 1);

    auto *central = new QWidget(this);
    central->setObjectName(QStringLiteral("page"));
    auto *layout = new ContentLayout(central);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_rail);
    layout->addLayout(right, 1);
    central->setMinimumSize(smallestContent);
    auto *scrolled = new QScrollArea(this);
    scrolled->setObjectName(QStringLiteral("content"));
    scrolled->setFrameShape(QFrame::NoFrame);
    scrolled->setFocusPolicy(Qt::NoFocus);
    scrolled->setWidgetResizable(true);
    scrolled->setWidget(central);
    setCentralWidget(scrolled);
    new widgets::WheelGuard(this);
    auto *messages = new widgets::MessageArea(m_messages, m_appearance, m_pages);
    connect(m_pages, &QStackedWidget::currentChanged, messages, &QWidget::raise); // A new page would cover the
                                                                                  // messages.
    connect(messages, &widgets::MessageArea::focusReleased, m_pages, &PageStack::enterPage);
}

void MainWindow::welcome()
{
    if (m_workspace.settings().isWelcomed())
        return;
    m_workspace.settings().setWelcomed(true);
    m_messages.show({welcomeTopic,
                     Banner::Tone::Info,
                     tr("To find a stuck lock, use the Inspector. To crash a holder before a class, use the Playground "
                        "and the Stories. To test expiry, use the Expiry lab."),
                     tr("Help (F1)"),
                     [this] { m_help->showHelp(); },
                     {}});
}

void MainWindow::connectParts()
{
    connect(m_rail, &NavigationRail::pageChosen, this, &MainWindow::showPage);
    connect(m_rail, &NavigationRail::appearanceModeChosen, this,
            [this](theme::Appearance::Mode mode) { m_workspace.settings().setAppearanceMode(mode); });
    const auto open = [this](const net::Endpoint &endpoint) {
        showPage(InspectorIndex); // The Playground always uses a private server.
        m_workspace.open(endpoint);
    };
    connect(m_bar, &ConnectionBar::serverEntered, this, open);
    connect(m_questions, &ServerQuestions::serverChosen, this, open);
    connect(m_questions, &ServerQuestions::groupChosen, this, [this](const QString &name) {
        showPage(GroupIndex);
        m_workspace.openGroup(name);
    });
    connect(m_bar, &ConnectionBar::urlRefused, this, [this](const QString &message) {
        m_messages.show({urlTopic, Banner::Tone::Critical, message, {}, {}, {}});
    });
    connect(m_bar, &ConnectionBar::urlRefusalCleared, this, [this] { m_messages.remove(urlTopic); });
    connect(m_bar, &ConnectionBar::serverSwitchRequested, m_questions, &ServerQuestions::offerServers);
    connect(&m_workspace.servers(), &latchkey::connections::SavedConnections::changed, this,
            &MainWindow::nameSavedConnection);
    connect(m_bar, &ConnectionBar::passwordRequested, m_questions, &ServerQuestions::askForPassword);
    connect(m_bar, &ConnectionBar::armingRequested, this, [this](bool arm) {
        if (arm)
            m_questions->askToArm();
        else if (InspectedServer *server = m_workspace.inspected())
            server->setArmed(false);
    });
    connect(m_bar, &ConnectionBar::commandsPerSecondChosen, this,
            [this](int commands) { m_workspace.settings().setCommandsPerSecond(commands); });
    connect(m_bar, &ConnectionBar::fastFirstScanChosen, this,
            [this](bool isFast) { m_workspace.settings().setFastFirstScan(isFast); });
    connect(m_inspector, &InspectorPage::armingRequested, m_questions, &ServerQuestions::askToArm);
    connect(m_questions, &ServerQuestions::armingRefused, m_inspector, &InspectorPage::forgetQuestion);
    new recording::RecordingOpener(*m_inspector, m_messages, m_appearance, *this);
    connect(m_inspector, &InspectorPage::playgroundRequested, this, [this] { showPage(PlaygroundIndex); });
    connect(&m_workspace, &Workspace::inspectedChanged, this, &MainWindow::showInspected);
    m_workspace.settings().setSaveHandler(
        [this](const std::optional<base::Error> &error) { showSettingsError(error); });
    new TrustQuestions(m_workspace, m_messages, m_appearance, *this); // Owned by the window, like the next objects.
    new ArmingNotice(m_workspace, *m_questions, m_messages, this);
    new PasswordNotice(m_workspace, *m_questions, m_messages, this);
    const auto showKey = [this](const QByteArray &key) {
        showPage(InspectorIndex);
        m_inspector->showKey(key);
    };
    new AlertControl(m_workspace, *m_rail, m_appearance, showKey, *this);
    connect(&m_workspace, &Workspace::noticed, this, &MainWindow::showNotice);
    connect(&m_workspace, &Workspace::playgroundServerChanged, this, &MainWindow::nameServer);
    connect(&m_workspace, &Workspace::groupChanged, this, &MainWindow::nameServer);
    connect(m_pages, &PageStack::presentingChanged, this, &MainWindow::frame);
    connect(m_pages, &PageStack::groupsRequested, m_questions, &ServerQuestions::offerServers);
}

void MainWindow::showPage(int page)
{
    if (page != m_pages->currentIndex())
        m_pages->leavePresenting();
    m_pages->showPage(page);
    m_rail->setCurrent(page);
    nameServer();
    if (m_textScale > 1)
        fitText();
    m_pages->enterPage();
}

void MainWindow::openStory(const QString &path)
{
    showPage(StoriesIndex);
    m_pages->stories().openFile(path);
}

/// Returns the server of the current page.
InspectedServer *MainWindow::shownServer() const
{
    return m_pages->currentIndex() == PlaygroundIndex ? m_workspace.playgroundServer() : m_workspace.inspected();
}

/// Sets bar and title to the server of the current page.
void MainWindow::nameServer()
{
    InspectedServer *server = shownServer();
    m_bar->setServer(server);
    nameSavedConnection();
}

void MainWindow::showInspected()
{
    InspectedServer *server = m_workspace.inspected();
    m_messages.remove(workspaceTopic);
    m_messages.remove(incidentTopic);
    m_inspector->setServer(server);
    m_pages->updateInspected();
    nameServer();
    m_bar->setRecentServers(m_workspace.settings().recentServers());
    nameSavedConnection();
    if (server == nullptr)
        return;
    connect(server, &InspectedServer::incidentHappened, this, &MainWindow::showIncident, Qt::UniqueConnection);
}

void MainWindow::showNotice(const Workspace::Notice &notice)
{
    m_messages.show({workspaceTopic,
                     notice.isError ? Banner::Tone::Critical : Banner::Tone::Info,
                     notice.text,
                     notice.actionText,
                     notice.action,
                     {}});
}

void MainWindow::showIncident(const inspection::Incident &incident)
{
    const InspectedServer *server = m_workspace.inspected();
    if (server == nullptr || sender() != server)
        return; // The signal comes from a server that is no longer shown.
    m_messages.show({incidentTopic,
                     Banner::Tone::Warning,
                     widgets::sentence(inspection::incidentText(incident, server->endpoint().display()).toString()),
                     {},
                     {},
                     {}});
}

/// Shows a message while settings cannot be saved. While the window closes, only the log shows it. The log has the
/// message once, although each further setting fails as well.
void MainWindow::showSettingsError(const std::optional<base::Error> &error)
{
    const QString before = std::exchange(m_settingsError, error ? error->message() : QString());
    if (!error)
        return m_messages.remove(settingsTopic);
    if (m_settingsError != before)
        qWarning("latchkey: %s", qUtf8Printable(m_settingsError));
    m_messages.show(
        {settingsTopic, Banner::Tone::Critical, tr("Settings are not saved: %1.").arg(error->message()), {}, {}, {}});
}

/// Shows the name and the environment of the saved connection in bar, title and questions.
void MainWindow::nameSavedConnection()
{
    const InspectedServer *server = shownServer();
    const auto *saved = server == nullptr ? nullptr : m_workspace.servers().findEndpoint(server->endpoint());
    m_bar->setSavedConnection(saved);
    const InspectedServer *inspected = m_workspace.inspected();
    const auto *entry = inspected == nullptr ? nullptr : m_workspace.servers().findEndpoint(inspected->endpoint());
    m_inspector->setServerName(entry == nullptr ? QString() : entry->name);
    if (m_pages->currentIndex() == GroupIndex && !m_workspace.group().name().isEmpty())
        return setWindowTitle(tr("%1 \u2014 Latchkey").arg(m_workspace.group().name()));
    if (server == nullptr)
        return setWindowTitle(QStringLiteral("Latchkey"));
    const QString name = saved == nullptr ? server->endpoint().display() : saved->name;
    const bool isProduction = saved != nullptr && saved->environment == latchkey::connections::Environment::Production;
    setWindowTitle((isProduction ? tr("%1 (production) \u2014 Latchkey") : tr("%1 \u2014 Latchkey")).arg(name));
}

void MainWindow::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::LanguageChange)
        nameServer();
    QMainWindow::changeEvent(event);
}

void MainWindow::resizeEvent(QResizeEvent *event)
{
    QMainWindow::resizeEvent(event);
    m_inspector->fitPanels(size());
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    m_workspace.settings().setWindowGeometry(saveGeometry());
    m_layout->save();
    QMainWindow::closeEvent(event);
}

} // namespace latchkey::ui::shell
