#include "ui/shell/connections/serverswitcher.h"

#include "core/redis/connections/savedservers.h"
#include "ui/kit/widgets/filterkeys.h"
#include "ui/kit/widgets/indenteddelegate.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/shell/connections/groupdialog.h"
#include "ui/shell/connections/serverdialog.h"
#include "ui/shell/connections/serverfiledialogs.h"
#include "ui/shell/connections/serverstate.h"
#include "ui/shell/connections/servertexts.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace latchkey::ui::connections {

using inspection::InspectedServer;
using latchkey::connections::RedlockGroup;
using latchkey::connections::SavedConnection;
using namespace std::chrono_literals;

namespace {

constexpr int indexRole = Qt::UserRole;

} // namespace

bool ServerSwitcher::Entry::matches(const QString &wanted) const
{
    const auto has = [&](const QString &text) { return text.contains(wanted, Qt::CaseInsensitive); };
    return group ? has(group->name) || group->members.filter(wanted, Qt::CaseInsensitive).size() > 0
                 : has(server.name) || has(server.group) || has(server.endpoint.display())
                       || has(textOf(server.environment));
}

ServerSwitcher::ServerSwitcher(theme::Appearance &appearance, latchkey::connections::SavedConnections &savedConnections,
                               WindowData windowData, QWidget *parent)
    : QDialog(parent)
    , m_appearance(appearance)
    , m_savedConnections(savedConnections)
    , m_data(std::move(windowData))
    , m_filter(new QLineEdit(this))
    , m_list(new QTreeWidget(this))
    , m_problem(widgets::makePlainLabel(QStringLiteral("patternProblem"), {}, this))
    , m_new(new QPushButton(tr("&New…"), this))
    , m_newGroup(new QPushButton(tr("New &group…"), this))
    , m_edit(new QPushButton(tr("&Change…"), this))
    , m_remove(new QPushButton(tr("&Remove"), this))
    , m_go(new QPushButton(tr("&Open"), this))
{
    setObjectName(QStringLiteral("serverSwitcher"));
    setWindowTitle(tr("Servers"));
    resize(760, 440);
    setUpLayout();
    connect(m_filter, &QLineEdit::textChanged, this, &ServerSwitcher::applyFilter);
    connect(m_list, &QTreeWidget::itemActivated, this, &ServerSwitcher::go);
    connect(m_list, &QTreeWidget::currentItemChanged, this, &ServerSwitcher::showActions);
    connect(m_go, &QPushButton::clicked, this, &ServerSwitcher::go);
    connect(m_new, &QPushButton::clicked, this,
            [this] { edit({{}, m_data.current.value_or(net::Endpoint::local())}, {}); });
    connect(m_newGroup, &QPushButton::clicked, this, [this] { editGroup({}, {}); });
    connect(m_edit, &QPushButton::clicked, this, [this] {
        const auto entry = current();
        if (entry && entry->group)
            editGroup(*entry->group, entry->group->name);
        else if (entry)
            edit(entry->server, m_savedConnections.find(entry->name()) != nullptr ? entry->name() : QString());
    });
    connect(m_remove, &QPushButton::clicked, this, &ServerSwitcher::remove);
    connect(&m_savedConnections, &latchkey::connections::SavedConnections::changed, this, &ServerSwitcher::fill);
    m_secondTimer.setInterval(1s);
    connect(&m_secondTimer, &QTimer::timeout, this, &ServerSwitcher::showStates);
    m_secondTimer.start();
    m_savedConnections.reload(); // Another window may have changed the file.
    m_filter->setFocus();
}

void ServerSwitcher::setUpLayout()
{
    m_filter->setObjectName(QStringLiteral("serverFilter"));
    m_filter->setPlaceholderText(tr("Name, group or address"));
    m_filter->setAccessibleName(tr("Filter the servers"));
    m_filter->setClearButtonEnabled(true);
    connect(new widgets::FilterKeys(*m_filter, *m_list), &widgets::FilterKeys::chosen, this, &ServerSwitcher::go);
    m_list->setObjectName(QStringLiteral("serverList"));
    m_list->setAccessibleName(tr("Servers"));
    m_list->setColumnCount(ColumnCount);
    m_list->setItemDelegate(new widgets::IndentedDelegate(m_list));
    m_list->setHeaderLabels({tr("Server"), tr("Environment"), tr("State"), tr("Where")});
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->header()->setStretchLastSection(true);
    m_list->setColumnWidth(NameColumn, 210);
    m_list->setColumnWidth(EnvironmentColumn, 120);
    m_list->setColumnWidth(StateColumn, 190);
    m_problem->setWordWrap(true);
    m_problem->hide();
    m_new->setObjectName(QStringLiteral("serverNew"));
    m_newGroup->setObjectName(QStringLiteral("serverNewGroup"));
    m_newGroup->setToolTip(tr("A redlock group: independent servers that vote for the holders of locks"));
    m_edit->setObjectName(QStringLiteral("serverEdit"));
    m_remove->setObjectName(QStringLiteral("serverRemove"));
    m_go->setObjectName(QStringLiteral("serverOpen"));
    m_go->setProperty("kind", QStringLiteral("primary"));
    auto *more = new QPushButton(tr("&More"), this);
    more->setObjectName(QStringLiteral("serverMore"));
    auto *menu = new QMenu(more);
    menu->addAction(tr("Import…"), this, &ServerSwitcher::importSome)->setObjectName(QStringLiteral("serverImport"));
    menu->addAction(tr("Export…"), this, &ServerSwitcher::exportAll)->setObjectName(QStringLiteral("serverExport"));
    more->setMenu(menu);
    for (QPushButton *button : {m_new, m_newGroup, m_edit, m_remove, more, m_go})
        button->setAutoDefault(false);
    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    for (QPushButton *button : {m_new, m_newGroup, m_edit, m_remove, more})
        buttons->addWidget(button);
    buttons->addStretch(1);
    buttons->addWidget(m_go);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 18, 20, 16);
    layout->setSpacing(12);
    layout->addWidget(m_filter);
    layout->addWidget(m_list, 1);
    layout->addWidget(m_problem);
    layout->addLayout(buttons);
}

void ServerSwitcher::fill()
{
    const auto chosenBefore = current();
    m_list->clear();
    m_listed.clear();
    // Servers are sorted by group, so each group is contiguous.
    const std::vector<SavedConnection> &saved = m_savedConnections.servers();
    for (auto first = saved.begin(); first != saved.end();) {
        const auto last = std::find_if(first, saved.end(),
                                       [&](const SavedConnection &server) { return server.group != first->group; });
        addGroup(first->group.isEmpty() ? tr("Servers") : first->group, {first, last});
        first = last;
    }
    addRedlockGroups();
    std::vector<SavedConnection> recent;
    for (const QString &url : m_data.recentUrls) {
        const auto endpoint = net::Endpoint::fromUrl(url);
        if (endpoint && m_savedConnections.findEndpoint(*endpoint) == nullptr)
            recent.push_back({endpoint->display(), *endpoint});
    }
    addGroup(tr("Recent, not saved"), recent);
    QStringList problems;
    for (const base::Error &problem : m_savedConnections.problems())
        problems += widgets::fullSentence(problem.message());
    say(problems.join(u'\n'));
    applyFilter();
    showStates();
    if (QTreeWidgetItem *item = chosenBefore ? itemOf(chosenBefore->name()) : nullptr)
        m_list->setCurrentItem(item);
    showActions();
}

QTreeWidgetItem *ServerSwitcher::itemOf(const QString &name) const
{
    for (QTreeWidgetItemIterator item(m_list); *item != nullptr; ++item) {
        const QVariant index = (*item)->data(NameColumn, indexRole);
        if (index.isValid() && m_listed[index.toUInt()].name() == name)
            return *item;
    }
    return nullptr;
}

void ServerSwitcher::select(const QString &name)
{
    QTreeWidgetItem *item = itemOf(name);
    if (item != nullptr && item->isHidden())
        m_filter->clear();
    if (item != nullptr)
        m_list->setCurrentItem(item);
    m_filter->setFocus(Qt::OtherFocusReason); // Typing then filters the list, and Return opens the selected server.
}

QTreeWidgetItem *ServerSwitcher::addHeading(const QString &title)
{
    auto *heading = new QTreeWidgetItem(m_list, {title});
    heading->setFlags(Qt::ItemIsEnabled);
    heading->setFirstColumnSpanned(true);
    heading->setForeground(NameColumn, m_appearance.theme().muted);
    heading->setExpanded(true);
    return heading;
}

QTreeWidgetItem *ServerSwitcher::addEntry(QTreeWidgetItem *heading, const QStringList &texts, Entry entry)
{
    auto *item = new QTreeWidgetItem(heading, texts);
    item->setData(NameColumn, indexRole, static_cast<uint>(m_listed.size()));
    item->setToolTip(PlaceColumn, widgets::toolTipText(texts.last()));
    m_listed.push_back(std::move(entry));
    return item;
}

void ServerSwitcher::addGroup(const QString &title, const std::vector<SavedConnection> &servers)
{
    if (servers.empty())
        return;
    QTreeWidgetItem *heading = addHeading(title);
    for (const SavedConnection &server : servers) {
        QTreeWidgetItem *item =
            addEntry(heading, {server.name, textOf(server.environment), {}, server.endpoint.display()}, {server, {}});
        item->setForeground(EnvironmentColumn, widgets::colourOf(toneOf(server.environment), m_appearance.theme()));
        if (const QColor colour = colourOf(server.mark, m_appearance.theme()); colour.isValid()) {
            QPixmap dot(10, 10);
            dot.fill(colour);
            item->setIcon(NameColumn, QIcon(dot));
        }
    }
}

void ServerSwitcher::addRedlockGroups()
{
    if (m_savedConnections.groups().empty())
        return;
    QTreeWidgetItem *heading = addHeading(tr("Redlock groups"));
    for (const RedlockGroup &group : m_savedConnections.groups())
        addEntry(heading, {group.name, {}, {}, group.members.join(tr(", "))}, {{}, group});
}

/// Hides the servers that do not match and selects the first match, so that Return opens it.
void ServerSwitcher::applyFilter()
{
    const QString wanted = m_filter->text().trimmed();
    QTreeWidgetItem *first = nullptr;
    for (int group = 0; group < m_list->topLevelItemCount(); ++group) {
        QTreeWidgetItem *parent = m_list->topLevelItem(group);
        bool isAny = false;
        for (int row = 0; row < parent->childCount(); ++row) {
            QTreeWidgetItem *item = parent->child(row);
            const bool fits = m_listed[item->data(NameColumn, indexRole).toUInt()].matches(wanted);
            item->setHidden(!fits);
            isAny = isAny || fits;
            if (fits && first == nullptr)
                first = item;
        }
        parent->setHidden(!isAny);
    }
    m_list->setCurrentItem(first);
    showActions();
}

QString ServerSwitcher::stateOf(const Entry &entry) const
{
    if (!entry.group)
        return stateTextOf(m_data.watched(entry.server.endpoint), m_data.clock.now());
    const auto members = m_savedConnections.membersOf(*entry.group);
    if (!members)
        return tr("cannot be used");
    std::vector<InspectedServer *> servers;
    for (const SavedConnection &member : *members)
        servers.push_back(m_data.watched(member.endpoint));
    return stateTextOf(servers, m_data.clock.now());
}

void ServerSwitcher::showStates()
{
    for (QTreeWidgetItemIterator item(m_list); *item != nullptr; ++item) {
        const QVariant index = (*item)->data(NameColumn, indexRole);
        if (!index.isValid())
            continue;
        const Entry &entry = m_listed[index.toUInt()];
        (*item)->setText(StateColumn, stateOf(entry));
    }
}

std::optional<ServerSwitcher::Entry> ServerSwitcher::current() const
{
    const QTreeWidgetItem *item = m_list->currentItem();
    const QVariant index = item == nullptr ? QVariant() : item->data(NameColumn, indexRole);
    return index.isValid() ? std::optional(m_listed[index.toUInt()]) : std::nullopt;
}

void ServerSwitcher::showActions()
{
    const auto entry = current();
    const bool isKept = entry && (entry->group || m_savedConnections.find(entry->name()) != nullptr);
    m_go->setEnabled(entry.has_value());
    m_edit->setEnabled(entry.has_value());
    m_edit->setText(entry && !isKept ? tr("&Save…") : tr("&Change…"));
    m_remove->setEnabled(isKept);
    if (!entry || entry->name() != m_removing)
        m_removing.clear();
    m_remove->setText(m_removing.isEmpty() ? tr("&Remove") : tr("&Confirm removal"));
}

void ServerSwitcher::go()
{
    const auto entry = current();
    if (!entry)
        return;
    if (entry->group) {
        if (const auto members = m_savedConnections.membersOf(*entry->group); !members)
            return say(widgets::fullSentence(members.error().message()));
        accept();
        return Q_EMIT groupChosen(entry->group->name);
    }
    accept();
    Q_EMIT chosen(entry->server.endpoint);
}

void ServerSwitcher::editGroup(const RedlockGroup &group, const QString &replaced)
{
    auto *dialog = new GroupDialog(m_savedConnections, m_data.clock, m_data.random, group, replaced, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] { select(dialog->savedName()); });
    dialog->open();
}

void ServerSwitcher::edit(const SavedConnection &server, const QString &replaced)
{
    SavedConnection first = server;
    if (replaced.isEmpty())
        first.name.clear();
    auto *dialog =
        new ServerDialog(m_appearance, m_savedConnections, m_data.clock, m_data.random, first, replaced, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] { select(dialog->savedName()); });
    dialog->open();
}

/// Removes a saved connection or group on the second click. A dialog is not needed, because no server is changed.
void ServerSwitcher::remove()
{
    const auto entry = current();
    if (!entry)
        return;
    if (m_removing != entry->name()) {
        m_removing = entry->name();
        return showActions();
    }
    m_removing.clear();
    const auto report = [this](const base::Result<void> &removed) {
        if (!removed)
            say(widgets::fullSentence(removed.error().message()));
    };
    if (entry->group)
        report(m_savedConnections.removeGroup(entry->name()));
    else
        latchkey::connections::removeServer(m_savedConnections, entry->name(), *this, report);
}

void ServerSwitcher::exportAll()
{
    askExportFile(*this, [this](const QString &file) {
        const auto written = m_savedConnections.exportTo(file);
        say(written ? QString() : widgets::fullSentence(written.error().message()));
    });
}

void ServerSwitcher::importSome()
{
    askImportFile(*this, [this](const QString &file) {
        if (const auto taken = m_savedConnections.importFrom(file); !taken)
            say(widgets::fullSentence(taken.error().message()));
    });
}

void ServerSwitcher::say(const QString &text)
{
    m_problem->setText(text);
    m_problem->setVisible(!text.isEmpty());
}

} // namespace latchkey::ui::connections
