#include "ui/inspector/inspectorpage.h"

#include <QHeaderView>
#include <QLocale>
#include <QVBoxLayout>

namespace latchkey::ui::inspector {

using inspection::InspectedServer;
using keyspace::ValueReader;
using keyspace::Watcher;
using resp::Session;
using widgets::Banner;
using Looking = KeyCounts::Looking;

namespace {

/// Fewer keys than these are scanned before a progress bar could be read.
constexpr qint64 worthProgress = 20'000;

// What messages are about.
const QString actTopic = QStringLiteral("act");
const QString sortingTopic = QStringLiteral("sorting");
const QString problemTopic = QStringLiteral("problem");
/// For how long it is said what has been done.
constexpr std::chrono::seconds newsStays {12};

Looking lookingOf(Watcher::Phase phase)
{
    switch (phase) {
    case Watcher::Phase::Away:
        return Looking::NotYet;
    case Watcher::Phase::FirstScan:
        return Looking::Scanning;
    case Watcher::Phase::Watching:
        return Looking::Done;
    }
    Q_UNREACHABLE();
}

} // namespace

InspectorPage::InspectorPage(theme::Appearance &appearance, widgets::Messages &messages, const base::Clock &clock,
                             QWidget *parent)
    : QWidget(parent)
    , m_messages(messages)
    , m_header(new InspectorHeader(appearance, this))
    , m_panel(new KeyPanel(appearance, clock, this))
    , m_acts(new KeyActs(appearance, clock, m_panel->table(), this))
{
    setObjectName(QStringLiteral("page"));
    arrange();
    connectParts();
}

void InspectorPage::arrange()
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(24, 18, 24, 16);
    layout->setSpacing(12);
    layout->addWidget(m_header);
    layout->addWidget(m_panel, 1);
    layout->addWidget(m_acts);
}

void InspectorPage::connectParts()
{
    connect(m_header, &InspectorHeader::filterChanged, this, &InspectorPage::applyFilter);
    connect(m_panel, &KeyPanel::actWanted, this, &InspectorPage::doAct);
    connect(m_panel->table().horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, &InspectorPage::sortAsked);
    connect(m_acts, &KeyActs::armingWanted, this, &InspectorPage::armingWanted);
    connect(m_acts, &KeyActs::reported, this,
            [this](Banner::Tone tone, const QString &text) { showMessage(actTopic, tone, text); });
}

void InspectorPage::setServer(InspectedServer *server)
{
    for (const QString &topic : {actTopic, sortingTopic, problemTopic})
        m_messages.settle(topic);
    m_shownProblem.reset();
    if (m_server) { // It may live on: others look at it too.
        m_server->watcher().disconnect(this);
        m_server->session().disconnect(this);
    }
    m_server = server;
    m_panel->setServer(server);
    m_acts->setServer(server);
    if (server != nullptr) {
        connect(&server->watcher(), &Watcher::ticked, this, &InspectorPage::refresh);
        connect(&server->watcher(), &Watcher::progressChanged, this, [this] { refreshHeader(counts()); });
        connect(&server->session(), &Session::stateChanged, this, &InspectorPage::refresh);
        applyFilter();
    }
    refresh();
}

void InspectorPage::editFilter()
{
    m_header->editFilter();
}

void InspectorPage::enterTable()
{
    // Not by a focus proxy of the page: with one Tab passes the filter by.
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

void InspectorPage::sortAsked(int column)
{
    if (!m_server || column < 0)
        return;
    // What is sorted by has to be known of every key, not only of those on screen.
    std::optional<ValueReader::What> completion = keytable::traitsOf(column).needs;
    if (completion == ValueReader::What::Values && m_server->store().liveCount() > Watcher::mostValuesRead) {
        showMessage(sortingTopic, Banner::Tone::Info,
                    tr("Sorting by value reads every value, which is not done for more than %1 "
                       "keys. Those on screen are sorted by what has been read.")
                        .arg(QLocale().toString(Watcher::mostValuesRead)));
        completion.reset();
    } else {
        m_messages.settle(sortingTopic);
    }
    m_server->watcher().setCompletion(completion);
}

KeyCounts InspectorPage::counts() const
{
    KeyCounts counts;
    if (!m_server)
        return counts;
    const keys::KeyStore &store = m_server->store();
    const rows::RowList &rows = *m_panel->rows();
    const Watcher &watcher = m_server->watcher();
    counts.looking = lookingOf(watcher.phase());
    counts.live = store.liveCount();
    counts.persistent = store.persistentCount();
    counts.shown = rows.rowCount();
    counts.isFiltered = !(rows.filter() == rows::RowFilter());
    counts.isSorting = rows.isSorting();
    // What lives and is let through by every filter, but is no row: see RowList::retireDue().
    if (counts.looking == Looking::Done && !counts.isFiltered && !counts.isSorting)
        counts.due = std::max<qint64>(0, counts.live - counts.shown);
    counts.met = watcher.keysMet();
    counts.databaseSize = watcher.databaseSize();
    counts.isIncomplete = watcher.isIncomplete();
    counts.isDenied = watcher.problem().has_value();
    counts.unseenFor =
        std::chrono::ceil<std::chrono::seconds>(watcher.newKeysMetWithin().value_or(std::chrono::milliseconds(0)));
    return counts;
}

void InspectorPage::refresh()
{
    const KeyCounts known = counts();
    refreshHeader(known);
    m_panel->refresh(known);
    refreshProblem();
}

void InspectorPage::refreshHeader(const KeyCounts &known)
{
    m_header->setCounts(countsText(known));
    const bool showsProgress = m_server && !m_server->watcher().isPaused() && known.looking == Looking::Scanning
                            && known.live > 0 && known.databaseSize > worthProgress;
    m_header->setProgress(known.met, showsProgress ? known.databaseSize : 0);
}

void InspectorPage::refreshProblem()
{
    const std::optional<base::Error> problem = m_server ? m_server->watcher().problem() : std::nullopt;
    if (problem == m_shownProblem)
        return;
    m_shownProblem = problem;
    if (problem)
        showMessage(problemTopic, Banner::Tone::Warning, problemText(*problem));
    else
        m_messages.settle(problemTopic); // It says what is not so any more.
}

void InspectorPage::showMessage(const QString &topic, Banner::Tone tone, const QString &text)
{
    const bool isNews = topic == actTopic && tone == Banner::Tone::Info;
    m_messages.say({topic, tone, text, {}, {}, isNews ? newsStays : std::chrono::seconds(0)});
}

void InspectorPage::doAct(EmptyText::Act act)
{
    switch (act) {
    case EmptyText::Act::None:
        break;
    case EmptyText::Act::StartPrivateServer:
        Q_EMIT privateServerWanted();
        break;
    case EmptyText::Act::ShowAll:
        m_header->showAll();
        break;
    case EmptyText::Act::GoToPlayground:
        Q_EMIT playgroundWanted();
        break;
    }
}

} // namespace latchkey::ui::inspector
