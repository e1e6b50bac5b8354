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
using BlindInterval = Coverage::BlindInterval;
using Kind = Reply::Kind;
using namespace std::chrono_literals;

namespace {

/// Index of DBSIZE among the measured commands, after those that read keys. DBSIZE fails together with all other
/// commands, and is sent even if no key is known. Its reply shows no key.
constexpr qint8 sizePlace = 100;
/// Index of INFO replication.
constexpr qint8 replicationPlace = sizePlace + 1;
/// Number of checks that must find silence: after a stall of this process, replies may still wait to be read.
constexpr int silentChecks = 2;
/// Limit of blind intervals that are kept; the last one covers all later ones.
constexpr std::size_t maxBlindIntervals = 10'000;

/// Returns whether every command gets this error while the server is in that state.
bool isOfTheServer(ErrorKind kind)
{
    return resp::isTemporaryRefusal(kind) || kind == ErrorKind::ClusterDown;
}

/// Returns whether requests were answered in this interval, although from data that may be out of date.
bool isStale(const BlindInterval &interval)
{
    return interval.why.kind == ErrorKind::StaleReplica;
}

/// Returns the kind of a good reply to this command, which is not INFO.
Kind replyKindOf(qint8 place)
{
    return place == sizePlace ? Kind::Integer : QuestionRefusals::replyKindOf(static_cast<std::size_t>(place));
}

} // namespace

CoverageMeter::CoverageMeter(const base::Clock &clock, QObject *parent)
    : QObject(parent)
    , m_clock(clock)
    , m_began(clock.now())
    , m_firstConnected(m_began)
{}

CoverageMeter::~CoverageMeter() = default;

CoverageMeter::Place CoverageMeter::placeOf(const Command &command)
{
    if (const auto place = QuestionRefusals::placeOf(command))
        return static_cast<Place>(*place);
    const QByteArray name = command.name();
    if (name == "INFO" && command.words().size() == 2 && command.words()[1].toLower() == "replication")
        return replicationPlace;
    return name == "DBSIZE" ? sizePlace : Place(-1);
}

Connection::TrafficObserver CoverageMeter::trafficObserver()
{
    return [alive = QPointer<CoverageMeter>(this)](const resp::Commands &commands) -> Connection::ReplyObserver {
        if (!alive)
            return {};
        std::vector<Place> places;
        places.reserve(commands.size());
        std::ranges::transform(commands, std::back_inserter(places), &CoverageMeter::placeOf);
        return [alive, places = std::move(places),
                last = commands.back()](const base::Result<Connection::Delivery> &outcome) {
            if (alive)
                alive->received(places, last, outcome);
        };
    };
}

void CoverageMeter::received(const std::vector<Place> &places, const Command &last,
                             const base::Result<Connection::Delivery> &outcome)
{
    if (!outcome)
        return; // lost() handles it.
    noteAnswer(outcome->received);
    for (std::size_t i = 0; i < places.size(); ++i) { // One reply for each command.
        if (places[i] < 0)
            continue;
        if (places[i] == replicationPlace) {
            noteReplication(outcome->replies[i], outcome->received);
            continue;
        }
        const Kind kind = outcome->replies[i].kind();
        if (kind == Kind::Status && outcome->replies[i].bytes() == "QUEUED")
            continue; // The reply is part of the transaction's reply.
        if (kind != replyKindOf(places[i]))
            refuse(places[i], last, outcome->replies[i], outcome->received);
        else
            grant(places[i], outcome->received);
    }
    update();
}

/// Records whether the server is a replica whose link to its primary is down. A refusal has no information about the
/// link.
void CoverageMeter::noteReplication(const Reply &reply, MonotonicTime at)
{
    const auto replication = reply.isBulk() ? resp::ReplicationInfo::fromInfo(reply.bytes()) : std::nullopt;
    if (!replication)
        return;
    m_staleness = replication->staleness();
    if (!m_staleness)
        m_linkGood = at;
}

/// Records the time of a reply. A long interval between two replies was blind, whether the server or this process
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

void CoverageMeter::grant(Place place, MonotonicTime at)
{
    if (place == m_troubled && m_trouble) {
        m_trouble.reset();
        m_staleness.reset(); // INFO was not sent meanwhile.
        Q_EMIT commandsAccepted();
    }
    m_good = at;
    if (place == sizePlace)
        return;
    m_lost.reset();
    m_refusals.grant(static_cast<QuestionRefusals::Place>(place), at);
}

void CoverageMeter::refuse(Place place, const Command &command, const Reply &reply, MonotonicTime at)
{
    const base::Error error = resp::serverError(reply);
    if (error.kind == ErrorKind::WrongType)
        return; // The key has another type now.
    if (isOfTheServer(error.kind)) {
        m_trouble = error;
        m_probe = placeOf(command) >= 0 ? command : Command {QByteArrayLiteral("DBSIZE")};
        m_troubled = placeOf(m_probe);
        return;
    }
    if (place != sizePlace)
        m_refusals.refuse(static_cast<QuestionRefusals::Place>(place), error, reply, at);
}

void CoverageMeter::awaitConnection(const base::Error &why)
{
    // After a lost connection, its loss is the reason, unless a new one would not help.
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
        m_blindness.clear();
        emitBlindnessChanged();
    }
    m_isWatching = true;
    m_silentChecks = 0;
    m_received = m_clock.now();
    m_checked = m_received;
    m_wasStalled = false;
    m_trouble.reset();
    m_staleness.reset();
    m_refusals.reset();
    update();
}

void CoverageMeter::lost(const base::Error &why)
{
    m_isWatching = false;
    m_trouble.reset();
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

std::optional<BlindInterval> CoverageMeter::wholeBlindness() const
{
    const MonotonicTime good = m_good.value_or(m_began);
    if (m_lost)
        return BlindInterval {good, {}, *m_lost, {}};
    if (m_trouble)
        return BlindInterval {good, {}, *m_trouble, {}};
    if (m_silentChecks >= silentChecks) {
        const base::Text why =
            m_wasStalled ? base::Text(QT_TRANSLATE_NOOP("core", "this program was stopped, or its output blocked"))
                         : base::Text(QT_TRANSLATE_NOOP("core", "the server does not answer"));
        return BlindInterval {good, {}, {ErrorKind::TimedOut, why}, {}};
    }
    if (m_staleness)
        return BlindInterval {m_linkGood.value_or(m_firstConnected), {}, *m_staleness, {}};
    return std::nullopt;
}

void CoverageMeter::setBlind(std::optional<std::size_t> &open, const std::optional<BlindInterval> &blindness)
{
    if (open && blindness && isStale(m_blindness[*open]) != isStale(*blindness)) {
        const MonotonicTime end = std::max(m_blindness[*open].from, m_received);
        m_blindness[*open].to = end;
        open = add({end, {}, blindness->why, blindness->question});
        emitBlindnessChanged();
    } else if (open && blindness) {
        const bool isOtherReason = m_blindness[*open].why.kind != blindness->why.kind;
        m_blindness[*open].why = blindness->why;
        if (isOtherReason)
            emitBlindnessChanged();
    } else if (blindness) {
        open = add(*blindness);
        emitBlindnessChanged();
    } else if (open) {
        m_blindness[*open].to = std::max(m_blindness[*open].from, m_received);
        open.reset();
        emitBlindnessChanged();
    }
}

/// Removes an interval that began with the meter, because the refusal concerned only some keys. No effect if the
/// question had been answered before the interval.
void CoverageMeter::withdraw(std::optional<std::size_t> &open)
{
    if (!open
        || m_blindness.size() >= maxBlindIntervals) // The last interval may then be that of another question, too.
        return;
    if (m_blindness[*open].from != m_began)
        return;
    if (*open + 1 == m_blindness.size())
        m_blindness.pop_back();
    else
        m_blindness[*open].to = m_blindness[*open].from;
    open.reset();
    emitBlindnessChanged();
}

/// Returns the index of the added interval.
std::size_t CoverageMeter::add(const BlindInterval &blindness)
{
    if (m_blindness.size() < maxBlindIntervals)
        m_blindness.push_back(blindness);
    else
        m_blindness.back() = {m_blindness.back().from, {}, blindness.why, {}};
    return m_blindness.size() - 1;
}

void CoverageMeter::setHasChangeEvents(bool isTold, MonotonicTime reportedUntil)
{
    if (std::exchange(m_hasChangeEvents, isTold) == isTold)
        return;
    if (!isTold) {
        m_unreported =
            add({reportedUntil,
                 {},
                 {ErrorKind::ConnectionLost, base::Text(QT_TRANSLATE_NOOP("core", "no change events arrive"))},
                 KeyQuestion::Changes});
    } else if (m_unreported) {
        m_blindness[*m_unreported].to = std::max(m_blindness[*m_unreported].from, m_clock.now());
        m_unreported.reset();
    }
    emitBlindnessChanged();
}

void CoverageMeter::emitBlindnessChanged()
{
    m_blindnessChangedAt = m_clock.now();
    Q_EMIT blindnessChanged();
}

void CoverageMeter::setScanFailure(const std::optional<base::Error> &why)
{
    m_refusals.setScanFailure(why);
    update();
}

void CoverageMeter::update()
{
    setBlind(m_open, wholeBlindness());
    for (std::size_t i = 0; i < questionCount; ++i) {
        const auto refusal = m_refusals.refusalOf(keyQuestions[i]);
        std::optional<BlindInterval> blindness;
        if (refusal && !refusal->isOfSomeKeys)
            blindness = BlindInterval {refusal->good.value_or(m_began), {}, refusal->why, keyQuestions[i]};
        if (refusal && refusal->isOfSomeKeys)
            withdraw(m_openOf[i]);
        setBlind(m_openOf[i], blindness);
    }
}

Coverage CoverageMeter::coverage(const ScanResult &scanned, std::chrono::nanoseconds lag) const
{
    Coverage::Parts parts;
    parts.isAllLookedAt = scanned.isAll;
    parts.lookedAt = scanned.keys;
    parts.of = scanned.of;
    parts.blindness = m_blindness;
    parts.unread = scanned.unread;
    parts.lag = lag;
    parts.now = m_clock.now();
    for (const KeyQuestion question : keyQuestions) {
        if (m_trouble)
            parts.denied.push_back({question, *m_trouble, false});
        else if (const auto refusal = m_refusals.refusalOf(question))
            parts.denied.push_back({question, refusal->why, refusal->isOfSomeKeys});
    }
    if (m_changesDenied)
        parts.denied.push_back({KeyQuestion::Changes, *m_changesDenied, false});
    std::ranges::stable_sort(parts.blindness, {}, &BlindInterval::from);
    return Coverage(std::move(parts));
}

} // namespace latchkey::events
