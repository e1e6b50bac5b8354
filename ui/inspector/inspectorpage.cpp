#include "ui/inspector/inspectorpage.h"

#include "ui/inspector/deletedialog.h"
#include "ui/inspector/rediscli.h"
#include "ui/keytable/attention.h"
#include "ui/widgets/sentence.h"

#include <QAction>
#include <QButtonGroup>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

namespace latchkey::ui::inspector {

using inspection::InspectedServer;
using keyspace::DeleteOutcome;
using keyspace::KeySnapshot;
using keyspace::ValueReader;
using keyspace::Watcher;
using keytable::KeyTableModel;
using keytable::KeyTableView;
using resp::Session;
using rows::RowFilter;
using widgets::Banner;
using widgets::EmptyState;

namespace {

constexpr std::size_t mostCopied = 10'000;

QString number(qint64 value)
{
    return QLocale().toString(value);
}

} // namespace

InspectorPage::InspectorPage(theme::Appearance &appearance, const base::Clock &clock, QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
    , m_clock(clock)
    , m_filter(new QLineEdit(this))
    , m_filterIcon(new QAction(this))
    , m_expiry(new QButtonGroup(this))
    , m_counts(new QLabel(this))
    , m_progress(new QProgressBar(this))
    , m_banner(new Banner(appearance, this))
    , m_table(new KeyTableView(appearance, clock, this))
    , m_empty(new EmptyState(appearance, m_table->viewport()))
    , m_choice(new QLabel(this))
    , m_copyKey(new QAction(tr("Copy key"), this))
    , m_copyCommand(new QAction(tr("Copy redis-cli command"), this))
    , m_delete(new QAction(tr("Delete…"), this))
    , m_copyKeyButton(new QPushButton(this))
    , m_copyCommandButton(new QPushButton(this))
    , m_deleteButton(new QPushButton(this))
{
    setObjectName(QStringLiteral("page"));
    setUpHeader();
    setUpTable();
    setUpActions();
    arrange();
    connect(&m_appearance, &theme::Appearance::changed, this, &InspectorPage::applyAppearance);
    applyAppearance();
    refreshActions();
}

void InspectorPage::setUpHeader()
{
    m_filter->setObjectName(QStringLiteral("filter"));
    m_filter->setAccessibleName(tr("Filter keys"));
    m_filter->setPlaceholderText(tr("Part of a key, or a pattern: lock:*"));
    m_filter->setToolTip(tr("Part of a key, or a pattern as in SCAN: * ? [a-z] (Ctrl+F; Esc clears)"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setMinimumWidth(300);
    m_filter->addAction(m_filterIcon, QLineEdit::LeadingPosition);
    connect(m_filter, &QLineEdit::textChanged, this, &InspectorPage::applyFilter);
    m_filter->installEventFilter(this);

    const auto addChip = [this](RowFilter::Expiry expiry, const char *name, const QString &text) {
        auto *chip = new QPushButton(text, this);
        chip->setObjectName(QLatin1String(name));
        chip->setProperty("kind", QStringLiteral("chip"));
        chip->setCheckable(true);
        chip->setChecked(expiry == RowFilter::Expiry::Any);
        m_expiry->addButton(chip, static_cast<int>(expiry));
    };
    addChip(RowFilter::Expiry::Any, "showAll", tr("All"));
    addChip(RowFilter::Expiry::Expiring, "showExpiring", tr("Expiring"));
    addChip(RowFilter::Expiry::Persistent, "showPersistent", tr("No expiry"));
    connect(m_expiry, &QButtonGroup::idToggled, this, &InspectorPage::applyFilter);

    m_counts->setObjectName(QStringLiteral("secondary"));
    m_counts->setProperty("testName", QStringLiteral("counts"));
    m_progress->setObjectName(QStringLiteral("scanProgress"));
    m_progress->setAccessibleName(tr("Scan progress"));
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(4);
    m_progress->hide();
}

void InspectorPage::setUpTable()
{
    connect(m_table, &KeyTableView::choiceChanged, this, &InspectorPage::refreshActions);
    connect(m_table, &QWidget::customContextMenuRequested, this, [this](const QPoint &position) {
        auto *menu = new QMenu(m_table);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->addActions({m_copyKey, m_copyCommand});
        menu->addSeparator();
        menu->addAction(m_delete);
        menu->popup(m_table->viewport()->mapToGlobal(position));
    });
    connect(m_table->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, &InspectorPage::sortAsked);
}

void InspectorPage::setUpActions()
{
    m_copyKey->setShortcut(QKeySequence::Copy);
    m_copyCommand->setShortcut(Qt::CTRL | Qt::SHIFT | Qt::Key_C);
    m_delete->setShortcut(QKeySequence::Delete);
    const auto setUp = [this](QAction *action, QPushButton *button, const char *name, const char *kind) {
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        m_table->addAction(action);
        button->setObjectName(QLatin1String(name));
        button->setText(action->text());
        button->setToolTip(action->shortcut().toString(QKeySequence::NativeText));
        if (*kind != '\0')
            button->setProperty("kind", QLatin1String(kind));
        connect(button, &QPushButton::clicked, action, &QAction::trigger);
        connect(action, &QAction::changed, button, [action, button] { button->setEnabled(action->isEnabled()); });
    };
    setUp(m_copyKey, m_copyKeyButton, "copyKey", "");
    setUp(m_copyCommand, m_copyCommandButton, "copyCommand", "");
    setUp(m_delete, m_deleteButton, "deleteKey", "danger");
    connect(m_copyKey, &QAction::triggered, this, &InspectorPage::copyKeys);
    connect(m_copyCommand, &QAction::triggered, this, &InspectorPage::copyCommands);
    connect(m_delete, &QAction::triggered, this, &InspectorPage::askToDelete);
}

void InspectorPage::arrange()
{
    auto *title = new QLabel(tr("Inspector"), this);
    title->setObjectName(QStringLiteral("pageTitle"));
    auto *heading = new QVBoxLayout;
    heading->setSpacing(2);
    heading->addWidget(title);
    heading->addWidget(m_counts);

    auto *header = new QHBoxLayout;
    header->setSpacing(8);
    header->addLayout(heading);
    header->addStretch(1);
    for (QAbstractButton *chip : m_expiry->buttons())
        header->addWidget(chip);
    header->addSpacing(8);
    header->addWidget(m_filter);

    m_choice->setObjectName(QStringLiteral("secondary"));
    auto *actions = new QHBoxLayout;
    actions->setSpacing(8);
    actions->addWidget(m_choice, 1);
    actions->addWidget(m_copyKeyButton);
    actions->addWidget(m_copyCommandButton);
    actions->addWidget(m_deleteButton);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(24, 18, 24, 16);
    layout->setSpacing(12);
    layout->addLayout(header);
    layout->addWidget(m_progress);
    layout->addWidget(m_banner);
    layout->addWidget(m_table, 1);
    layout->addLayout(actions);
    QWidget *last = nullptr;
    for (QWidget *next : QWidgetList {m_expiry->buttons().front(), m_expiry->buttons()[1], m_expiry->buttons()[2],
                                      m_filter, m_table, m_copyKeyButton, m_copyCommandButton, m_deleteButton}) {
        if (last != nullptr)
            setTabOrder(last, next);
        last = next;
    }
}

void InspectorPage::applyAppearance()
{
    m_filterIcon->setIcon(m_appearance.icon(QStringLiteral("search")));
    m_copyKeyButton->setIcon(m_appearance.icon(QStringLiteral("copy")));
    m_copyCommandButton->setIcon(m_appearance.icon(QStringLiteral("terminal")));
    m_deleteButton->setIcon(m_appearance.icon(QStringLiteral("trash"), m_appearance.theme().critical));
}

void InspectorPage::setServer(InspectedServer *server)
{
    m_table->setStore(nullptr);
    m_banner->hide();
    m_shownProblem.reset();
    m_server = server;
    if (m_server) {
        m_table->setStore(&m_server->store());
        connect(&m_server->watcher(), &Watcher::ticked, this, &InspectorPage::ticked);
        connect(&m_server->watcher(), &Watcher::progressChanged, this, &InspectorPage::refreshCounts);
        connect(&m_server->session(), &Session::stateChanged, this, &InspectorPage::refreshEmptyState);
        connect(m_server, &InspectedServer::armedChanged, this, &InspectorPage::refreshActions);
        applyFilter();
    }
    ticked();
    refreshActions();
}

void InspectorPage::editFilter()
{
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

void InspectorPage::enterTable()
{
    // Not by a focus proxy of the page: with one Tab passes the filter by.
    m_table->setFocus(Qt::OtherFocusReason);
}

bool InspectorPage::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_filter && event->type() == QEvent::KeyPress
        && static_cast<QKeyEvent *>(event)->key() == Qt::Key_Escape) {
        m_filter->clear();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void InspectorPage::applyFilter()
{
    if (!m_server)
        return;
    RowFilter filter;
    filter.glob = keys::Glob::fromFilter(m_filter->text().toUtf8());
    filter.expiry = static_cast<RowFilter::Expiry>(m_expiry->checkedId());
    if (filter == m_server->store().filter())
        return;
    m_server->store().setFilter(filter);
}

void InspectorPage::sortAsked(int column, Qt::SortOrder)
{
    if (!m_server)
        return;
    // What is sorted by has to be known of every key, not only of those on screen.
    std::optional<ValueReader::What> completion;
    if (column == KeyTableModel::TypeColumn)
        completion = ValueReader::What::Types;
    else if (column == KeyTableModel::ValueColumn)
        completion = ValueReader::What::Values;
    if (completion == ValueReader::What::Values && m_server->store().liveCount() > Watcher::mostValuesRead) {
        m_banner->show(Banner::Tone::Info, tr("Sorting by value reads every value, which is not done for more than %1 "
                                              "keys. Those on screen are sorted by what has been read.")
                                               .arg(number(Watcher::mostValuesRead)));
        completion.reset();
    }
    m_server->watcher().setCompletion(completion);
}

void InspectorPage::ticked()
{
    if (m_server)
        m_server->watcher().setAttention(keytable::keysOnScreen(*m_table, m_server->store()));
    refreshCounts();
    refreshEmptyState();
    refreshProblem();
}

void InspectorPage::refreshCounts()
{
    if (!m_server) {
        m_counts->clear();
        m_progress->hide();
        return;
    }
    const rows::RowStore &store = m_server->store();
    const Watcher &watcher = m_server->watcher();
    const qint64 live = store.liveCount();
    if (live == 0 && watcher.phase() != Watcher::Phase::Watching) {
        // How many there are is not known, so it is not said to be none.
        m_counts->clear();
        m_progress->hide();
        return;
    }
    QStringList parts {live == 1 ? tr("1 key") : tr("%1 keys").arg(number(live))};
    if (store.persistentCount() > 0)
        parts += tr("%1 without expiry").arg(number(store.persistentCount()));
    if (!(store.filter() == RowFilter()))
        parts += tr("%1 shown").arg(number(store.rowCount()));
    if (watcher.isIncomplete())
        parts += tr("incomplete: the server has %1").arg(number(watcher.databaseSize()));
    if (store.isSorting())
        parts += tr("sorting…");
    const bool isScanning = watcher.phase() == Watcher::Phase::FirstScan && !watcher.isPaused();
    if (isScanning && watcher.databaseSize() > 0)
        parts +=
            tr("scanned %1 of %2").arg(number(static_cast<qint64>(watcher.keysMet())), number(watcher.databaseSize()));
    const QString text = parts.join(QStringLiteral("  ·  "));
    if (text != m_counts->text())
        m_counts->setText(text);

    const bool showsProgress = isScanning && watcher.databaseSize() > 20'000;
    m_progress->setVisible(showsProgress);
    if (showsProgress)
        showProgress(watcher.keysMet(), watcher.databaseSize());
}

void InspectorPage::showProgress(quint64 met, qint64 all)
{
    constexpr int steps = 1000;
    const int step = static_cast<int>(std::min<qint64>(steps, static_cast<qint64>(met) * steps / all));
    m_progress->setMaximum(steps);
    if (step == m_progress->value())
        return;
    // A progress bar repaints at once, and with it all that waits to be painted: here it waits for its turn too.
    m_progress->setUpdatesEnabled(false);
    m_progress->setValue(step);
    m_progress->setUpdatesEnabled(true);
}

void InspectorPage::refreshEmptyState()
{
    if (!m_server) {
        m_empty->show(QStringLiteral("plug"), tr("No server yet"),
                      tr("Enter a server's URL above, or look around on a private one that Latchkey starts for you."),
                      tr("Start a private server"), [this] { Q_EMIT privateServerWanted(); });
        return;
    }
    const rows::RowStore &store = m_server->store();
    if (store.rowCount() > 0) {
        m_empty->hide();
        return;
    }
    const Session &session = m_server->session();
    if (session.state() == Session::State::Waiting && session.lastError()) {
        m_empty->show(QStringLiteral("plug"), tr("No connection"), widgets::sentence(session.lastError()->message),
                      tr("Start a private server"), [this] { Q_EMIT privateServerWanted(); });
    } else if (m_server->watcher().phase() != Watcher::Phase::Watching) {
        m_empty->show(QStringLiteral("server"), tr("Looking at the keys…"), m_server->endpoint().display());
    } else if (store.liveCount() > 0) {
        m_empty->show(QStringLiteral("search"), tr("No key matches"),
                      tr("There are %1 keys, but none that the filter lets through.").arg(number(store.liveCount())),
                      tr("Show all"), [this] {
                          m_filter->clear();
                          m_expiry->button(static_cast<int>(RowFilter::Expiry::Any))->click();
                      });
    } else if (m_server->isPrivate()) {
        m_empty->show(QStringLiteral("key"), tr("No keys here"),
                      tr("This private server is empty. Let clients compete for a lock in the Playground, or write a "
                         "key with redis-cli: it shows up here within a moment."),
                      tr("Go to the Playground"), [this] { Q_EMIT playgroundWanted(); });
    } else {
        m_empty->show(QStringLiteral("key"), tr("No keys here"),
                      tr("This database is empty. A key shows up here within a moment of being written."));
    }
}

void InspectorPage::refreshProblem()
{
    if (!m_server || m_server->watcher().problem() == m_shownProblem)
        return;
    m_shownProblem = m_server->watcher().problem();
    if (m_shownProblem)
        m_banner->show(Banner::Tone::Warning, tr("Not everything can be shown: %1").arg(m_shownProblem->message));
}

void InspectorPage::refreshActions()
{
    const auto chosen = m_table->chosen(2);
    const bool isConnected = m_server != nullptr && m_server->session().state() == Session::State::Ready;
    m_copyKey->setEnabled(!chosen.empty());
    m_copyCommand->setEnabled(!chosen.empty());
    m_delete->setEnabled(chosen.size() == 1 && isConnected);
    const int rows = m_table->chosenCount();
    if (rows == 0)
        m_choice->setText(tr("Choose a key to copy or to delete it"));
    else if (rows == 1)
        m_choice->setText(base::printable(m_server->store().table().key(chosen.front()), 80));
    else
        m_choice->setText(tr("%1 keys chosen").arg(number(rows)));
    const bool isArmed = m_server != nullptr && m_server->isArmed();
    m_deleteButton->setToolTip(isArmed ? tr("Delete the key if it still is what is shown (Del)")
                                       : tr("Needs arming: this server is only watched"));
}

std::vector<base::Key> InspectorPage::chosenKeys(std::size_t most) const
{
    std::vector<base::Key> keys;
    for (const keys::KeyId id : m_table->chosen(most))
        keys.emplace_back(m_server->store().table().key(id).toByteArray());
    return keys;
}

void InspectorPage::copyKeys()
{
    QStringList texts;
    for (const base::Key &key : chosenKeys(mostCopied))
        texts += base::printable(key.bytes());
    QGuiApplication::clipboard()->setText(texts.join(u'\n'));
}

void InspectorPage::copyCommands()
{
    QStringList commands;
    for (const base::Key &key : chosenKeys(mostCopied))
        commands += redisCliCommand(m_server->endpoint(), key);
    QGuiApplication::clipboard()->setText(commands.join(u'\n'));
}

void InspectorPage::askToDelete()
{
    if (!m_server->isArmed()) {
        Q_EMIT armingWanted();
        return;
    }
    const std::vector<base::Key> keys = chosenKeys(1);
    if (keys.empty())
        return;
    m_server->takeSnapshot(keys.front(), [this, alive = QPointer<InspectorPage>(this), server = m_server,
                                          key = keys.front()](const base::Result<KeySnapshot> &snapshot) {
        if (!alive || !server || server != m_server)
            return;
        if (!snapshot)
            return report(key, base::failure(snapshot.error()));
        if (!snapshot->exists())
            return report(key, DeleteOutcome::Gone);
        auto *dialog = new DeleteDialog(m_appearance, m_clock, *snapshot, m_server->endpoint().display(), this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        connect(dialog, &QDialog::accepted, this, [this, dialog] { deleteKey(dialog->snapshot()); });
        dialog->open();
    });
}

void InspectorPage::deleteKey(const KeySnapshot &snapshot)
{
    if (!m_server)
        return;
    m_server->deleteIfUnchanged(snapshot, [alive = QPointer<InspectorPage>(this),
                                           key = snapshot.key](const base::Result<DeleteOutcome> &outcome) {
        if (alive)
            alive->report(key, outcome);
    });
}

void InspectorPage::report(const base::Key &key, const base::Result<DeleteOutcome> &outcome)
{
    const QString name = base::printable(key.bytes(), 80);
    if (!outcome) {
        m_banner->show(Banner::Tone::Critical, tr("Deleting %1: %2").arg(name, outcome.error().message));
        return;
    }
    switch (*outcome) {
    case DeleteOutcome::Deleted:
        m_banner->show(Banner::Tone::Info, tr("%1 was deleted.").arg(name));
        break;
    case DeleteOutcome::Changed:
        m_banner->show(Banner::Tone::Warning,
                       tr("%1 was not deleted: it is not what it was when you looked.").arg(name));
        break;
    case DeleteOutcome::Gone:
        m_banner->show(Banner::Tone::Info, tr("%1 does not exist any more.").arg(name));
        break;
    }
}

} // namespace latchkey::ui::inspector
