#include "ui/pages/inspector/keypanel.h"
#include "ui/pages/inspector/kindsigns.h"

#include "core/inspect/inspection/readstate.h"

#include "ui/views/keytable/visiblekeys.h"

#include <QHeaderView>
#include <QVBoxLayout>

#include <algorithm>

namespace latchkey::ui::inspector {

using inspection::InspectedServer;
using keytable::KeyTableView;
using net::Session;
using widgets::EmptyState;
using namespace std::chrono_literals;

namespace {

/// Time for which an ended key stays in the list, and interval of list updates.
constexpr auto recentPeriod = 60s;
constexpr auto endedPeriod = 250ms;

/// Time for which a key stays in the table after its deadline. The end of most keys is confirmed within a moment, and
/// the user should see it. If more keys expire than may be queried, due keys would fill the screen and displace live
/// keys. Such keys are removed from the rows and only counted; a row returns when its key is observed again. Visible
/// keys are queried first, so few of them are removed this way.
constexpr auto dueFor = 2s;
/// Minimum number of due keys that are kept, even in a very low table.
constexpr int minDue = 3;
/// Step of the limit between due and live rows. With a smaller step, the limit would move with every tick.
constexpr auto dueStep = 500ms;

/// Returns the renewals of a lock. Absent if the lease was renewed less than twice, because one renewal has no period.
std::optional<keytable::Renewals> renewalsOf(InspectedServer &server, QByteArrayView key)
{
    const recognition::TtlHistory *ttlHistory = server.locks().ttlHistory(key.toByteArray());
    if (ttlHistory == nullptr || ttlHistory->renewals() < 2)
        return std::nullopt;
    return keytable::Renewals {ttlHistory->renewals(), ttlHistory->longestTtl(), ttlHistory->shortestPeriod(),
                               ttlHistory->longestPeriod()};
}

} // namespace

KeyPanel::KeyPanel(theme::Appearance &appearance, const base::Clock &clock, QWidget *parent)
    : QWidget(parent)
    , m_clock(clock)
    , m_table(new KeyTableView(appearance, clock, this))
    , m_empty(new EmptyState(appearance, m_table->viewport()))
    , m_note(new ServerSilentNote(m_table))
    , m_recentlyEnded(new RecentlyEndedBar(appearance, this))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(m_table, 1);
    layout->addWidget(m_recentlyEnded);
    connect(m_recentlyEnded, &RecentlyEndedBar::endedListRequested, this, &KeyPanel::endedListRequested);
    connect(m_note, &ServerSilentNote::retryRequested, this, [this] {
        if (m_server)
            m_server->session().retryNow();
    });
}

KeyPanel::~KeyPanel() = default;

void KeyPanel::setServer(InspectedServer *server)
{
    if (m_server)
        m_server->setVisibleKeys(*this, {});
    m_table->setRows(nullptr);
    m_endedRows.reset();
    m_rows.reset();
    m_server = server;
    m_nextEnd = {};
    m_seesSince.reset();
    if (server != nullptr) {
        m_rows = std::make_unique<rows::RowList>(server->store());
        m_table->setKindSigns(kindSigns(server->locks().recogniser()));
        m_table->setRenewals([server](QByteArrayView key) { return renewalsOf(*server, key); });
        m_table->setRows(m_rows.get());
        m_endedRows = std::make_unique<rows::EndedRows>(*m_rows);
        connect(server, &inspection::InspectedServer::flushed, m_endedRows.get(), &rows::EndedRows::flushed);
    }
    m_recentlyEnded->setVisible(server != nullptr);
}

void KeyPanel::refresh(const KeyCounts &counts)
{
    if (m_server) {
        refreshGap();
        removeDueRows();
        m_server->setVisibleKeys(*this, keytable::keysOnScreen(*m_table));
        refreshEnded();
    }
    refreshEmpty(counts);
}

void KeyPanel::refreshGap()
{
    const auto unseen = inspection::unreadInterval(m_server->watcher());
    auto since = unseen ? std::optional(unseen->from) : std::nullopt;
    if (m_server
            ->isRecording()) // In a recording, the server counts as not observed if it was unreachable at that time.
        since = m_server->watcher().phase() == watching::Watcher::Phase::Away
                  ? std::optional(m_server->watcher().lastAnswered())
                  : std::nullopt;
    m_table->freezeAt(since);
    if (since && m_rows->rowCount() > 0) {
        const bool isConnected = m_server->session().state() == Session::State::Ready;
        if (m_server->isRecording())
            return m_note->show(recordedLastSeenText(m_clock.now() - *since), false);
        m_note->show(lastSeenText(m_clock.now() - *since, isConnected, unseen->why), !isConnected);
    } else {
        m_note->hide();
    }
}

void KeyPanel::removeDueRows()
{
    // While the server is not observed, deadlines pass without a confirmation.
    if (m_table->shownTime().isFrozen() || m_server->watcher().phase() != watching::Watcher::Phase::Watching)
        return;
    const base::MonotonicTime now = m_clock.now();
    const auto before = (now - dueFor).time_since_epoch();
    // Due keys may fill at most the upper half of the visible rows.
    const int rowsOnScreen =
        m_table->viewport()->height() / std::max(1, m_table->verticalHeader()->defaultSectionSize());
    const auto &groups = m_table->keyModel()->grouped().groups();
    m_rows->removeDueRows(base::MonotonicTime(before - before % dueStep), now, std::max(minDue, rowsOnScreen / 2),
                          groups ? &*groups : nullptr);
}

void KeyPanel::refreshEnded()
{
    const base::MonotonicTime now = m_clock.now();
    // The time of a paused recording stands still, also after a jump to another time.
    if (now < m_nextEnd && !m_server->isRecording())
        return;
    m_nextEnd = now + endedPeriod;
    m_recentlyEnded->show(endedCount(now), m_endedRows->since(now - recentPeriod), now);
}

/// Counts the keys that have ended. The count is complete only while the server reports all changes; otherwise keys
/// that were created and removed between two scans are missing.
EndedCount KeyPanel::endedCount(base::MonotonicTime now)
{
    const watching::Watcher &watcher = m_server->watcher();
    // An end is seen even if types and values are refused.
    const events::KeyRequests needed {events::KeyRequest::Names, events::KeyRequest::Expiry};
    const events::Coverage coverage = watcher.coverage();
    const bool isObserving = watcher.phase() == watching::Watcher::Phase::Watching && !m_table->shownTime().isFrozen()
                          && !watcher.problem() && coverage.narrowedTo(needed).isObserving();
    if (!isObserving) {
        m_seesSince.reset();
        return {};
    }
    if (!m_seesSince)
        m_seesSince = now;
    const bool isLeast = now - *m_seesSince < recentPeriod || watcher.isIncomplete() || !watcher.hasChangeEvents()
                      || coverage.hasUnreportedSince(now - recentPeriod);
    const auto seenFor = std::chrono::floor<std::chrono::seconds>(now - *m_seesSince);
    return {m_server->store().endedCounter().since(now - recentPeriod), isLeast,
            seenFor < recentPeriod ? std::optional(seenFor) : std::nullopt};
}

void KeyPanel::refreshEmpty(const KeyCounts &counts)
{
    if (m_server && m_rows->rowCount() > 0) {
        m_empty->hide();
        return;
    }
    EmptyTableState state;
    state.counts = counts;
    if (m_server) {
        const Session &session = m_server->session();
        state.hasServer = true;
        state.isPrivate = m_server->isPrivate();
        state.isRecording = m_server->isRecording();
        state.isPart = m_server->cluster().part().has_value();
        state.server = m_server->endpoint().display();
        state.isConnecting = session.state() == Session::State::Connecting;
        if (session.state() != Session::State::Ready)
            state.connection = session.lastError();
        state.problem = m_server->watcher().problem();
        if (const auto unseen = inspection::unreadInterval(m_server->watcher()); unseen && !state.isRecording)
            state.lastSeen = lastSeenText(m_clock.now() - unseen->from, true, unseen->why);
    }
    const EmptyText text = emptyText(state);
    m_empty->show(text.icon, text.title, text.text, actionText(text.action),
                  [this, action = text.action] { Q_EMIT actionRequested(action); });
}

} // namespace latchkey::ui::inspector
