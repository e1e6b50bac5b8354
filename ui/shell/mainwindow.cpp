#include "ui/shell/mainwindow.h"

#include "ui/widgets/sentence.h"

#include <QCloseEvent>
#include <QDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QShortcut>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace latchkey::ui::shell {

using base::ErrorKind;
using clients::PlaygroundPage;
using inspection::InspectedServer;
using inspector::InspectorPage;
using resp::Session;
using widgets::Banner;

MainWindow::MainWindow(Workspace &workspace, theme::Appearance &appearance)
    : m_workspace(workspace)
    , m_appearance(appearance)
    , m_rail(new NavigationRail(appearance, this))
    , m_bar(new ConnectionBar(appearance, this))
    , m_notice(new Banner(appearance, this))
    , m_pages(new QStackedWidget(this))
    , m_inspector(new InspectorPage(appearance, workspace.clock(), this))
{
    setObjectName(QStringLiteral("mainWindow"));
    setWindowTitle(QStringLiteral("Latchkey"));
    resize(1280, 800);
    setMinimumSize(960, 560);
    arrange();
    setUpShortcuts();
    connectParts();
    restoreGeometry(m_workspace.settings().windowGeometry());
    showPage(InspectorIndex);
    showInspected();
}

MainWindow::~MainWindow() = default;

void MainWindow::arrange()
{
    m_rail->addPage(QStringLiteral("inspectorButton"), QStringLiteral("inspector"), tr("Inspector"),
                    Qt::CTRL | Qt::Key_1);
    m_rail->addPage(QStringLiteral("playgroundButton"), QStringLiteral("playground"), tr("Playground"),
                    Qt::CTRL | Qt::Key_2);
    m_pages->addWidget(m_inspector);

    auto *noticePlace = new QVBoxLayout;
    noticePlace->setContentsMargins(24, 12, 24, 0);
    noticePlace->addWidget(m_notice);
    auto *right = new QVBoxLayout;
    right->setSpacing(0);
    right->addWidget(m_bar);
    right->addLayout(noticePlace);
    right->addWidget(m_pages, 1);

    auto *central = new QWidget(this);
    central->setObjectName(QStringLiteral("page"));
    auto *layout = new QHBoxLayout(central);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_rail);
    layout->addLayout(right, 1);
    setCentralWidget(central);
}

void MainWindow::setUpShortcuts()
{
    const auto add = [this](const QKeySequence &keys, auto &&action) {
        connect(new QShortcut(keys, this), &QShortcut::activated, this, action);
    };
    add(Qt::CTRL | Qt::Key_L, [this] { m_bar->editUrl(); });
    add(QKeySequence::Find, [this] {
        showPage(InspectorIndex);
        m_inspector->editFilter();
    });
    add(QKeySequence::Refresh, [this] {
        if (InspectedServer *server = m_workspace.inspected())
            server->session().retryNow();
    });
    add(QKeySequence::Quit, [this] { close(); });
}

void MainWindow::connectParts()
{
    connect(m_rail, &NavigationRail::pageChosen, this, &MainWindow::showPage);
    connect(m_rail, &NavigationRail::appearanceModeChosen, this,
            [this](theme::Appearance::Mode mode) { m_workspace.settings().setAppearanceMode(mode); });
    connect(m_bar, &ConnectionBar::serverEntered, this,
            [this](const resp::Endpoint &endpoint) { m_workspace.open(endpoint); });
    connect(m_bar, &ConnectionBar::urlRefused, this,
            [this](const QString &message) { m_notice->show(Banner::Tone::Critical, message); });
    connect(m_bar, &ConnectionBar::armingAsked, this, [this](bool arm) {
        if (arm)
            askToArm();
        else if (InspectedServer *server = m_workspace.inspected())
            server->setArmed(false);
    });
    connect(m_bar, &ConnectionBar::commandsPerSecondChosen, this,
            [this](int commands) { m_workspace.settings().setCommandsPerSecond(commands); });
    connect(m_inspector, &InspectorPage::armingWanted, this, &MainWindow::askToArm);
    connect(m_inspector, &InspectorPage::privateServerWanted, &m_workspace, &Workspace::openPrivate);
    connect(m_inspector, &InspectorPage::playgroundWanted, this, [this] { showPage(PlaygroundIndex); });
    connect(&m_workspace, &Workspace::inspectedChanged, this, &MainWindow::showInspected);
    connect(&m_workspace, &Workspace::noticed, this, &MainWindow::showNotice);
    connect(&m_workspace, &Workspace::playgroundServerChanged, this, [this] {
        if (m_playground != nullptr)
            m_playground->setServer(m_workspace.playgroundServer());
    });
}

void MainWindow::showPage(int page)
{
    if (page == PlaygroundIndex)
        makePlayground();
    m_pages->setCurrentIndex(page);
    m_rail->setCurrent(page);
    if (page == InspectorIndex)
        m_inspector->enterTable();
}

void MainWindow::makePlayground()
{
    if (m_playground != nullptr)
        return;
    m_playground = new PlaygroundPage(m_workspace.crew(), m_appearance, m_workspace.clock(), this);
    m_pages->addWidget(m_playground);
    m_playground->setServer(m_workspace.playgroundServer());
    m_workspace.preparePlayground();
}

void MainWindow::showInspected()
{
    InspectedServer *server = m_workspace.inspected();
    m_notice->hide();
    m_inspector->setServer(server);
    m_bar->setServer(server);
    m_bar->setRecentServers(m_workspace.settings().recentServers());
    if (server == nullptr)
        return;
    setWindowTitle(tr("%1 \u2014 Latchkey").arg(server->endpoint().display()));
    connect(&server->session(), &Session::stateChanged, m_notice, [this, server](Session::State state) {
        if (state != Session::State::Waiting)
            return;
        const base::Error &error = *server->session().lastError();
        if (error.kind == ErrorKind::AuthenticationRequired || error.kind == ErrorKind::WrongPassword)
            m_notice->show(Banner::Tone::Warning, widgets::sentence(error.message), tr("Enter password…"),
                           [this] { askForPassword(); });
    });
}

void MainWindow::showNotice(const Workspace::Notice &notice)
{
    m_notice->show(notice.isError ? Banner::Tone::Critical : Banner::Tone::Info, notice.text, notice.actionText,
                   notice.action);
}

void MainWindow::askForPassword()
{
    const InspectedServer *server = m_workspace.inspected();
    if (server == nullptr)
        return;
    auto *dialog = new QDialog(this);
    dialog->setObjectName(QStringLiteral("passwordDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Password for %1").arg(server->endpoint().display()));
    auto *user = new QLineEdit(server->endpoint().user, dialog);
    user->setObjectName(QStringLiteral("passwordUser"));
    user->setPlaceholderText(tr("the default user"));
    auto *password = new QLineEdit(dialog);
    password->setObjectName(QStringLiteral("password"));
    password->setEchoMode(QLineEdit::Password);
    auto *connectButton = new QPushButton(tr("Connect"), dialog);
    connectButton->setProperty("kind", QStringLiteral("primary"));
    connectButton->setDefault(true);
    connect(connectButton, &QPushButton::clicked, dialog, &QDialog::accept);
    auto *form = new QFormLayout;
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    form->addRow(tr("User"), user);
    form->addRow(tr("Password"), password);
    auto *hint = new QLabel(tr("It is kept in memory only, for as long as the window is connected."), dialog);
    hint->setObjectName(QStringLiteral("secondary"));
    auto *layout = new QVBoxLayout(dialog);
    layout->setContentsMargins(24, 20, 24, 16);
    layout->setSpacing(12);
    layout->addLayout(form);
    layout->addWidget(hint);
    layout->addWidget(connectButton, 0, Qt::AlignRight);
    connect(dialog, &QDialog::accepted, this, [this, user, password, endpoint = server->endpoint()]() mutable {
        endpoint.user = user->text();
        endpoint.password = password->text();
        m_workspace.open(endpoint);
    });
    password->setFocus();
    dialog->open();
}

void MainWindow::askToArm()
{
    InspectedServer *server = m_workspace.inspected();
    if (server == nullptr || server->isArmed())
        return;
    auto *question = new QDialog(this);
    question->setObjectName(QStringLiteral("armDialog"));
    question->setAttribute(Qt::WA_DeleteOnClose);
    question->setWindowTitle(tr("Arm writes"));
    auto *title = new QLabel(tr("Allow writing to this server?"), question);
    title->setObjectName(QStringLiteral("pageTitle"));
    auto *where = new QLabel(server->endpoint().display(), question);
    where->setFont(m_appearance.monospaced());
    auto *explanation = new QLabel(
        tr("Keys can be deleted until you disarm it or connect elsewhere. Nothing is written by itself."), question);
    explanation->setObjectName(QStringLiteral("secondary"));
    auto *keep = new QPushButton(tr("Keep watching only"), question);
    keep->setObjectName(QStringLiteral("armCancel"));
    keep->setDefault(true);
    auto *arm = new QPushButton(tr("Arm"), question);
    arm->setObjectName(QStringLiteral("armConfirm"));
    arm->setProperty("kind", QStringLiteral("danger"));
    arm->setIcon(m_appearance.icon(QStringLiteral("unlock"), m_appearance.theme().critical));
    connect(keep, &QPushButton::clicked, question, &QDialog::reject);
    connect(arm, &QPushButton::clicked, question, &QDialog::accept);
    connect(question, &QDialog::accepted, server, [server] { server->setArmed(true); });
    auto *buttons = new QHBoxLayout;
    buttons->addStretch(1);
    buttons->addWidget(keep);
    buttons->addWidget(arm);
    auto *layout = new QVBoxLayout(question);
    layout->setContentsMargins(28, 24, 28, 20);
    layout->setSpacing(14);
    layout->addWidget(title);
    layout->addWidget(where);
    layout->addWidget(explanation);
    layout->addSpacing(6);
    layout->addLayout(buttons);
    question->open();
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    m_workspace.settings().setWindowGeometry(saveGeometry());
    QMainWindow::closeEvent(event);
}

} // namespace latchkey::ui::shell
