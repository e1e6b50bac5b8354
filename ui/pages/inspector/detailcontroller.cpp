#include "ui/pages/inspector/detailcontroller.h"

#include "core/inspect/inspection/readstate.h"

namespace latchkey::ui::inspector {

using inspection::InspectedServer;
using inspection::KeyCommandLog;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// Largest difference between the two clocks before the wall clock counts as having been set.
constexpr auto clockSlack = 50ms;
/// Time for which the result of a trace is shown after its end.
constexpr auto traceResultPeriod = 60s;

QString purposeText(KeyCommandLog::Purpose purpose)
{
    switch (purpose) {
    case KeyCommandLog::Purpose::Watching:
        return DetailController::tr("watching");
    case KeyCommandLog::Purpose::Reading:
        return DetailController::tr("reading");
    case KeyCommandLog::Purpose::Changing:
        return DetailController::tr("acting");
    }
    Q_UNREACHABLE();
}

} // namespace

DetailController::DetailController(detail::DetailPanel &panel, const keytable::KeyTableView &table,
                                   const base::Clock &clock, QObject *parent)
    : QObject(parent)
    , m_panel(panel)
    , m_table(table)
    , m_clock(clock)
    , m_pager(new detail::ValuePager(panel.value()))
{}

/// The panel is not used here, because it may be destroyed first.
DetailController::~DetailController()
{
    if (m_server)
        m_server->commandLog().setKey(std::nullopt);
}

void DetailController::setServer(InspectedServer *server)
{
    follow(std::nullopt);
    if (m_server)
        m_server->commandLog().disconnect(this);
    m_server = server;
    m_pager->setServer(server);
    if (server != nullptr)
        connect(&server->commandLog(), &KeyCommandLog::replyReceived, this, &DetailController::addSentCommand);
}

/// Returns the first selected key. If no row is selected, returns the awaited key, if it is the only one.
std::optional<QByteArray> DetailController::chosen() const
{
    if (const std::vector<keys::KeyId> ids = m_table.selectedKeys(1); !ids.empty())
        return m_server->store().known().table.key(ids.front()).toByteArray();
    const QList<QByteArray> awaited = m_table.awaited();
    return awaited.size() == 1 ? std::optional(awaited.front()) : std::nullopt;
}

void DetailController::follow(const std::optional<QByteArray> &key)
{
    const bool isSame = key ? m_followed && m_followed->key() == *key : !m_followed;
    if (isSame)
        return;
    m_followed.reset();
    m_trace.reset();
    m_panel.commandLog().clear();
    if (!m_server)
        return;
    m_server->commandLog().setKey(key);
    if (key)
        m_followed = std::make_unique<inspection::WatchedKey>(*m_server, base::Key(*key));
}

void DetailController::updateTime()
{
    const auto now = m_clock.now();
    const auto wallNow = m_clock.wallNow();
    const auto passed = std::chrono::floor<milliseconds>(now - m_now);
    if (std::chrono::abs(wallNow - (m_wallNow + passed)) > clockSlack) {
        m_now = now;
        m_wallNow = wallNow;
        return;
    }
    m_now += passed;
    m_wallNow += passed;
}

/// Returns the current moment. If no key is read at present, or if the key was not read since, returns the moment of
/// the last read.
detail::DetailMoment DetailController::moment(const QByteArray &key) const
{
    const keytable::ShownTime &time = m_table.shownTime();
    auto seen = time.isFrozen() ? std::optional(time.now()) : std::nullopt;
    if (!seen && !m_server->isRecording())
        seen = inspection::unreadSince(*m_server, key);
    if (!seen)
        return {m_now, m_wallNow, false};
    const auto ago = std::chrono::floor<milliseconds>(m_now - *seen);
    return {m_now - ago, m_wallNow - ago, true};
}

/// Returns the results of the trace. Absent without a trace, and some time after its end, because they are out of date.
std::optional<detail::TraceSummary> DetailController::traceSummary() const
{
    const auto now = m_clock.now();
    if (!m_trace || (m_trace->until && now - *m_trace->until > traceResultPeriod))
        return std::nullopt;
    return detail::TraceSummary {m_trace->until.value_or(now) - m_trace->since, m_trace->clients};
}

void DetailController::traceChanged(const QByteArray &key, bool isRunning)
{
    if (!m_followed || m_followed->key() != key)
        return;
    if (isRunning)
        m_trace = Trace {m_clock.now(), std::nullopt, {}};
    else if (m_trace)
        m_trace->until = m_clock.now();
    refresh();
}

void DetailController::refresh()
{
    const auto key = m_server && m_panel.isVisible() ? chosen() : std::nullopt;
    follow(key);
    if (!m_panel.isVisible())
        return;
    if (!key) {
        m_panel.show(std::nullopt);
        m_panel.setCourse({}, {});
        return;
    }
    updateTime();
    m_panel.show(detail::detailOf(*key, *m_server, moment(*key), traceSummary()));
    const history::History &history = m_server->holds().history();
    const auto &holds = history.holds({*key, 0});
    m_panel.setCourse(detail::curveOf(holds.empty() ? m_followed->holds() : holds), history.gaps());
}

void DetailController::addSentCommand(KeyCommandLog::Purpose purpose, const resp::Command &command,
                                      const base::Result<resp::Reply> &reply)
{
    m_panel.commandLog().add(purposeText(purpose), command.toText(),
                             reply ? reply->toText() : tr("no answer: %1").arg(reply.error().message()));
}

void DetailController::addTraced(const QByteArray &key, const watching::TracedCommand &command)
{
    const bool isOfFollowed = m_followed && m_followed->key() == key && !command.isOwnRead;
    if (isOfFollowed && m_trace && command.client != "lua") // The sender of a script has its own line.
        m_trace->clients.insert(command.client);
    if (isOfFollowed)
        m_panel.commandLog().add(command.client == "lua" ? tr("a script") : base::printable(command.client, 60),
                                 command.words.toText(), {});
}

} // namespace latchkey::ui::inspector
