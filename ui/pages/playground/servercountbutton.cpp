#include "ui/pages/playground/servercountbutton.h"

#include "ui/kit/widgets/languagechangenotifier.h"

#include <QMenu>

namespace latchkey::ui::playground {

using latchkey::playground::ServerPool;

ServerCountButton::ServerCountButton(ServerPool &serverPool, QWidget *parent)
    : QPushButton(parent)
    , m_serverPool(serverPool)
{
    setObjectName(QStringLiteral("serverCount"));
    setProperty("kind", QStringLiteral("menu"));
    setToolTip(tr("Number of private servers. redlock uses all of them, every other recipe the first. A change "
                  "restarts all clients."));
    auto *menu = new QMenu(this);
    for (int size = 1; size <= ServerPool::maxServers; ++size) {
        QAction *action = menu->addAction(QString());
        action->setCheckable(true);
        connect(action, &QAction::triggered, this, [this, size] { m_serverPool.setSize(size); });
    }
    addActionsOnSingleServer(*menu);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        const auto actions = menu->actions();
        for (int i = 0; i < ServerPool::maxServers; ++i)
            actions[i]->setChecked(i + 1 == m_serverPool.wanted());
    });
    setMenu(menu);
    connect(&m_serverPool, &ServerPool::sizeChanged, this, &ServerCountButton::refresh);
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this,
            &ServerCountButton::refresh);
    refresh();
}

void ServerCountButton::addActionsOnSingleServer(QMenu &menu)
{
    QAction *line = menu.addSeparator();
    QAction *suspend = menu.addAction(tr("Freeze the server (SIGSTOP)"), this, [this] { m_serverPool.suspend(0); });
    QAction *kill = menu.addAction(tr("Kill the server (SIGKILL)"), this, [this] { m_serverPool.crash(0); });
    suspend->setObjectName(QStringLiteral("freezeOnlyServer"));
    kill->setObjectName(QStringLiteral("killOnlyServer"));
    connect(&menu, &QMenu::aboutToShow, this, [this, line, suspend, kill] {
        for (QAction *each : {line, suspend, kill})
            each->setVisible(m_serverPool.size() == 1 && m_serverPool.state(0) == ServerPool::State::Up);
    });
}

void ServerCountButton::refresh()
{
    setText(tr("Servers: %1").arg(m_serverPool.size()));
    const auto actions = menu()->actions();
    for (int i = 0; i < ServerPool::maxServers; ++i)
        actions[i]->setText(i == 0 ? tr("1 private server") : tr("%n private servers", nullptr, i + 1));
}

} // namespace latchkey::ui::playground
