#include "ui/pages/inspector/inspectorpage.h"

#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/pages/inspector/endedkeysdialog.h"
#include "ui/pages/inspector/exportcontrol.h"
#include "ui/pages/inspector/recordcontrol.h"
#include "ui/pages/inspector/servercounts.h"

#include <QAction>
#include <QHeaderView>
#include <QLocale>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace latchkey::ui::inspector {

using inspection::InspectedServer;
using net::Session;
using watching::ValueReader;
using watching::Watcher;
using widgets::Banner;
using ScanState = KeyCounts::ScanState;

namespace {

/// Minimum number of keys for a progress bar. Smaller scans end before a progress bar can be read.
constexpr qint64 minKeysForProgress = 20'000;

// Topics of messages.
const QString changeTopic = QStringLiteral("change");
const QString sortingTopic = QStringLiteral("sorting");
const QString problemTopic = QStringLiteral("problem");

/// Display time of a message about a finished change.
constexpr std::chrono::seconds messageDuration {12};

/// Returns the number of hashes with an expiry on some fields only. They are listed both among the expiring and among
/// the persistent keys.
qsizetype endingInPart(const keys::KnownKeys &known)
{
    const auto ids = known.fieldEnds.keys();
    return std::ranges::count_if(ids,
                                 [&known](keys::KeyId id) { return known.isLive(id) && known.endOf(id).isNever(); });
}

} // namespace

InspectorPage::InspectorPage(theme::Appearance &appearance, widgets::Messages &messages, const base::Clock &clock,
                             QWidget *parent)
    : QWidget(parent)
    , m_messages(messages)
    , m_clock(clock)
    , m_header(new InspectorHeader(appearance, this))
    , m_panel(new KeyPanel(appearance, clock, this))
    , m_detail(new detail::DetailPanel(appearance, m_panel->table().shownTime(), this))
    , m_detailController(new DetailController(*m_detail, m_panel->table(), clock, this))
    , m_layout(new InspectorLayout(*m_header, *m_panel, *m_detail, *this))
    , m_appearance(appearance)
    , m_showDetails(new QAction(tr("Show details"), this))
    , m_showEnded(new QAction(tr("Ended keys\u2026"), this))
    , m_actionBar(new KeyActionBar(appearance, clock, m_panel->table(), this))
    , m_patternActions(new LockPatternActions(appearance, messages, *this))
    , m_record(new RecordControl(appearance, messages, this))
    , m_export(new ExportControl(appearance, messages, m_panel->table(), this))
{
    setObjectName(QStringLiteral("page"));
    setUpLayout();
    connectParts();
    addActions({m_showDetails, m_showEnded}); // A change of the language reaches the actions of widgets.
    m_actionBar->setMoreActions({m_showDetails, m_patternActions->patternAction(), m_patternActions->listAction()});
    m_detail->setLockAction(m_patternActions->patternAction());
}

void InspectorPage::addActionsTo(actions::ActionRegistry &registry, int page) const
{
    using Group = actions::ActionRegistry::Group;
    for (QAction *action : m_actionBar->keyActions())
        registry.add(Group::Keys, *action, page);
    for (QAction *action : {m_showDetails, m_patternActions->patternAction()})
        registry.add(Group::Keys, *action, page);
    m_header->addActionsTo(registry, page);
    for (QAction *action : m_export->entries())
        registry.add(Group::Table, *action, page);
    registry.add(Group::Table, *m_showEnded, page);
    registry.add(Group::Table, *m_patternActions->listAction(), page);
    for (QAction *action : m_panel->table().sortActions())
        registry.add(Group::Table, *action, page, [](const QString &column) { return tr("Sort by %1").arg(column); });
    registry.add(Group::Table, *m_panel->table().columnsAction(), page);
}

void InspectorPage::setUpLayout()
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(24, 18, 24, 16);
    layout->setSpacing(12);
    layout->addWidget(m_header);
    m_header->addTool(m_record);
    m_header->addTool(m_export);
    layout->addWidget(m_layout->widget(), 1);
    layout->addWidget(m_actionBar);
}

void InspectorPage::groupingDropped()
{
    m_header->setGrouping(rows::Grouping::None);
    showMessage(sortingTopic, Banner::Tone::Info,
                tr("The keys have more than %1 prefixes and are not grouped.")
                    .arg(QLocale().toString(static_cast<qint64>(rows::RowGroups::maxGroups))));
}

void InspectorPage::selectedKeysChanged()
{
    const std::vector<keys::KeyId> chosen = m_panel->table().selectedKeys(2);
    std::optional<QByteArray> key;
    if (!chosen.empty())
        m_requestedKey.reset(); // The user has selected another key.
    if (m_server && chosen.size() == 1)
        key = m_server->store().known().table.key(chosen.front()).toByteArray();
    m_patternActions->setKey(key);
    if (m_timeline != nullptr)
        m_timeline->setChosenKey(key);
    m_detailController->refresh();
}

void InspectorPage::chooseKey(const QByteArray &key)
{
    const auto id = m_server->store().known().table.find(key);
    const int row = id ? m_panel->table().keyModel()->rowOf(*id) : -1;
    if (row < 0)
        return; // The key was deleted or is filtered out.
    m_panel->table().selectRow(row);
    m_panel->table().scrollTo(m_panel->table().keyModel()->index(row, 0));
}

void InspectorPage::showKey(const QByteArray &key)
{
    if (!m_server)
        return;
    const auto id = m_server->store().known().table.find(key);
    if (id && m_panel->table().keyModel()->rowOf(*id) < 0)
        m_header->showAll();
    m_requestedKey = key;
    selectRequestedKey();
}

/// Selects the wanted key as soon as the rows contain it.
void InspectorPage::selectRequestedKey()
{
    if (!m_requestedKey)
        return;
    const auto id = m_server ? m_server->store().known().table.find(*m_requestedKey) : std::nullopt;
    if (id && m_panel->table().keyModel()->rowOf(*id) < 0)
        return; // The key has no row yet.
    if (const QByteArray key = *std::exchange(m_requestedKey, std::nullopt); id)
        chooseKey(key);
}

void InspectorPage::connectParts()
{
    connect(m_header, &InspectorHeader::filterChanged, this, &InspectorPage::applyFilter);
    connect(m_header, &InspectorHeader::detailsToggled, m_detailController, &DetailController::refresh);
    connect(&m_panel->table(), &keytable::KeyTableView::detailsRequested, m_header, &InspectorHeader::openDetails);
    connect(m_showDetails, &QAction::triggered, m_header, &InspectorHeader::openDetails);
    connect(m_header, &InspectorHeader::timelineToggled, this, &InspectorPage::makeTimeline);
    connect(m_showEnded, &QAction::triggered, this, &InspectorPage::showEndedKeys);
    connect(m_panel, &KeyPanel::endedListRequested, this, &InspectorPage::showEndedKeys);
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this,
            &InspectorPage::refresh);
    connect(&m_panel->table(), &keytable::KeyTableView::selectedKeysChanged, this, &InspectorPage::selectedKeysChanged);
    connect(m_header, &InspectorHeader::groupingChanged, &m_panel->table(), &keytable::KeyTableView::setGrouping);
    connect(&m_panel->table(), &keytable::KeyTableView::groupingDropped, this, &InspectorPage::groupingDropped);
    connect(m_panel, &KeyPanel::actionRequested, this, &InspectorPage::runAction);
    connect(m_panel->table().horizontalHeader(), &QHeaderView::sortIndicatorChanged, this,
            &InspectorPage::sortRequested);
    connect(m_record, &RecordControl::openRequested, this, &InspectorPage::recordingRequested);
    connect(m_actionBar, &KeyActionBar::armingRequested, this, &InspectorPage::armingRequested);
    connect(m_actionBar, &KeyActionBar::reported, this, &InspectorPage::showReport);
    connect(m_actionBar, &KeyActionBar::traced, m_detailController, &DetailController::addTraced);
    connect(m_actionBar, &KeyActionBar::traceChanged, m_detailController, &DetailController::traceChanged);
    connect(m_actionBar, &KeyActionBar::undoEnded, this, &InspectorPage::withdrawUndo);
    connect(m_layout, &InspectorLayout::changed, this, &InspectorPage::layoutChanged);
}

void InspectorPage::setServer(InspectedServer *server)
{
    for (const QString &topic : {changeTopic, sortingTopic, problemTopic})
        m_messages.remove(topic);
    m_shownProblem.clear();
    if (m_server) { // The server may outlive this page, because other objects use it too.
        m_server->watcher().disconnect(this);
        m_server->session().disconnect(this);
    }
    if (m_server && server != nullptr && m_server != server)
        m_header->showAll(); // Another server has other keys, which a filter would hide.
    m_header->forgetLongestCounts();
    delete m_timeline; // The timeline shows the history of the previous server.
    m_timeline = nullptr;
    m_server = server;
    m_panel->setServer(server);
    makeTimeline();
    m_actionBar->setServer(server);
    m_record->setServer(server);
    m_export->setServer(server);
    m_showEnded->setEnabled(server != nullptr);
    delete m_ended; // The dialog lists the keys of the former server.
    m_detailController->setServer(server);
    m_patternActions->setServer(server);
    if (server != nullptr) {
        connect(&server->watcher(), &Watcher::ticked, this, &InspectorPage::refresh);
        connect(&server->watcher(), &Watcher::progressChanged, this, [this] { refreshHeader(counts()); });
        connect(&server->session(), &Session::stateChanged, this, &InspectorPage::refresh);
        applyFilter();
    }
    refresh();
}

/// Creates the timeline of the current server if the history is shown. A hidden timeline does not exist, so that it
/// takes no time.
void InspectorPage::makeTimeline()
{
    delete std::exchange(m_timeline, nullptr);
    if (!m_server || !m_header->isTimelineShown())
        return;
    m_timeline = new timeline::TimelineView(m_server->holds().history(), m_clock, m_appearance, this);
    m_layout->addTimeline(m_timeline);
    connect(m_timeline, &timeline::TimelineView::holdChosen, this,
            [this](const history::Hold &hold) { chooseKey(hold.key); });
    selectedKeysChanged();
}

void InspectorPage::fitPanels(const QSize &window)
{
    m_layout->setWindow(window);
    openDefaultPanels();
}

void InspectorPage::openDefaultPanels()
{
    m_layout->openDefaultPanels(m_server && m_server->locks().lockCount() > 0);
}

void InspectorPage::showEndedKeys()
{
    if (!m_server)
        return;
    if (!m_ended) {
        m_ended = new EndedKeysDialog(m_appearance, *m_server, this);
        m_ended->setAttribute(Qt::WA_DeleteOnClose);
        connect(m_ended, &EndedKeysDialog::exportRequested, m_export,
                [this](const base::Glob &filter) { m_export->ask(ExportControl::Subject::Ended, filter); });
    }
    m_ended->show();
    m_ended->raise();
    m_ended->activateWindow();
}

void InspectorPage::editFilter()
{
    m_header->editFilter();
}

void InspectorPage::enterTable()
{
    // A focus proxy of the page would make Tab skip the filter.
    m_panel->table().setFocus(Qt::OtherFocusReason);
}

void InspectorPage::applyFilter()
{
    if (!m_server)
        return;
    const rows::RowFilter filter = m_header->filter();
    if (!(filter == m_panel->rows()->filter()))
        m_panel->rows()->setFilter(filter);
}

void InspectorPage::sortRequested(int column)
{
    if (!m_server || column < 0)
        return;
    // The sort column must be known for every key, not only for the visible keys.
    const std::optional<ValueReader::Part> needs = keytable::traitsOf(column).needs;
    const bool isTooMuch =
        needs == ValueReader::Part::Values && m_server->store().liveCount() > Watcher::maxValuesForSorting;
    if (isTooMuch) {
        showMessage(sortingTopic, Banner::Tone::Info,
                    tr("Sorting by value would read every value; this is not done for more than %1 keys. Only the "
                       "displayed keys are sorted.")
                        .arg(QLocale().toString(Watcher::maxValuesForSorting)));
    } else {
        m_messages.remove(sortingTopic);
    }
    m_server->watcher().setCompletion(isTooMuch ? std::nullopt : needs);
}

KeyCounts InspectorPage::counts() const
{
    return m_server ? countsOf(*m_server, *m_panel->rows()) : KeyCounts();
}

void InspectorPage::refresh()
{
    const KeyCounts known = counts();
    refreshHeader(known);
    m_panel->refresh(known);
    m_detailController->refresh();
    refreshProblem();
    selectRequestedKey();
}

void InspectorPage::refreshHeader(const KeyCounts &known)
{
    m_header->setCounts(countsText(known));
    m_header->setChangeNotification(m_server ? changeNotificationOf(*m_server) : std::nullopt);
    const qsizetype locks = m_server ? m_server->locks().lockCount() : 0;
    const qsizetype findings = m_server ? m_server->locks().findingCount() : 0;
    m_header->setLockCounts(locks, findings);
    const qsizetype partly = m_server ? endingInPart(m_server->store().known()) : 0;
    m_header->setExpiryCounts(known.live - known.persistent + partly, known.persistent);
    m_panel->table().setHasLocksAndFindings(locks > 0, findings > 0);
    openDefaultPanels();
    const bool showsProgress = m_server && !m_server->watcher().isPaused() && known.scanState == ScanState::Scanning
                            && known.live > 0 && known.databaseSize > minKeysForProgress;
    m_header->setProgress(known.scanned, showsProgress ? known.databaseSize : 0);
}

void InspectorPage::refreshProblem()
{
    const QString problem = m_server ? problemText(m_server->watcher()) : QString();
    if (problem == m_shownProblem)
        return;
    m_shownProblem = problem;
    if (!problem.isEmpty())
        showMessage(problemTopic, Banner::Tone::Warning, problem);
    else
        m_messages.remove(problemTopic); // The message is out of date.
}

void InspectorPage::showMessage(const QString &topic, Banner::Tone tone, const QString &text)
{
    m_messages.show({topic, tone, text, {}, {}, {}});
}

/// Shows a report. A report that can be undone stays until undo is impossible. A plain success message disappears
/// automatically.
void InspectorPage::showReport(const KeyChangeReport &report)
{
    const auto &action = report.cancel ? report.cancel : report.undo;
    const bool isPassing = !action && report.tone == Banner::Tone::Info;
    const QString actionText = report.cancel ? tr("Cancel") : report.undo ? tr("Undo") : QString();
    m_messages.show({changeTopic, report.tone, report.text, actionText, action,
                     isPassing ? messageDuration : std::chrono::seconds(0)});
}

void InspectorPage::withdrawUndo()
{
    const auto &all = m_messages.all();
    const auto said = std::ranges::find(all, changeTopic, &widgets::BannerMessage::topic);
    if (said == all.end() || !said->action)
        return;
    if (said->tone == Banner::Tone::Info)
        m_messages.remove(changeTopic); // The message existed only for its Undo button.
    else
        showReport({said->tone, said->text, {}});
}

void InspectorPage::runAction(EmptyText::Action action)
{
    switch (action) {
    case EmptyText::Action::None:
        break;
    case EmptyText::Action::StartPrivateServer:
        Q_EMIT privateServerRequested();
        break;
    case EmptyText::Action::ShowAll:
        m_header->showAll();
        break;
    case EmptyText::Action::GoToPlayground:
        Q_EMIT playgroundRequested();
        break;
    }
}

} // namespace latchkey::ui::inspector
