#include "core/keyspace/events/coveragemeter.h"

#include "core/redis/resp/replicationinfo.h"
#include "core/redis/resp/servererror.h"

#include <QPointer>

#include <algorithm>

namespace latchkey::events {

using base::ErrorKind;
using base::MonotonicTime;
using net::Connection;
using resp::Command;
using resp::Reply;
using Gap = Coverage::Gap;
using Kind = Reply::Kind;
using namespace std::chrono_literals;

namespace {

/// Index of DBSIZE among the measured commands, after those that read keys. DBSIZE fails together with all other
/// commands, and is sent even if no key is known. Its reply shows no key.
constexpr qint8 sizeIndex = 100;
/// Index of INFO replication.
constexpr qint8 replicationIndex = sizeIndex + 1;
/// Number of checks that must find silence: after a stall of this process, replies may still wait to be read.
constexpr int silentChecks = 2;
/// Limit of gaps that are kept; the last one covers all later ones.
constexpr std::size_t maxGaps = 10'000;

/// Returns whether the error concerns the state of the server, so that every command gets it.
bool isServerWideError(ErrorKind kind)
{
    return resp::isTemporaryRefusal(kind) || kind == ErrorKind::ClusterDown;
}

/// Returns whether requests were answered in this interval, although from data that may be out of date.
bool isStale(const Gap &interval)
{
    return interval.why.kind == ErrorKind::StaleReplica;
}

/// Returns the kind of a good reply to this command, which is not INFO.
Kind replyKindOf(qint8 index)
{
    return index == sizeIndex ? Kind::Integer : RequestRefusals::replyKindOf(static_cast<std::size_t>(index));
}

} // namespace

CoverageMeter::CoverageMeter(const base::Clock &clock, QObject *parent)
    : QObject(parent)
    , m_clock(clock)
    , m_began(clock.now())
    , m_firstConnected(m_began)
{}

CoverageMeter::~CoverageMeter() = default;

CoverageMeter::CommandIndex CoverageMeter::indexOf(const Command &command)
{
    if (const auto index = RequestRefusals::indexOf(command))
        return static_cast<CommandIndex>(*index);
    const QByteArray name = command.name();
    if (name == "INFO" && command.words().size() == 2 && command.words()[1].toLower() == "replication")
        return replicationIndex;
    return name == "DBSIZE" ? sizeIndex : CommandIndex(-1);
}

Connection::TrafficObserver CoverageMeter::trafficObserver()
{
    return [alive = QPointer<CoverageMeter>(this)](const resp::Commands &commands) -> Connection::ReplyObserver {
        if (!alive)
            return {};
        std::vector<CommandIndex> indexes;
        indexes.reserve(commands.size());
        std::ranges::transform(commands, std::back_inserter(indexes), &CoverageMeter::indexOf);
        return [alive, indexes = std::move(indexes),
                last = commands.back()](const base::Result<Connection::Delivery> &outcome) {
            if (alive)
                alive->received(indexes, last, outcome);
        };
    };
}

void CoverageMeter::received(const std::vector<CommandIndex> &indexes, const Command &last,
                             const base::Result<Connection::Delivery> &outcome)
{
    if (!outcome)
        return; // lost() handles it.
    noteAnswer(outcome->received);
    for (std::size_t i = 0; i < indexes.size(); ++i) { // One reply for each command.
        if (indexes[i] < 0)
            continue;
        if (indexes[i] == replicationIndex) {
            noteReplication(outcome->replies[i], outcome->received);
            continue;
        }
        const Kind kind = outcome->replies[i].kind();
        if (kind == Kind::Status && outcome->replies[i].bytes() == "QUEUED")
            continue; // The reply is part of the transaction's reply.
        if (kind != replyKindOf(indexes[i]))
            refuse(indexes[i], last, outcome->replies[i], outcome->received);
        else
            grant(indexes[i], outcome->received);
    }
    update();
}

/// Records whether the keys of the server may be out of date. The server is then a replica whose link to its primary is
/// down, or whose primary has changed, so that the replica has replaced its keys. A refusal has no information about
/// the link.
void CoverageMeter::noteReplication(const Reply &reply, MonotonicTime at)
{
    const auto replication = reply.isBulk() ? resp::ReplicationInfo::fromInfo(reply.bytes()) : std::nullopt;
    if (!replication)
        return;
    const QString primary = replication->primary ? replication->primary->address : QString();
    const bool isOther = m_primary && *m_primary != primary && !primary.isEmpty();
    m_primary = primary;
    const bool wasStale = m_staleness.has_value();
    m_staleness = replication->staleness();
    if (!m_staleness && isOther)
        m_staleness = base::Error {
            ErrorKind::StaleReplica,
            base::Text(QT_TRANSLATE_NOOP("core", "the server is a replica, and its primary is another one: %1"),
                       primary)};
    if (m_staleness)
        return;
    m_linkGood = at;
    if (wasStale)
        Q_EMIT commandsAccepted();
}

/// Records the time of a reply. A long interval between two replies was unobserved, whether the server or this process
/// stalled.
void CoverageMeter::noteAnswer(MonotonicTime received)
{
    m_silentChecks = 0;
    if (m_isWatching && !m_isPaused && !m_open && received - m_received > maxSilence) {
        m_wasStalled = m_wasStalled || received - m_checked > maxSilence;
        m_silentChecks = silentChecks;
        update();
        m_silentChecks = 0;
    }
    m_wasStalled = false;
    m_received = received;
}

void CoverageMeter::grant(CommandIndex index, MonotonicTime at)
{
    if (index == m_failingCommand && m_serverError) {
        m_serverError.reset();
        m_staleness.reset(); // INFO was not sent meanwhile.
        Q_EMIT commandsAccepted();
    }
    m_good = at;
    if (index == sizeIndex)
        return;
    m_lost.reset();
    m_refusals.grant(static_cast<RequestRefusals::CommandIndex>(index), at);
}

void CoverageMeter::refuse(CommandIndex index, const Command &command, const Reply &reply, MonotonicTime at)
{
    const base::Error error = resp::serverError(reply);
    if (error.kind == ErrorKind::WrongType)
        return; // The key has another type now.
    if (isServerWideError(error.kind)) {
        m_serverError = error;
        m_probe = indexOf(command) >= 0 ? command : Command {QByteArrayLiteral("DBSIZE")};
        m_failingCommand = indexOf(m_probe);
        return;
    }
    if (index != sizeIndex)
        m_refusals.refuse(static_cast<RequestRefusals::CommandIndex>(index), error, reply, at);
}

void CoverageMeter::awaitConnection(const base::Error &why)
{
    // After a lost connection, the loss is the reason. The exception is a refused password, because a new connection
    // would not help.
    if (m_wasConnected && !(m_lost && base::isPasswordRefused(why.kind)))
        return;
    m_lost = why;
    update();
}

void CoverageMeter::connected()
{
    if (!m_wasConnected)
        m_firstConnected = m_clock.now();
    if (!std::exchange(m_wasConnected, true) && m_open) {
        m_lost.reset();
        m_open.reset();
        m_gaps.clear();
        emitGapChanged();
    }
    m_isWatching = true;
    m_silentChecks = 0;
    m_received = m_clock.now();
    m_checked = m_received;
    m_wasStalled = false;
    m_serverError.reset();
    m_staleness.reset();
    m_primary.reset();
    m_refusals.reset();
    update();
}

void CoverageMeter::lost(const base::Error &why)
{
    m_isWatching = false;
    m_serverError.reset();
    m_lost = why;
    update();
}

void CoverageMeter::setPaused(bool isPaused)
{
    m_isPaused = isPaused;
    m_received = m_clock.now();
    m_checked = m_received;
}

void CoverageMeter::check()
{
    const MonotonicTime now = m_clock.now();
    m_wasStalled = m_wasStalled || now - m_checked > maxSilence;
    m_checked = now;
    if (!m_isWatching || m_isPaused || now - m_received <= maxSilence)
        return;
    ++m_silentChecks;
    update();
}

std::optional<Gap> CoverageMeter::wholeGap() const
{
    const MonotonicTime good = m_good.value_or(m_began);
    if (m_serverError) // The server's error is more recent than the loss, because a loss resets it.
        return Gap {good, {}, *m_serverError, {}};
    if (m_lost)
        return Gap {good, {}, *m_lost, {}};
    if (m_silentChecks >= silentChecks) {
        const base::Text why =
            m_wasStalled ? base::Text(QT_TRANSLATE_NOOP("core", "this program was stopped, or its output blocked"))
                         : base::Text(QT_TRANSLATE_NOOP("core", "the server does not answer"));
        return Gap {good, {}, {ErrorKind::TimedOut, why}, {}};
    }
    if (m_staleness)
        return Gap {m_linkGood.value_or(m_firstConnected), {}, *m_staleness, {}};
    return std::nullopt;
}

void CoverageMeter::setGap(std::optional<std::size_t> &open, const std::optional<Gap> &gap)
{
    if (open && gap && isStale(m_gaps[*open]) != isStale(*gap)) {
        const MonotonicTime end = std::max(m_gaps[*open].from, m_received);
        m_gaps[*open].to = end;
        open = add({end, {}, gap->why, gap->request});
        emitGapChanged();
    } else if (open && gap) {
        const bool isOtherReason = m_gaps[*open].why.kind != gap->why.kind;
        m_gaps[*open].why = gap->why;
        if (isOtherReason)
            emitGapChanged();
    } else if (gap) {
        open = add(*gap);
        emitGapChanged();
    } else if (open) {
        m_gaps[*open].to = std::max(m_gaps[*open].from, m_received);
        open.reset();
        emitGapChanged();
    }
}

/// Removes an interval that began with the meter, because the refusal concerned only some keys. No effect if the
/// request had been answered before the interval.
void CoverageMeter::withdraw(std::optional<std::size_t> &open)
{
    if (!open || m_gaps.size() >= maxGaps) // The last interval may then be that of another request, too.
        return;
    if (m_gaps[*open].from != m_began)
        return;
    if (*open + 1 == m_gaps.size())
        m_gaps.pop_back();
    else
        m_gaps[*open].to = m_gaps[*open].from;
    open.reset();
    emitGapChanged();
}

/// Returns the index of the added interval.
std::size_t CoverageMeter::add(const Gap &gap)
{
    if (m_gaps.size() < maxGaps)
        m_gaps.push_back(gap);
    else
        m_gaps.back() = {m_gaps.back().from, {}, gap.why, {}};
    return m_gaps.size() - 1;
}

void CoverageMeter::setHasChangeEvents(bool hasChangeEvents, MonotonicTime reportedUntil)
{
    if (std::exchange(m_hasChangeEvents, hasChangeEvents) == hasChangeEvents)
        return;
    if (!hasChangeEvents) {
        m_unreported =
            add({reportedUntil,
                 {},
                 {ErrorKind::ConnectionLost, base::Text(QT_TRANSLATE_NOOP("core", "no change events arrive"))},
                 KeyRequest::Changes});
    } else if (m_unreported) {
        m_gaps[*m_unreported].to = std::max(m_gaps[*m_unreported].from, m_clock.now());
        m_unreported.reset();
    }
    emitGapChanged();
}

void CoverageMeter::emitGapChanged()
{
    m_gapChangedAt = m_clock.now();
    Q_EMIT gapChanged();
}

void CoverageMeter::setScanFailure(const std::optional<base::Error> &why)
{
    m_refusals.setScanFailure(why);
    update();
}

void CoverageMeter::update()
{
    setGap(m_open, wholeGap());
    for (std::size_t i = 0; i < requestCount; ++i) {
        const auto refusal = m_refusals.refusalOf(keyRequests[i]);
        std::optional<Gap> gap;
        if (refusal && !refusal->isOfSomeKeys)
            gap = Gap {refusal->good.value_or(m_began), {}, refusal->why, keyRequests[i]};
        if (refusal && refusal->isOfSomeKeys)
            withdraw(m_openOf[i]);
        setGap(m_openOf[i], gap);
    }
}

Coverage CoverageMeter::coverage(const ScanResult &scanned, std::chrono::nanoseconds lag) const
{
    Coverage::Parts parts;
    parts.isScanComplete = scanned.isAll;
    parts.scannedKeys = scanned.keys;
    parts.databaseSize = scanned.databaseSize;
    parts.gaps = m_gaps;
    parts.unread = scanned.unread;
    parts.lag = lag;
    parts.now = m_clock.now();
    for (const KeyRequest request : keyRequests) {
        if (m_serverError)
            parts.denied.push_back({request, *m_serverError, false});
        else if (const auto refusal = m_refusals.refusalOf(request))
            parts.denied.push_back({request, refusal->why, refusal->isOfSomeKeys});
    }
    if (m_changesDenied)
        parts.denied.push_back({KeyRequest::Changes, *m_changesDenied, false});
    std::ranges::stable_sort(parts.gaps, {}, &Gap::from);
    return Coverage(std::move(parts));
}

} // namespace latchkey::events
