// The actions of the MainWindow. Its parts are in mainwindow.cpp.

#include "ui/shell/shell/mainwindow.h"
#include "ui/shell/shell/pageactions.h"

#include <QAction>
#include <QShortcut>

#include <algorithm>

namespace latchkey::ui::shell {

using actions::ActionRegistry;
using inspection::InspectedServer;

namespace {

constexpr double textStep = 0.15;

} // namespace

/// Adds the actions to the registry, from which the menu, the finder and the help come.
void MainWindow::setUpActions()
{
    m_rail->addActionsTo(m_actions);
    const auto add = [this](ActionRegistry::Group group, const QString &text, const QKeySequence &keys, auto &&slot) {
        m_actions.add(group, *addAction(text, keys, this, slot));
    };
    add(ActionRegistry::Group::Server, tr("Edit the server's URL"), Qt::CTRL | Qt::Key_L, [this] { m_bar->editUrl(); });
    add(ActionRegistry::Group::Server, tr("Choose a server…"), Qt::CTRL | Qt::Key_K,
        [this] { m_questions->offerServers(); });
    add(ActionRegistry::Group::Server, tr("Connect again now"), QKeySequence::Refresh, [this] {
        if (InspectedServer *server = shownServer())
            server->session().retryNow();
    });
    m_bar->addActionsTo(m_actions);
    add(ActionRegistry::Group::Table, tr("Filter the keys"), QKeySequence::Find, [this] {
        showPage(InspectorIndex);
        m_inspector->editFilter();
    });
    m_inspector->addActionsTo(m_actions, InspectorIndex);
    addPlaygroundActions(m_actions, *m_pages->widget(PlaygroundIndex), PlaygroundIndex,
                         [this]() -> playground::PlaygroundPage & { return m_pages->playground(); });
    addStoriesActions(m_actions, *m_pages->widget(StoriesIndex), StoriesIndex,
                      [this]() -> stories::StoriesPage & { return m_pages->stories(); });
    addLabActions(m_actions, *m_pages->widget(LabIndex), LabIndex,
                  [this]() -> lab::LabPage & { return m_pages->lab(); });
    addViewActions();
    addPresentedShortcuts();
    add(ActionRegistry::Group::Window, tr("Quit"), QKeySequence::Quit, [this] { close(); });
    connect(&m_actions, &ActionRegistry::pageRequested, this, &MainWindow::showPage);
    m_help->setMenu(m_rail->menu());
}

void MainWindow::addViewActions()
{
    const auto add = [this](const QString &text, const QList<QKeySequence> &keys, auto &&slot) {
        QAction *action = addAction(text, this, slot);
        action->setShortcuts(keys);
        m_actions.add(ActionRegistry::Group::Window, *action);
    };
    add(tr("Full screen or presentation"), {Qt::Key_F11}, [this] { togglePresenting(); });
    // On some keyboards, plus needs Shift; the key without Shift is accepted too.
    add(tr("Larger text"), {Qt::CTRL | Qt::Key_Plus, Qt::CTRL | Qt::Key_Equal},
        [this] { setTextScale(m_appearance.textScale() + textStep); });
    add(tr("Smaller text"), {Qt::CTRL | Qt::Key_Minus}, [this] { setTextScale(m_appearance.textScale() - textStep); });
    add(tr("Original text size"), {Qt::CTRL | Qt::Key_0}, [this] { setTextScale(1); });
}

/// Adds the shortcuts of the hidden rail: those of the pages, which end the presentation, even for the presented page,
/// and that of the alerts.
void MainWindow::addPresentedShortcuts()
{
    const QList<QKeySequence> shortcuts = m_rail->shortcuts();
    for (int page = 0; page < static_cast<int>(shortcuts.size()); ++page) {
        auto *shortcut = new QShortcut(shortcuts[page], this);
        shortcut->setEnabled(false);
        connect(shortcut, &QShortcut::activated, this, [this, page] {
            m_pages->leavePresenting();
            showPage(page);
        });
        m_presentedShortcuts += shortcut;
    }
    auto *alerts = new QShortcut(m_rail->alertsShortcut(), this);
    alerts->setEnabled(false);
    connect(alerts, &QShortcut::activated, m_rail, &NavigationRail::alertsRequested);
    m_presentedShortcuts += alerts;
}

void MainWindow::togglePresenting()
{
    if (!m_pages->togglePresenting())
        setFullScreen(!isFullScreen());
}

void MainWindow::frame(bool isPresenting)
{
    m_rail->setVisible(!isPresenting);
    m_bar->setVisible(!isPresenting);
    for (QShortcut *shortcut : std::as_const(m_presentedShortcuts))
        shortcut->setEnabled(isPresenting);
    if (isPresenting)
        m_wasFullScreen = isFullScreen();
    setFullScreen(isPresenting || m_wasFullScreen);
}

void MainWindow::setFullScreen(bool isFullScreen)
{
    setWindowState(windowState().setFlag(Qt::WindowFullScreen, isFullScreen));
}

void MainWindow::setTextScale(double scale)
{
    m_textScale = std::clamp(scale, theme::Appearance::minTextScale, theme::Appearance::maxTextScale);
    fitText();
    m_textScale = m_appearance.textScale(); // The next step begins at the visible size.
}

void MainWindow::fitText()
{
    constexpr double fitStep = 0.05;
    m_appearance.setTextScale(m_textScale);
    for (double scale = m_textScale; scale > 1 && !isRoomForText(); scale -= fitStep)
        m_appearance.setTextScale(std::max(1.0, scale - fitStep));
}

bool MainWindow::isRoomForText() const
{
    const QWidget *page = m_pages->currentWidget();
    const QSize bar = m_bar->isVisibleTo(this) ? m_bar->minimumSizeHint() : QSize(0, 0);
    const int rail = m_rail->isVisibleTo(this) ? m_rail->minimumSizeHint().width() : 0;
    const QSize needed = page->minimumSizeHint().expandedTo(bar);
    return rail + needed.width() <= width() && bar.height() + page->minimumSizeHint().height() <= height();
}

} // namespace latchkey::ui::shell
