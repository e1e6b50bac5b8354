#include "ui/pages/inspector/lockpatternactions.h"

#include "ui/pages/inspector/lockpatterndialog.h"
#include "ui/pages/inspector/userpatternsdialog.h"

#include "core/inspect/recognition/siblingnames.h"
#include "ui/kit/widgets/sentence.h"

#include <QAction>
#include <QDeadlineTimer>
#include <QFileInfo>

namespace latchkey::ui::inspector {

using recognition::LockPattern;
using recognition::UserDialects;
using namespace std::chrono_literals;

namespace {

/// Quiet time before the file is read: programs write a file in several steps.
constexpr auto quietPeriod = 100ms;
/// Time limit of the search for siblings of a key; enough for a few hundred thousand names.
constexpr auto maxSearchTime = 50ms;
/// Number of names between two reads of the clock.
constexpr quint32 namesPerClockRead = 1024;

} // namespace

LockPatternActions::LockPatternActions(theme::Appearance &appearance, widgets::Messages &messages, QWidget &page)
    : QObject(&page)
    , m_appearance(appearance)
    , m_messages(messages)
    , m_page(page)
    , m_patternAction(new QAction(tr("This is a &lock…"), this))
    , m_list(new QAction(tr("Lock &patterns of your own…"), this))
{
    m_patternAction->setObjectName(QStringLiteral("thisIsALock"));
    m_patternAction->setShortcut(Qt::CTRL | Qt::SHIFT | Qt::Key_L);
    m_list->setObjectName(QStringLiteral("ownPatterns"));
    for (QAction *action : {m_patternAction, m_list}) {
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        m_page.addAction(action);
    }
    connect(m_patternAction, &QAction::triggered, this, &LockPatternActions::say);
    connect(m_list, &QAction::triggered, this, &LockPatternActions::list);
    m_reloadTimer.setSingleShot(true);
    m_reloadTimer.setInterval(quietPeriod);
    connect(&m_files, &QFileSystemWatcher::fileChanged, &m_reloadTimer, qOverload<>(&QTimer::start));
    connect(&m_files, &QFileSystemWatcher::directoryChanged, &m_reloadTimer, qOverload<>(&QTimer::start));
    connect(&m_reloadTimer, &QTimer::timeout, this, [this] {
        watchFile();
        m_own->reload();
    });
    refresh();
}

void LockPatternActions::setDialects(UserDialects &own)
{
    m_own = &own;
    connect(m_own, &UserDialects::changed, this, &LockPatternActions::showErrors);
    watchFile();
    showErrors();
    refresh();
}

/// Watches the file and its folder. The folder reports a file that is created later.
void LockPatternActions::watchFile()
{
    const QFileInfo file(m_own->file());
    for (const QString &path : {file.filePath(), file.path()}) {
        if (QFileInfo::exists(path))
            m_files.addPath(path); // A path that is watched already stays watched.
    }
}

void LockPatternActions::showErrors()
{
    const QString topic = QStringLiteral("dialects");
    if (m_own->problem())
        m_messages.show(
            {topic, widgets::Banner::Tone::Warning, widgets::sentence(m_own->problem()->message()), {}, {}, {}});
    else
        m_messages.remove(topic);
}

void LockPatternActions::setServer(inspection::InspectedServer *server)
{
    m_server = server;
    setKey(std::nullopt);
}

void LockPatternActions::setKey(const std::optional<QByteArray> &key)
{
    m_key = key;
    refresh();
}

void LockPatternActions::refresh()
{
    m_patternAction->setEnabled(m_own != nullptr && m_server && m_key);
    m_list->setEnabled(m_own != nullptr && m_server);
}

/// Returns a pattern for the names of the key and its siblings of the same type. The time of the search is limited,
/// because the dialog opens after it.
QByteArray LockPatternActions::proposedNames(const QByteArray &key, keys::KeyType type) const
{
    const keys::KeyTable &table = m_server->store().known().table;
    const QDeadlineTimer deadline(maxSearchTime, Qt::PreciseTimer);
    recognition::SiblingNames siblings(key);
    for (quint32 id = 0; id < table.idLimit(); ++id) {
        if (id % namesPerClockRead == 0 && deadline.hasExpired())
            break;
        if (!m_server->store().known().isLive(keys::KeyId {id}))
            continue;
        const keys::KeyType other = table.type(keys::KeyId {id});
        if (other == type || other == keys::KeyType::Unknown)
            siblings.add(table.key(keys::KeyId {id}));
    }
    return siblings.pattern();
}

void LockPatternActions::say()
{
    const auto looked = m_server->locks().lookUp(*m_key);
    if (!looked)
        return;      // The key no longer exists.
    m_own->reload(); // Another program may have edited the file.
    LockPattern pattern;
    pattern.keys = proposedNames(*m_key, looked->sample.type);
    pattern.type = looked->sample.type;
    QByteArray name = pattern.keys;
    while (name.size() > 1 && QByteArrayView("*:/.|#_-").contains(name.back()))
        name.chop(1);
    pattern.title =
        tr("%1 lock", "the name of a kind of locks, after how their keys are named").arg(base::printable(name, 60));
    open(pattern, m_key, &m_page);
}

void LockPatternActions::list()
{
    auto *dialog = new UserPatternsDialog(*m_own, &m_page);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &UserPatternsDialog::changeRequested, this,
            [this, dialog](const LockPattern &pattern) { open(pattern, std::nullopt, dialog); });
    dialog->open();
}

void LockPatternActions::open(const LockPattern &pattern, const std::optional<QByteArray> &key, QWidget *parent)
{
    if (!m_server)
        return;
    auto *dialog = new LockPatternDialog(m_appearance, *m_own, *m_server, pattern, key, parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

} // namespace latchkey::ui::inspector
