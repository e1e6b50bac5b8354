#include "core/keyspace/events/coveragemeter.h"

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

constexpr std::array keyQuestions {KeyQuestion::Names, KeyQuestion::Expiry, KeyQuestion::Type, KeyQuestion::Value};
constexpr std::array commandNames {"SCAN",   "PTTL", "TYPE",  "GETRANGE", "STRLEN", "HSCAN", "HLEN",
                                   "LRANGE", "LLEN", "SSCAN", "SCARD",    "ZRANGE", "ZCARD", "XLEN"};
/// Type of the reply to each of these commands, and to DBSIZE.
constexpr std::array replyKinds {Kind::Array,   Kind::Integer, Kind::Status,  Kind::Bulk,    Kind::Integer,
                                 Kind::Array,   Kind::Integer, Kind::Array,   Kind::Integer, Kind::Array,
                                 Kind::Integer, Kind::Array,   Kind::Integer, Kind::Integer, Kind::Integer};
/// Index of DBSIZE. DBSIZE fails together with all other commands, and is sent even if no key is known. Its reply shows
/// no key.
constexpr qint8 sizePlace = commandNames.size();

/// Returns the question of a command; all commands after TYPE read values.
KeyQuestion questionOf(std::size_t place)
{
    return keyQuestions[std::min(place, keyQuestions.size() - 1)];
}
/// Index of the type of value that each of these commands reads; -1: not a value.
constexpr std::array<qint8, commandNames.size()> valueTypes {-1, -1, -1, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5};
/// Time without a repetition after which a refusal for some keys is over.
constexpr auto keyRefusalHolds = 5s;
/// Number of checks that must find silence: after a stall of this process, replies may still wait to be read.
constexpr int silentChecks = 2;
/// Limit of blind intervals that are kept; the last one covers all later ones.
constexpr std::size_t mostKept = 10'000;

/// Returns whether every command gets this error while the server is in that state.
bool isOfTheServer(ErrorKind kind)
{
    return resp::isTemporaryRefusal(kind) || kind == ErrorKind::ClusterDown;
}

/// Returns whether the same question about another key may be answered.
bool isOfTheKey(const base::Error &error, const Reply &reply)
{
    if (error.kind == ErrorKind::PermissionDenied)
        return reply.bytes().contains("access"); // Otherwise the command itself is forbidden.
    return error.kind == ErrorKind::ClusterRedirect || error.kind == ErrorKind::TryAgain;
}

} // namespace

CoverageMeter::CoverageMeter(const base::Clock &clock, QObject *parent)
    : QObject(parent)
    , m_clock(clock)
    , m_began(clock.now())
{}

CoverageMeter::~CoverageMeter() = default;

CoverageMeter::Place CoverageMeter::placeOf(const Command &command)
{
    static_assert(commandNames.size() == commandCount);
    const QByteArray name = command.name();
    for (std::size_t place = 0; place < commandNames.size(); ++place) {
        if (name == commandNames[place])
            return static_cast<Place>(place);
    }
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
        const Kind kind = outcome->replies[i].kind();
        if (kind == Kind::Status && outcome->replies[i].bytes() == "QUEUED")
            continue; // The reply is part of the transaction's reply.
        if (kind != replyKinds[static_cast<std::size_t>(places[i])])
            refuse(places[i], last, outcome->replies[i], outcome->received);
        else
            grant(places[i], outcome->received);
    }
    update();
}

/// Records the time of a reply. A long interval between two replies was blind, whether the server or this process
/// stalled.
void CoverageMeter::noteAnswer(MonotonicTime received)
{
    m_silentChecks = 0;
    if (m_isWatching && !m_isPaused && !m_open && received - m_received > longestSilence) {
        m_wasStalled = m_wasStalled || received - m_checked > longestSilence;
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
        Q_EMIT commandsAccepted();
    }
    m_good = at;
    if (place == sizePlace)
        return;
    m_lost.reset();
    ReplyRecord &record = m_records[static_cast<std::size_t>(place)];
    record.good = at;
    record.isAnswered = true;
    if (!record.isOfTheKey || at - record.refusedAt > keyRefusalHolds)
        record.refusal.reset();
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
    if (place == sizePlace)
        return;
    ReplyRecord &record = m_records[static_cast<std::size_t>(place)];
    record.refusal = error;
    record.refusedAt = at;
    record.isOfTheKey = isOfTheKey(error, reply);
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
    if (!std::exchange(m_wasConnected, true) && m_open) {
        m_lost.reset();
        m_open.reset();
        m_blindness.clear();
        emitSightChanged();
    }
    m_isWatching = true;
    m_silentChecks = 0;
    m_received = m_clock.now();
    m_checked = m_received;
    m_wasStalled = false;
    m_trouble.reset();
    for (ReplyRecord &record : m_records) { // The user or the server may be another one.
        record.refusal.reset();
        record.isAnswered = false;
    }
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
    m_wasStalled = m_wasStalled || now - m_checked > longestSilence;
    m_checked = now;
    if (!m_isWatching || m_isPaused || now - m_received <= longestSilence)
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
    return std::nullopt;
}

void CoverageMeter::setBlind(std::optional<std::size_t> &open, const std::optional<BlindInterval> &blindness)
{
    if (open && blindness) {
        m_blindness[*open].why = blindness->why;
    } else if (blindness) {
        open = add(*blindness);
        emitSightChanged();
    } else if (open) {
        m_blindness[*open].to = std::max(m_blindness[*open].from, m_received);
        open.reset();
        emitSightChanged();
    }
}

/// Ends an interval as if it had not begun: the first refusal of all turned out to concern some keys only. No effect if
/// the question had been answered before.
void CoverageMeter::withdraw(std::optional<std::size_t> &open)
{
    if (!open || m_blindness.size() >= mostKept) // The last interval may then be that of another question, too.
        return;
    if (m_blindness[*open].from != m_began)
        return;
    if (*open + 1 == m_blindness.size())
        m_blindness.pop_back();
    else
        m_blindness[*open].to = m_blindness[*open].from;
    open.reset();
    emitSightChanged();
}

/// Returns the index of the added interval.
std::size_t CoverageMeter::add(const BlindInterval &blindness)
{
    if (m_blindness.size() < mostKept)
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
    emitSightChanged();
}

void CoverageMeter::emitSightChanged()
{
    m_sightChangedAt = m_clock.now();
    Q_EMIT blindnessChanged();
}

void CoverageMeter::setScanFailure(const std::optional<base::Error> &why)
{
    m_scanFailure = why;
    update();
}

/// Returns whether values of another type than that of the command are read. Then the command's refusal concerns only
/// some keys.
bool CoverageMeter::isOtherTypeRead(std::size_t place) const
{
    if (valueTypes[place] < 0)
        return false;
    std::array<bool, commandCount> isRead {};    // By type.
    std::array<bool, commandCount> isRefused {}; // By type.
    for (std::size_t i = 0; i < commandCount; ++i) {
        if (valueTypes[i] < 0)
            continue;
        const auto type = static_cast<std::size_t>(valueTypes[i]);
        isRead[type] = isRead[type] || m_records[i].isAnswered;
        isRefused[type] = isRefused[type] || m_records[i].refusal;
    }
    for (std::size_t type = 0; type < commandCount; ++type) {
        if (isRead[type] && !isRefused[type])
            return true;
    }
    return false;
}

std::optional<CoverageMeter::Refusal> CoverageMeter::refusalOf(KeyQuestion question) const
{
    std::optional<Refusal> found;
    std::optional<MonotonicTime> good; // Last good reply to any command of the question.
    for (std::size_t place = 0; place < commandCount; ++place) {
        const ReplyRecord &record = m_records[place];
        if (questionOf(place) == question && record.good)
            good = std::max(good.value_or(*record.good), *record.good);
        if (questionOf(place) != question || !record.refusal)
            continue;
        if (!found || found->isOfSomeKeys)
            found = Refusal {*record.refusal, {}, record.isOfSomeKeys() || isOtherTypeRead(place)};
    }
    if (found)
        found->good = good;
    if (question == KeyQuestion::Names && m_scanFailure && !found)
        found = Refusal {*m_scanFailure, m_records[0].good, false};
    return found;
}

void CoverageMeter::update()
{
    setBlind(m_open, wholeBlindness());
    for (std::size_t i = 0; i < questionCount; ++i) {
        const auto refusal = refusalOf(keyQuestions[i]);
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
        else if (const auto refusal = refusalOf(question))
            parts.denied.push_back({question, refusal->why, refusal->isOfSomeKeys});
    }
    if (m_changesDenied)
        parts.denied.push_back({KeyQuestion::Changes, *m_changesDenied, false});
    std::ranges::stable_sort(parts.blindness, {}, &BlindInterval::from);
    return Coverage(std::move(parts));
}

} // namespace latchkey::events
