#include "ui/pages/inspector/keyactionbar.h"

#include "core/inspect/inspection/readstate.h"
#include "ui/kit/widgets/elidedlabel.h"
#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/pages/inspector/rediscli.h"
#include "ui/pages/inspector/statustext.h"
#include "ui/pages/trace/tracedialog.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>

#include <algorithm>

namespace latchkey::ui::inspector {

using inspection::InspectedServer;
using keytable::KeyTableView;
using net::Session;
using widgets::Banner;

namespace {

constexpr std::size_t maxCopied = 10'000;

} // namespace

KeyActionBar::KeyActionBar(theme::Appearance &appearance, const base::Clock &clock, KeyTableView &table,
                           QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
    , m_table(table)
    , m_flow(new KeyChangeFlow(appearance, clock, *this))
    , m_choice(new widgets::ElidedLabel(this))
    , m_copyKey(new QAction(tr("Copy key"), this))
    , m_copyCommand(new QAction(tr("Copy redis-cli command"), this))
    , m_setEnd(new QAction(tr("Set expiry &time…"), this))
    , m_release(new QAction(tr("&Release…"), this))
    , m_delete(new QAction(tr("&Delete…"), this))
    , m_trace(new QAction(tr("Trace…"), this))
    , m_copyKeyButton(new QPushButton(this))
    , m_copyCommandButton(new QPushButton(this))
    , m_setEndButton(new QPushButton(this))
    , m_releaseButton(new QPushButton(this))
    , m_deleteButton(new QPushButton(this))
{
    setUpActions();
    connect(m_flow, &KeyChangeFlow::armingRequested, this, &KeyActionBar::armingRequested);
    connect(m_flow, &KeyChangeFlow::reported, this, &KeyActionBar::reported);
    connect(m_flow, &KeyChangeFlow::undoEnded, this, &KeyActionBar::undoEnded);
    // The focus does not return to the button: the button is disabled when the key ends, and the focus would be lost.
    connect(m_flow, &KeyChangeFlow::answered, &m_table, [this] { m_table.setFocus(Qt::OtherFocusReason); });
    connect(&m_table, &KeyTableView::selectedKeysChanged, this, &KeyActionBar::refresh);
    connect(&m_table, &KeyTableView::contextMenuRequested, this, &KeyActionBar::showMenu);
    connect(&m_appearance, &theme::Appearance::changed, this, &KeyActionBar::applyAppearance);
    setUpLayout();
    applyAppearance();
    refresh();
}

void KeyActionBar::setUpActions()
{
    m_copyKey->setShortcut(QKeySequence::Copy);
    m_copyCommand->setShortcut(Qt::CTRL | Qt::SHIFT | Qt::Key_C);
    m_setEnd->setShortcut(Qt::CTRL | Qt::Key_E);
    m_release->setShortcut(Qt::CTRL | Qt::SHIFT | Qt::Key_R); // Ctrl+R is not used, because it is Refresh on some
                                                              // desktops.
    m_delete->setShortcut(QKeySequence::Delete);
    m_trace->setShortcut(Qt::CTRL | Qt::SHIFT | Qt::Key_T);
    m_trace->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    m_table.addAction(m_trace);
    setUp(m_copyKey, m_copyKeyButton, "copyKey", {});
    setUp(m_copyCommand, m_copyCommandButton, "copyCommand", {});
    setUp(m_setEnd, m_setEndButton, "setEnd", {});
    setUp(m_release, m_releaseButton, "releaseLock", {});
    setUp(m_delete, m_deleteButton, "deleteKey", QStringLiteral("danger"));
    connect(m_copyKey, &QAction::triggered, this, &KeyActionBar::copyKeys);
    connect(m_copyCommand, &QAction::triggered, this, &KeyActionBar::copyCommands);
    connect(m_setEnd, &QAction::triggered, this, [this] { ask(KeyChangeKind::SetExpiry); });
    connect(m_release, &QAction::triggered, this, [this] { ask(KeyChangeKind::Release); });
    connect(m_delete, &QAction::triggered, this, [this] { ask(KeyChangeKind::Delete); });
    connect(m_trace, &QAction::triggered, this, &KeyActionBar::showTrace);
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this,
            &KeyActionBar::refresh);
}

void KeyActionBar::setUpLayout()
{
    m_choice->setObjectName(QStringLiteral("secondary"));
    m_choice->setProperty("testName", QStringLiteral("choice"));
    m_choice->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(m_choice, 1);
    layout->addWidget(m_copyKeyButton);
    layout->addWidget(m_copyCommandButton);
    layout->addWidget(m_setEndButton);
    layout->addWidget(m_releaseButton);
    layout->addWidget(m_deleteButton);
}

void KeyActionBar::setUp(QAction *action, QPushButton *button, const char *name, const QString &kind)
{
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    m_table.addAction(action);
    button->setObjectName(QLatin1String(name));
    button->setText(action->text());
    button->setToolTip(action->shortcut().toString(QKeySequence::NativeText));
    if (!kind.isEmpty())
        button->setProperty("kind", kind);
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
    connect(action, &QAction::changed, button, [action, button] {
        button->setEnabled(action->isEnabled());
        button->setVisible(action->isVisible());
    });
}

QList<QAction *> KeyActionBar::keyActions() const
{
    return {m_copyKey, m_copyCommand, m_trace, m_setEnd, m_release, m_delete};
}

void KeyActionBar::applyAppearance()
{
    m_copyKeyButton->setIcon(m_appearance.icon(QStringLiteral("copy")));
    m_copyCommandButton->setIcon(m_appearance.icon(QStringLiteral("terminal")));
    m_setEndButton->setIcon(m_appearance.icon(QStringLiteral("extend")));
    m_releaseButton->setIcon(m_appearance.icon(QStringLiteral("unlock")));
    m_deleteButton->setIcon(m_appearance.icon(QStringLiteral("trash"), m_appearance.theme().critical));
}

void KeyActionBar::showMenu(const QPoint &at)
{
    auto *menu = new QMenu(&m_table);
    menu->setObjectName(QStringLiteral("keyMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addActions({m_copyKey, m_copyCommand});
    menu->addSeparator();
    menu->addActions({m_trace, m_setEnd, m_release, m_delete});
    menu->addSeparator();
    menu->addActions(m_more);
    menu->addSeparator();
    menu->addMenu(tr("Sort by"))->addActions(m_table.sortActions());
    menu->popup(at);
}

void KeyActionBar::setServer(InspectedServer *server)
{
    if (m_server) { // The server may outlive this object, because other objects use it too.
        m_server->disconnect(this);
        m_server->session().disconnect(this);
        m_server->watcher().disconnect(this);
    }
    m_server = server;
    m_flow->setServer(server);
    // A recording cannot be changed, and its keys may differ from the server's current keys.
    const bool isLive = server == nullptr || !server->isRecording();
    for (QAction *action : {m_copyCommand, m_setEnd, m_release, m_delete, m_trace})
        action->setVisible(isLive);
    if (server != nullptr) {
        connect(server, &InspectedServer::armedChanged, this, &KeyActionBar::refresh);
        connect(&server->session(), &Session::stateChanged, this, &KeyActionBar::refresh);
        connect(&server->watcher(), &watching::Watcher::ticked, this, &KeyActionBar::refresh); // The key may have
                                                                                               // become a lock.
    }
    refresh();
}

/// Counts the keys that exist, as far as is known.
qint64 KeyActionBar::filteredCount(const QList<QByteArray> &keys) const
{
    if (m_server == nullptr)
        return 0;
    const keys::KeyTable &table = m_server->store().known().table;
    return std::ranges::count_if(keys, [&](const QByteArray &key) {
        const auto id = table.find(key);
        return id && table.state(*id) == keys::KeyState::Live;
    });
}

void KeyActionBar::refresh()
{
    const std::vector<base::Key> chosen = chosenKeys(1);
    Choice choice;
    choice.rows = m_server == nullptr ? 0 : m_table.selectedCount();
    choice.canChange = m_server == nullptr || !m_server->isRecording();
    if (!chosen.empty())
        choice.key = chosen.front().bytes();
    if (const QList<QByteArray> awaited = m_table.awaited(); !awaited.isEmpty()) {
        choice.awaited = awaited.size();
        choice.awaitedKey = awaited.front();
        choice.filtered = filteredCount(awaited);
        choice.unreadable = m_server == nullptr ? 0 : inspection::unreadableCount(*m_server, awaited);
    }
    m_choice->setText(choiceText(choice));
    m_copyKey->setEnabled(choice.rows > 0);
    m_copyCommand->setEnabled(choice.rows > 0);
    const QString why = obstacle(choice.rows);
    m_setEnd->setEnabled(why.isEmpty());
    m_delete->setEnabled(why.isEmpty());
    const QString whyNoRelease = !why.isEmpty() || isLockChosen() ? why : tr("Select a lock first");
    m_release->setEnabled(whyNoRelease.isEmpty());
    const bool isConnected = m_server != nullptr && m_server->session().state() == Session::State::Ready;
    m_trace->setEnabled(choice.rows == 1 && isConnected);
    for (QAction *action : {m_copyKey, m_copyCommand})
        action->setStatusTip(choice.rows > 0 ? QString() : tr("Select a key first"));
    m_trace->setStatusTip(why.isEmpty() && choice.rows > 1 ? tr("Select a single key") : why);
    m_release->setStatusTip(whyNoRelease);
    for (QAction *action : {m_setEnd, m_delete})
        action->setStatusTip(why);
    const bool isArmed = m_server != nullptr && m_server->isArmed();
    const QString needs = tr("Read-only: arm writes first");
    const auto explain = [&](QPushButton &button, const QAction &action, const QString &text, const QString &whyNot) {
        const QString shortcut = action.shortcut().toString(QKeySequence::NativeText);
        button.setToolTip(!whyNot.isEmpty() ? whyNot : tr("%1 (%2)").arg(isArmed ? text : needs, shortcut));
    };
    explain(*m_setEndButton, *m_setEnd, tr("Sets the expiry of the selected keys if they are unchanged"), why);
    explain(*m_releaseButton, *m_release,
            tr("Releases the selected locks as their holders would, if they are unchanged"), whyNoRelease);
    explain(*m_deleteButton, *m_delete, tr("Deletes the selected keys if they are unchanged"), why);
}

bool KeyActionBar::isLockChosen() const
{
    return std::ranges::any_of(chosenKeys(KeyChangeFlow::maxKeys),
                               [this](const base::Key &key) { return m_server->locks().isLock(key.bytes()); });
}

QString KeyActionBar::obstacle(qint64 chosen) const
{
    if (m_server == nullptr || m_server->session().state() != Session::State::Ready)
        return tr("No connection to a server");
    if (chosen == 0)
        return tr("Select a key first");
    constexpr auto maximum = static_cast<int>(KeyChangeFlow::maxKeys);
    return chosen > maximum ? tr("At most %Ln keys at once", nullptr, maximum) : QString();
}

std::vector<base::Key> KeyActionBar::chosenKeys(std::size_t maximum) const
{
    std::vector<base::Key> keys;
    if (!m_server)
        return keys;
    for (const keys::KeyId id : m_table.selectedKeys(maximum))
        keys.emplace_back(m_server->store().known().table.key(id).toByteArray());
    return keys;
}

void KeyActionBar::copyKeys()
{
    QStringList texts;
    int escaped = 0;
    for (const QByteArray &name : m_table.selectedNames(maxCopied)) {
        const auto text = base::utf8Text(name);
        escaped += text ? 0 : 1;
        texts += text ? *text : base::printable(name);
    }
    QGuiApplication::clipboard()->setText(texts.join(u'\n'));
    if (escaped > 0)
        Q_EMIT reported({Banner::Tone::Info, escapedText(escaped), {}});
}

void KeyActionBar::copyCommands()
{
    QStringList commands;
    for (const base::Key &key : chosenKeys(maxCopied))
        commands += redisCliCommand(m_server->endpoint(), key);
    QGuiApplication::clipboard()->setText(commands.join(u'\n'));
}

void KeyActionBar::showTrace()
{
    const std::vector<base::Key> keys = chosenKeys(1);
    if (keys.empty())
        return;
    QList<QByteArray> followed {keys.front().bytes()};
    if (const auto looked = m_server->locks().lookUp(keys.front().bytes()))
        followed += looked->sample.companions.keys();
    auto *dialog = new trace::TraceDialog(m_appearance, m_server->clock(), m_server->endpoint(), followed, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    const QByteArray key = keys.front().bytes();
    connect(&dialog->trace(), &watching::KeyTrace::traced, this,
            [this, key](const watching::TracedCommand &command) { Q_EMIT traced(key, command); });
    connect(&dialog->trace(), &watching::KeyTrace::began, this, [this, key] { Q_EMIT traceChanged(key, true); });
    connect(&dialog->trace(), &watching::KeyTrace::ended, this, [this, key] { Q_EMIT traceChanged(key, false); });
    // A closed dialog ends its trace without a signal.
    connect(dialog, &QDialog::finished, this, [this, key] { Q_EMIT traceChanged(key, false); });
    m_server->listenTo(dialog->trace());
    dialog->show();
}

void KeyActionBar::ask(KeyChangeKind kind)
{
    m_flow->ask(kind, chosenKeys(KeyChangeFlow::maxKeys));
}

} // namespace latchkey::ui::inspector
