#include "ui/inspector/keypanel.h"
#include "ui/inspector/kindsigns.h"

#include "ui/keytable/attention.h"

#include <QHeaderView>
#include <QVBoxLayout>

#include <algorithm>

namespace latchkey::ui::inspector {

using inspection::InspectedServer;
using keytable::KeyTableView;
using resp::Session;
using widgets::EmptyState;
using namespace std::chrono_literals;

namespace {

/// What has gone is listed for so long, and the list looked at so often.
constexpr auto goneFor = 60s;
constexpr auto goneInterval = 250ms;

/// A key whose time is over stays at the top for so long: most of them are gone within a moment, and seeing them go is
/// what the table is for. Where more end than the server may be asked about, the rest would fill the screen, and what
/// lives be out of sight: they are rows again when something is heard of them, and are counted meanwhile. So time moves
/// no rows about; and those on screen are the ones that are asked about first, so that few ever come to this.
constexpr auto dueFor = 2s;
/// However low the table is, so many may be due.
constexpr int fewestDue = 3;
/// The front of the rows moves in steps of this, not with every tick.
constexpr auto dueStep = 500ms;

/// A lease that was renewed once has no rhythm yet.
std::optional<keytable::Renewals> renewalsOf(InspectedServer &server, QByteArrayView key)
{
    const recognition::Rhythm *rhythm = server.locks().rhythm(key.toByteArray());
    if (rhythm == nullptr || rhythm->renewals() < 2)
        return std::nullopt;
    return keytable::Renewals {rhythm->renewals(), rhythm->ceiling(), rhythm->shortestPeriod(),
                               rhythm->longestPeriod()};
}

} // namespace

KeyPanel::KeyPanel(theme::Appearance &appearance, const base::Clock &clock, QWidget *parent)
    : QWidget(parent)
    , m_clock(clock)
    , m_table(new KeyTableView(appearance, clock, this))
    , m_empty(new EmptyState(appearance, m_table->viewport()))
    , m_note(new OutOfSightNote(m_table))
    , m_strip(new GoneStrip(appearance, this))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(m_table, 1);
    layout->addWidget(m_strip);
    connect(m_note, &OutOfSightNote::tryWanted, this, [this] {
        if (m_server)
            m_server->session().retryNow();
    });
}

KeyPanel::~KeyPanel() = default;

void KeyPanel::setServer(InspectedServer *server)
{
    if (m_server)
        m_server->setAttention(*this, {});
    m_table->setRows(nullptr);
    m_gone.reset();
    m_rows.reset();
    m_lastSeen.reset();
    m_server = server;
    m_nextGone = {};
    m_seesSince.reset();
    if (server != nullptr) {
        m_rows = std::make_unique<rows::RowList>(server->store());
        m_table->setKindSigns(kindSigns(server->locks().recogniser()));
        m_table->setRenewals([server](QByteArrayView key) { return renewalsOf(*server, key); });
        m_table->setRows(m_rows.get());
        m_gone = std::make_unique<rows::GoneKeys>(*m_rows);
        connect(server, &inspection::InspectedServer::flushed, m_gone.get(), &rows::GoneKeys::flushed);
        m_lastSeen = std::make_unique<inspection::LastSeen>(server->session(), m_clock);
    }
    m_strip->setVisible(server != nullptr);
}

void KeyPanel::refresh(const KeyCounts &counts)
{
    if (m_server) {
        refreshSight();
        retireDue();
        m_server->setAttention(*this, keytable::keysOnScreen(*m_table));
        refreshGone();
    }
    refreshEmpty(counts);
}

void KeyPanel::refreshSight()
{
    auto since = m_lastSeen->outOfSightSince();
    if (m_server->isRecording()) // Whether it was seen then, and not whether anybody sees it now.
        since = m_server->watcher().phase() == keyspace::Watcher::Phase::Away
                  ? std::optional(m_server->watcher().lastAnswered())
                  : std::nullopt;
    m_table->showAsOf(since);
    if (since && m_rows->rowCount() > 0) {
        const bool isConnected = m_server->session().state() == Session::State::Ready;
        if (m_server->isRecording())
            return m_note->show(lastSeenThenText(m_clock.now() - *since), false);
        m_note->show(lastSeenText(m_clock.now() - *since, isConnected), !isConnected);
    } else {
        m_note->hide();
    }
}

void KeyPanel::retireDue()
{
    // While the server is out of sight everybody's time runs out, and nobody is asked.
    if (m_table->shownTime().isFrozen() || m_server->watcher().phase() != keyspace::Watcher::Phase::Watching)
        return;
    const base::MonotonicTime now = m_clock.now();
    const auto before = (now - dueFor).time_since_epoch();
    // They may have the upper half of what is on screen.
    const int rowsOnScreen =
        m_table->viewport()->height() / std::max(1, m_table->verticalHeader()->defaultSectionSize());
    const auto &groups = m_table->keyModel()->grouped().groups();
    m_rows->retireDue(base::MonotonicTime(before - before % dueStep), now, std::max(fewestDue, rowsOnScreen / 2),
                      groups ? &*groups : nullptr);
}

void KeyPanel::refreshGone()
{
    const base::MonotonicTime now = m_clock.now();
    // A recording's time stands still while it is paused, wherever it was sent.
    if (now < m_nextGone && !m_server->isRecording())
        return;
    m_nextGone = now + goneInterval;
    m_strip->show(goneCount(now), m_gone->since(now - goneFor), now);
}

/// All keys are counted while all changes are seen: those that came and went between two looks are not.
GoneCount KeyPanel::goneCount(base::MonotonicTime now)
{
    const keyspace::Watcher &watcher = m_server->watcher();
    const bool isSeeing =
        watcher.phase() == keyspace::Watcher::Phase::Watching && !m_table->shownTime().isFrozen() && !watcher.problem();
    if (!isSeeing) {
        m_seesSince.reset();
        return {};
    }
    if (!m_seesSince)
        m_seesSince = now;
    const bool isLeast = now - *m_seesSince < goneFor || watcher.isIncomplete() || !watcher.isToldOfChanges();
    return {m_server->store().gone().since(now - goneFor), isLeast};
}

void KeyPanel::refreshEmpty(const KeyCounts &counts)
{
    if (m_server && m_rows->rowCount() > 0) {
        m_empty->hide();
        return;
    }
    Emptiness emptiness;
    emptiness.counts = counts;
    if (m_server) {
        const Session &session = m_server->session();
        emptiness.hasServer = true;
        emptiness.isPrivate = m_server->isPrivate();
        emptiness.isRecording = m_server->isRecording();
        emptiness.isPart = m_server->cluster().part().has_value();
        emptiness.server = m_server->endpoint().display();
        emptiness.isConnecting = session.state() == Session::State::Connecting;
        if (session.state() != Session::State::Ready)
            emptiness.connection = session.lastError();
        emptiness.problem = m_server->watcher().problem();
    }
    const EmptyText text = emptyText(emptiness);
    m_empty->show(text.icon, text.title, text.text, actText(text.act),
                  [this, act = text.act] { Q_EMIT actWanted(act); });
}

} // namespace latchkey::ui::inspector
