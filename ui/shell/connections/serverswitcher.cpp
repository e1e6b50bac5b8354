#include "ui/shell/connections/serverswitcher.h"

#include "core/redis/connections/savedservers.h"
#include "ui/kit/widgets/filterkeys.h"
#include "ui/kit/widgets/indenteddelegate.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/shell/connections/serverdialog.h"
#include "ui/shell/connections/servertexts.h"

#include <QFileDialog>
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
using latchkey::connections::SavedConnection;
using net::Session;
using namespace std::chrono_literals;

namespace {

constexpr int indexRole = Qt::UserRole;

bool isIn(const SavedConnection &server, const QString &wanted)
{
    return server.name.contains(wanted, Qt::CaseInsensitive) || server.group.contains(wanted, Qt::CaseInsensitive)
        || server.endpoint.display().contains(wanted, Qt::CaseInsensitive)
        || textOf(server.environment).contains(wanted, Qt::CaseInsensitive);
}

} // namespace

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
    connect(m_edit, &QPushButton::clicked, this, [this] {
        if (const auto server = current())
            edit(*server, m_savedConnections.find(server->name) != nullptr ? server->name : QString());
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
    for (QPushButton *button : {m_new, m_edit, m_remove, more, m_go})
        button->setAutoDefault(false);
    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    for (QPushButton *button : {m_new, m_edit, m_remove, more})
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
    if (QTreeWidgetItem *item = chosenBefore ? itemOf(chosenBefore->name) : nullptr)
        m_list->setCurrentItem(item);
    showActions();
}

QTreeWidgetItem *ServerSwitcher::itemOf(const QString &name) const
{
    for (QTreeWidgetItemIterator item(m_list); *item != nullptr; ++item) {
        const QVariant index = (*item)->data(NameColumn, indexRole);
        if (index.isValid() && m_listed[index.toUInt()].name == name)
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
    m_filter->setFocus(Qt::OtherFocusReason); // Return opens the selected server.
}

void ServerSwitcher::addGroup(const QString &title, const std::vector<SavedConnection> &servers)
{
    if (servers.empty())
        return;
    auto *group = new QTreeWidgetItem(m_list, {title});
    group->setFlags(Qt::ItemIsEnabled);
    group->setFirstColumnSpanned(true);
    group->setForeground(NameColumn, m_appearance.theme().muted);
    for (const SavedConnection &server : servers) {
        auto *item = new QTreeWidgetItem(group, {server.name, textOf(server.environment)});
        item->setData(NameColumn, indexRole, static_cast<uint>(m_listed.size()));
        item->setText(PlaceColumn, server.endpoint.display());
        item->setToolTip(PlaceColumn, widgets::toolTipText(server.endpoint.display()));
        item->setForeground(EnvironmentColumn, widgets::colourOf(toneOf(server.environment), m_appearance.theme()));
        if (const QColor colour = colourOf(server.mark, m_appearance.theme()); colour.isValid()) {
            QPixmap dot(10, 10);
            dot.fill(colour);
            item->setIcon(NameColumn, QIcon(dot));
        }
        m_listed.push_back(server);
    }
    group->setExpanded(true);
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
            const bool fits = isIn(m_listed[item->data(NameColumn, indexRole).toUInt()], wanted);
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

QString ServerSwitcher::stateOf(const net::Endpoint &endpoint) const
{
    InspectedServer *server = m_data.watched(endpoint);
    if (server == nullptr)
        return tr("not watched");
    const qsizetype findings = server->locks().findingCount();
    switch (server->session().state()) {
    case Session::State::Ready:
        if (const auto answer = server->session().lastAnswer(); answer && m_data.clock.now() - *answer > maxSilence)
            return tr("does not answer");
        return findings == 0 ? tr("connected, no findings")
             : findings == 1 ? tr("connected, 1 finding")
                             : tr("connected, %n findings", nullptr, static_cast<int>(findings));
    case Session::State::Connecting:
        return tr("connecting");
    case Session::State::Waiting:
        return tr("does not answer");
    case Session::State::Stopped:
        break;
    }
    return tr("not connected");
}

void ServerSwitcher::showStates()
{
    for (QTreeWidgetItemIterator item(m_list); *item != nullptr; ++item) {
        const QVariant index = (*item)->data(NameColumn, indexRole);
        if (index.isValid())
            (*item)->setText(StateColumn, stateOf(m_listed[index.toUInt()].endpoint));
    }
}

std::optional<SavedConnection> ServerSwitcher::current() const
{
    const QTreeWidgetItem *item = m_list->currentItem();
    const QVariant index = item == nullptr ? QVariant() : item->data(NameColumn, indexRole);
    return index.isValid() ? std::optional(m_listed[index.toUInt()]) : std::nullopt;
}

void ServerSwitcher::showActions()
{
    const auto server = current();
    const bool isKept = server && m_savedConnections.find(server->name) != nullptr;
    m_go->setEnabled(server.has_value());
    m_edit->setEnabled(server.has_value());
    m_edit->setText(server && !isKept ? tr("&Save…") : tr("&Change…"));
    m_remove->setEnabled(isKept);
    if (!server || server->name != m_removing)
        m_removing.clear();
    m_remove->setText(m_removing.isEmpty() ? tr("&Remove") : tr("&Confirm removal"));
}

void ServerSwitcher::go()
{
    const auto server = current();
    if (!server)
        return;
    accept();
    Q_EMIT chosen(server->endpoint);
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

/// Removes a saved connection on the second click. A dialog is not needed, because no server is changed.
void ServerSwitcher::remove()
{
    const auto server = current();
    if (!server)
        return;
    if (m_removing != server->name) {
        m_removing = server->name;
        showActions();
        return;
    }
    m_removing.clear();
    latchkey::connections::removeServer(m_savedConnections, server->name, *this,
                                        [this](const base::Result<void> &removed) {
                                            if (!removed)
                                                say(widgets::fullSentence(removed.error().message()));
                                        });
}

void ServerSwitcher::exportAll()
{
    auto *dialog = new QFileDialog(this, tr("Export the servers"), {}, tr("Servers (*.ini)"));
    dialog->setObjectName(QStringLiteral("serverExportDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("ini"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &file) {
        const auto written = m_savedConnections.exportTo(file);
        say(written ? QString() : widgets::fullSentence(written.error().message()));
    });
    dialog->open();
}

void ServerSwitcher::importSome()
{
    auto *dialog = new QFileDialog(this, tr("Import servers"), {}, tr("Servers (*.ini);;All files (*)"));
    dialog->setObjectName(QStringLiteral("serverImportDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &file) {
        if (const auto taken = m_savedConnections.importFrom(file); !taken)
            say(widgets::fullSentence(taken.error().message()));
    });
    dialog->open();
}

void ServerSwitcher::say(const QString &text)
{
    m_problem->setText(text);
    m_problem->setVisible(!text.isEmpty());
}

} // namespace latchkey::ui::connections
