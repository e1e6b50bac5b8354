#include "app/cli/watchedservers.h"

#include "app/cli/recognitionoutput.h"
#include "core/redis/net/sentinelanswer.h"
#include "core/redis/net/slotroutes.h"
#include "core/redis/resp/clusternodes.h"

#include <algorithm>

namespace latchkey::cli {

using events::Coverage;
using inspection::InspectedServer;
using net::Endpoint;
using net::Session;
using net::SlotRoutes;
using resp::ClusterSlots;
using namespace std::chrono_literals;

namespace {

/// Interval of requests for the current primaries.
constexpr auto primariesInterval = 1s;

QString addressOf(const Endpoint &endpoint)
{
    return net::hostPortText({endpoint.host, endpoint.port});
}

bool overlap(const std::vector<std::pair<int, int>> &some, const std::vector<std::pair<int, int>> &others)
{
    return std::ranges::any_of(some, [&others](const auto &range) {
        return std::ranges::any_of(
            others, [&range](const auto &other) { return range.first <= other.second && other.first <= range.second; });
    });
}

/// Returns the slots of `some` that are not in `others`.
std::vector<int> slotsOnlyIn(const std::vector<std::pair<int, int>> &some,
                             const std::vector<std::pair<int, int>> &others)
{
    std::vector<int> slotNumbers;
    for (const auto &[first, last] : some) {
        for (int slot = first; slot <= last; ++slot) {
            if (!overlap({{slot, slot}}, others))
                slotNumbers.push_back(slot);
        }
    }
    return slotNumbers;
}

} // namespace

WatchedServers::WatchedServers(const std::vector<WatchedNode::Primary> &primaries, Options options,
                               const base::Clock &clock, std::function<void()> printed)
    : m_options(std::move(options))
    , m_clock(clock)
    , m_printed(std::move(printed))
    , m_registry(clock, base::SystemRandom::instance())
    , m_clusterLocks(m_options.isCluster ? std::make_unique<ClusterLocks>(clock) : nullptr)
{
    m_unserved = m_options.unserved;
    for (const WatchedNode::Primary &primary : primaries)
        add(primary.endpoint, primary.ranges);
    m_retryTimer.setInterval(primariesInterval);
    connect(&m_retryTimer, &QTimer::timeout, this, &WatchedServers::recheck);
}

WatchedServers::~WatchedServers() = default;

void WatchedServers::add(const Endpoint &endpoint, const std::vector<std::pair<int, int>> &ranges)
{
    Watched watched;
    watched.ranges = ranges;
    watched.server = m_registry.open(endpoint, false);
    InspectedServer &server = *watched.server;
    watched.locks = std::make_unique<WatchedLocks>(server, m_options.globs);
    watched.notificationDelays = std::make_unique<NotificationDelays>(server);
    EventOrigin origin = m_options.origin;
    if (m_clusterLocks)
        origin.node = addressOf(endpoint);
    watched.coveragePrinter = std::make_unique<CoveragePrinter>(QStringLiteral("watch"), server.watcher(), m_clock,
                                                                m_options.json, m_printed, origin);
    watched.incidentPrinter = std::make_unique<IncidentPrinter>(server, m_clock, m_options.json, m_printed, origin);
    if (m_clusterLocks)
        watched.member = m_clusterLocks->join(server, *watched.locks);
    m_options.limits.applyTo(server.watcher());
    m_options.limits.applyTo(server.session());
    server.locks().setDialects(userDialects());
    if (!m_options.globs.matchesEverything())
        server.watcher().setKeyFilter(m_options.globs.all());
    connect(&server, &InspectedServer::committed, this, &WatchedServers::committed);
    m_watched.push_back(std::move(watched));
}

void WatchedServers::start()
{
    for (const Watched &watched : m_watched)
        watched.server->start();
    if (m_clusterLocks)
        m_retryTimer.start();
}

std::vector<WatchedServers::Node> WatchedServers::nodes() const
{
    std::vector<Node> nodes;
    for (const Watched &watched : m_watched)
        nodes.push_back(
            {m_clusterLocks ? addressOf(watched.server->endpoint()) : QString(), *watched.server, *watched.locks});
    return nodes;
}

const LockEvents &WatchedServers::locks() const
{
    return m_clusterLocks ? static_cast<const LockEvents &>(*m_clusterLocks) : *m_watched.front().locks;
}

std::optional<std::chrono::nanoseconds> WatchedServers::eventDelay(const events::KeyEvent &keyEvent) const
{
    std::chrono::nanoseconds longest {};
    for (const Watched &watched : m_watched) {
        const auto one = watched.notificationDelays->delayOf(keyEvent);
        if (!one)
            return std::nullopt;
        longest = std::max(longest, *one);
    }
    return longest;
}

/// Returns the coverage of a server, with the locks whose events were not reported because they were never read.
Coverage::Parts WatchedServers::partsOf(const Watched &watched) const
{
    const Coverage seen = watched.server->watcher().coverage();
    Coverage::Parts parts = m_clusterLocks ? events::withoutRedirects(seen).parts() : seen.parts();
    if (!m_clusterLocks) // A key of a migrating slot is not read at a primary that has the key only briefly.
        parts.unread = std::max(parts.unread, qint64(watched.locks->unreadCount())) + watched.locks->endedUnreadCount();
    parts.unread += watched.locks->overwrittenUnreadCount();
    return parts;
}

Coverage WatchedServers::coverage() const
{
    if (!m_clusterLocks)
        return Coverage(partsOf(m_watched.front()));
    std::vector<Coverage::Parts> each = m_left;
    Coverage::ClusterParts cluster;
    cluster.unservedSlots = m_unserved;
    for (const Watched &watched : m_watched) {
        const Coverage one(partsOf(watched));
        each.push_back(one.parts());
        const bool isSeen = watched.server->session().lastAnswer().has_value();
        const auto &error = watched.server->session().lastError();
        cluster.nodes.push_back({addressOf(watched.server->endpoint()), one.scannedKeys(),
                                 isSeen || !error ? std::nullopt : std::optional(*error)});
    }
    Coverage::Parts sum = events::sumOf(each);
    sum.unread += m_clusterLocks->endedUnreadCount();
    sum.cluster = std::move(cluster);
    return Coverage(std::move(sum));
}

qsizetype WatchedServers::matchesWithoutLock() const
{
    qsizetype sum = 0;
    for (const Watched &watched : m_watched) {
        if (watched.locks->hasLock() || watched.server->watcher().phase() != watching::Watcher::Phase::Watching)
            return 0;
        const qsizetype matches = watched.locks->matchesWithoutLock();
        if (matches == 0 && watched.server->store().liveCount() > 0 && m_options.globs.matchesEverything())
            return 0; // Not all values were read.
        sum += matches;
    }
    return sum;
}

void WatchedServers::printGap()
{
    for (const Watched &watched : m_watched)
        watched.coveragePrinter->printChange();
}

void WatchedServers::printLast()
{
    for (const Watched &watched : m_watched)
        watched.locks->reportLast();
    if (m_clusterLocks)
        m_clusterLocks->settleAll();
    for (const Watched &watched : m_watched) {
        watched.coveragePrinter->printLast();
        watched.incidentPrinter->close();
    }
}

void WatchedServers::recheck()
{
    requestPrimaries();
    requestMigratingSlots();
    m_clusterLocks->recheck();
    printGap();
}

void WatchedServers::requestMigratingSlots()
{
    for (const Watched &watched : m_watched) {
        if (net::Connection *connection = watched.server->session().connection(); connection != nullptr)
            connection->send({{QByteArrayLiteral("CLUSTER"), QByteArrayLiteral("NODES")}}, m_options.limits.timeout,
                             this, [this](const base::Result<net::Connection::Delivery> &delivery) {
                                 if (delivery)
                                     m_clusterLocks->noteMigrating(resp::migratingSlots(delivery->replies.front()));
                             });
    }
}

/// Requests the current primaries from the first connected primary.
void WatchedServers::requestPrimaries()
{
    const auto ready = std::ranges::find_if(
        m_watched, [](const Watched &watched) { return watched.server->session().connection() != nullptr; });
    if (ready == m_watched.end())
        return;
    const Endpoint asked = ready->server->endpoint();
    ready->server->session().connection()->send(
        {{QByteArrayLiteral("CLUSTER"), QByteArrayLiteral("SLOTS")}}, m_options.limits.timeout, this,
        [this, asked](const base::Result<net::Connection::Delivery> &delivery) {
            const auto present = delivery ? ClusterSlots::fromReply(delivery->replies.front())
                                          : base::Result<ClusterSlots>(base::failure(delivery.error()));
            if (present)
                take(*present, asked);
        });
}

void WatchedServers::take(const ClusterSlots &present, const Endpoint &asked)
{
    m_unserved = present.unserved();
    for (const ClusterSlots::Primary &primary : present.primaries()) {
        const Endpoint endpoint = SlotRoutes::endpointOf(asked, primary.address);
        if (find(endpoint) == nullptr) {
            const auto former = replacedBy(primary, present, asked);
            add(endpoint, primary.ranges);
            Q_EMIT primaryAdded(*m_watched.back().server, addressOf(endpoint));
            if (former)
                replace(*former, m_watched.back());
            find(endpoint)->server->start();
        }
        Watched &watched = *find(endpoint);
        if (watched.ranges == primary.ranges)
            continue;
        m_clusterLocks->noteMigrating(slotsOnlyIn(primary.ranges, watched.ranges));
        watched.ranges = primary.ranges;
    }
}

WatchedServers::Watched *WatchedServers::find(const Endpoint &endpoint)
{
    const auto found = std::ranges::find_if(m_watched, [&endpoint](const Watched &watched) {
        return addressOf(watched.server->endpoint()) == addressOf(endpoint);
    });
    return found == m_watched.end() ? nullptr : &*found;
}

/// Returns the index of the primary that lost its slots to this one, because it is now a replica or is lost. Absent if
/// there is none.
std::optional<std::size_t> WatchedServers::replacedBy(const ClusterSlots::Primary &primary, const ClusterSlots &present,
                                                      const Endpoint &asked) const
{
    const auto isOneOf = [&asked](const auto &nodes, const QString &address, auto &&addressIn) {
        return std::ranges::any_of(nodes, [&](const auto &node) {
            return addressOf(SlotRoutes::endpointOf(asked, addressIn(node))) == address;
        });
    };
    const auto found = std::ranges::find_if(m_watched, [&](const Watched &watched) {
        const QString address = addressOf(watched.server->endpoint());
        if (isOneOf(present.primaries(), address, [](const auto &node) { return node.address; })
            || !overlap(watched.ranges, primary.ranges))
            return false;
        const bool isReplica = isOneOf(present.nodes(), address, [](const auto &node) { return node; });
        return isReplica || watched.server->session().state() != Session::State::Ready;
    });
    return found == m_watched.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - m_watched.begin()));
}

void WatchedServers::replace(std::size_t index, const Watched &successor)
{
    const Watched &former = m_watched[index];
    former.server->noteFailover(addressOf(former.server->endpoint()), addressOf(successor.server->endpoint()),
                                m_clock.now());
    Coverage::Parts parts = partsOf(former);
    for (Coverage::Gap &gap : parts.gaps)
        gap.to = gap.to.value_or(m_clock.now());
    parts.scannedKeys = 0; // The successor has the keys.
    parts.databaseSize = 0;
    parts.unread = 0;
    parts.lag = {};
    m_left.push_back(std::move(parts));
    m_clusterLocks->leave(former.member, successor.member);
    Q_EMIT primaryRemoved(addressOf(former.server->endpoint()));
    m_watched.erase(m_watched.begin() + static_cast<std::ptrdiff_t>(index));
}

} // namespace latchkey::cli
