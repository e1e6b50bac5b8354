#include "core/keyspace/watching/scanner.h"

#include "core/keyspace/watching/rawvalues.h"
#include "core/redis/resp/servererror.h"

#include <algorithm>
#include <bit>

namespace latchkey::watching {

using base::ErrorKind;
using keys::KeyId;
using net::Connection;
using resp::Command;
using resp::Reply;
using namespace std::chrono_literals;

namespace {

/// Number of keys per batch; all batches are sent at once. The server begins with the first batch while the others are
/// being written. The event loop is not blocked for long while the replies are processed.
constexpr std::size_t portion = 250;
/// Interval of repeated queries for some of the refused keys, because an ACL may have changed.
constexpr auto refusalHolds = 2s;
constexpr std::size_t minTried = 10;
constexpr std::size_t maxTried = 200;
/// Limit of refusals. Beyond it, unknown keys are not asked about.
constexpr qsizetype maxKeptRefusals = 200'000;

} // namespace

Scanner::Scanner(const keys::KnownKeys &known, const events::ObservationDispatcher &dispatcher,
                 const base::Clock &clock, QObject *parent)
    : QObject(parent)
    , m_known(known)
    , m_dispatcher(dispatcher)
    , m_clock(clock)
{}

Scanner::~Scanner() = default;

void Scanner::begin(Connection &connection, const Options &options)
{
    m_requests.use(&connection);
    m_options = options;
    m_started = m_clock.now();
    m_cursor = "0";
    m_pages = 0;
    m_markedCursor.clear();
    m_isRunning = true;
    m_isPaused = false;
    m_isScanning = false;
    m_atEnd = false;
    m_pendingBatches = 0;
    m_underWay = 0;
    m_remainingKeys = std::max<qsizetype>(0, options.maxKeys - m_known.table.size());
    m_portion.clear();
    m_queue.clear();
    m_returned.assign(options.pace == Pace::OnDemand ? m_known.table.idLimit() : 0, false);
    m_scannedKeys = 0;
    m_spent = {};
    m_isIncomplete = false;
    const bool isFirstScan = options.pace == Pace::AsFastAsPossible;
    if (isFirstScan)
        forgetRefusals();
    else if (m_started - m_refusalsTried > refusalHolds)
        tryRefusals();
    if (isFirstScan)
        scan();
}

void Scanner::forgetRefusals()
{
    m_refused.clear();
    m_refusedOrder.clear();
    m_denial.reset();
}

void Scanner::tryRefusals()
{
    m_refusalsTried = m_started;
    const auto maximum = std::clamp(static_cast<std::size_t>(m_refused.size()) / 20, minTried, maxTried);
    for (std::size_t left = m_refusedOrder.size(); left > 0 && m_queue.size() < maximum; --left) {
        QByteArray key = std::move(m_refusedOrder.front());
        m_refusedOrder.pop_front();
        if (!m_refused.contains(key))
            continue;
        m_queue.push_back(key);
        m_refusedOrder.push_back(std::move(key));
    }
}

void Scanner::retryAllRefused()
{
    m_queue.insert(m_queue.end(), m_refused.cbegin(), m_refused.cend());
    forgetRefusals();
}

void Scanner::addRefused(const QByteArray &key)
{
    if (m_refused.size() >= maxKeptRefusals || m_refused.contains(key))
        return;
    m_refused.insert(key);
    m_refusedOrder.push_back(key);
}

void Scanner::stop()
{
    m_requests.reset();
    m_isRunning = false;
}

bool Scanner::wasScanned(KeyId id) const
{
    // Times are kept in hundredths of a second, and rounded down.
    constexpr auto resolution = 10ms;
    return (id.value < m_returned.size() && m_returned[id.value]) || m_known.table.sampled(id) + resolution > m_started;
}

bool Scanner::canStep() const
{
    return m_isRunning && m_options.pace == Pace::OnDemand && ((!m_isScanning && !m_atEnd) || !m_queue.empty());
}

void Scanner::step(int commands)
{
    if (!canStep())
        return;
    Keys keys;
    while (!m_queue.empty() && static_cast<int>(keys.size()) < commands && keys.size() < portion) {
        keys.push_back(std::move(m_queue.front()));
        m_queue.pop_front();
    }
    const bool hasRoom = static_cast<int>(keys.size()) < commands;
    if (!keys.empty())
        requestTtls(std::move(keys));
    if (m_isRunning && hasRoom && m_queue.empty() && !m_isScanning && !m_atEnd)
        scan();
}

quint64 Scanner::keysTraversed() const
{
    return m_options.match.matchesEverything() ? m_scannedKeys : m_pages * static_cast<quint64>(m_options.count);
}

void Scanner::resume()
{
    m_isPaused = false;
    if (m_isRunning && m_options.pace == Pace::AsFastAsPossible && !m_isScanning && !m_atEnd)
        scan();
}

void Scanner::scan()
{
    Command command {QByteArrayLiteral("SCAN"), m_cursor, QByteArrayLiteral("COUNT"),
                     QByteArray::number(m_options.count)};
    if (!m_options.match.matchesEverything())
        command << QByteArrayLiteral("MATCH") << m_options.match.pattern();
    m_isScanning = true;
    send({command}, [this](const Connection::Delivery &delivery) { scanned(delivery); });
}

void Scanner::send(const resp::Commands &commands, std::function<void(const Connection::Delivery &)> handle)
{
    if (m_requests.connection() == nullptr)
        return fail({ErrorKind::ConnectionLost, base::Text(QT_TRANSLATE_NOOP("core", "the connection is closed"))});
    m_spent += m_costs == nullptr ? budget::CommandCost {static_cast<double>(commands.size()), 0}
                                  : m_costs->estimate(commands);
    m_requests.send(commands, m_options.timeout,
                    [this, handle = std::move(handle)](const base::Result<Connection::Delivery> &outcome) {
                        if (outcome)
                            handle(*outcome);
                        else
                            fail(outcome.error());
                    });
}

void Scanner::scanned(const Connection::Delivery &delivery)
{
    const Reply &reply = delivery.replies.front();
    if (reply.isError())
        return fail(resp::serverError(reply));
    const auto &parts = reply.elements();
    if (parts.size() != 2 || !parts[0].isBulk() || !parts[1].isArray())
        return fail(
            {ErrorKind::Protocol,
             base::Text(QT_TRANSLATE_NOOP("core", "the server's answer to SCAN is not one (%1)"), reply.toText())});
    m_isScanning = false;
    m_cursor = parts[0].bytes();
    m_atEnd = m_cursor == "0";
    if (!m_atEnd && isEndless())
        return fail({ErrorKind::Protocol,
                     base::Text(QT_TRANSLATE_NOOP("core", "the server's SCAN does not end (%1 steps)"), m_pages)});
    // The next SCAN is sent first: the server works on it while this reply is processed.
    if (m_options.pace == Pace::AsFastAsPossible && !m_atEnd && !m_isPaused)
        scan();
    if (m_isRunning)
        processPage(parts[1].elements(), delivery);
}

/// Returns whether a cursor has recurred (Brent's algorithm), or there are far more steps than a table of that many
/// keys has.
bool Scanner::isEndless()
{
    constexpr quint64 maxPages = 100'000;
    ++m_pages;
    if (m_cursor == m_markedCursor || m_pages > maxPages + static_cast<quint64>(m_expected.value_or(0)))
        return true;
    if (std::has_single_bit(m_pages))
        m_markedCursor = m_cursor;
    return false;
}

void Scanner::processPage(const std::vector<Reply> &names, const Connection::Delivery &delivery)
{
    const bool asksAboutAll = m_options.pace == Pace::AsFastAsPossible;
    m_scannedKeys += names.size();
    m_portion.reserve(portion);
    events::Observations found;
    for (const Reply &name : names) {
        const QByteArray key = name.bytes();
        if (m_isWanted && !m_isWanted(key))
            continue;
        if (!asksAboutAll) {
            const auto known = m_known.table.find(key);
            if (known && m_known.isLive(*known)) {
                if (known->value < m_returned.size())
                    m_returned[known->value] = true;
                found.push_back({key, events::ExistsOnly {}, delivery.sent, delivery.received, events::Source::Scan});
                continue;
            }
            if (m_refused.contains(key) || m_refused.size() >= maxKeptRefusals)
                continue;
        }
        want(key);
        if (!m_isRunning)
            return; // The connection has ended meanwhile.
    }
    if (!m_portion.empty())
        requestTtls(std::exchange(m_portion, {}));
    m_dispatcher.deliver(found);
    finishIfDone();
    if (m_isRunning && !asksAboutAll)
        Q_EMIT pageScanned();
}

void Scanner::want(const QByteArray &key)
{
    if (m_remainingKeys == 0) {
        m_isIncomplete = true;
        return;
    }
    --m_remainingKeys;
    if (m_options.pace == Pace::OnDemand) {
        if (m_isFirst && m_isFirst(key))
            m_queue.push_front(key);
        else
            m_queue.push_back(key);
        return;
    }
    m_portion.push_back(key);
    if (m_portion.size() == portion) {
        requestTtls(std::exchange(m_portion, {}));
        m_portion.reserve(portion);
    }
}

void Scanner::requestTtls(Keys keys)
{
    resp::Commands commands;
    commands.reserve(keys.size() * (m_options.readsTypes ? 2 : 1));
    for (const QByteArray &key : keys)
        commands.push_back({QByteArrayLiteral("PTTL"), key});
    if (m_options.readsTypes) {
        for (const QByteArray &key : keys)
            commands.push_back({QByteArrayLiteral("TYPE"), key});
    }
    ++m_pendingBatches;
    m_underWay += keys.size();
    send(commands,
         [this, keys = std::move(keys)](const Connection::Delivery &delivery) { existenceReceived(keys, delivery); });
}

bool Scanner::isRefused(const QByteArray &key, const Reply &reply)
{
    if (reply.isInteger()) {
        if (m_refused.remove(key))
            retryAllRefused(); // The other refused keys may be permitted now as well.
        return false;
    }
    if (!m_denial)
        m_denial = resp::serverError(reply);
    addRefused(key);
    return true;
}

void Scanner::existenceReceived(const Keys &keys, const Connection::Delivery &delivery)
{
    --m_pendingBatches;
    m_underWay -= keys.size();
    events::Observations observations;
    observations.reserve(keys.size() * (m_options.readsTypes ? 2 : 1));
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const Reply &left = delivery.replies[i];
        if (isRefused(keys[i], left))
            continue;
        events::ObservationContent content = events::existenceFrom(left.toInteger(), delivery.sent, delivery.received);
        if (m_readDelegate && m_readDelegate(keys[i], content))
            continue;
        observations.push_back({keys[i], std::move(content), delivery.sent, delivery.received, events::Source::Scan});
        if (m_options.readsTypes) {
            const auto type = keyTypeFrom(delivery.replies[keys.size() + i]);
            observations.push_back(
                {keys[i], events::TypeReply {type}, delivery.sent, delivery.received, events::Source::Scan});
        }
    }
    m_dispatcher.deliver(observations);
    if (m_isRunning && m_options.pace == Pace::AsFastAsPossible)
        requestQueued();
    finishIfDone();
}

/// Queries a portion of the queued keys. Only for a scan that step() does not advance.
void Scanner::requestQueued()
{
    Keys keys;
    while (!m_queue.empty() && keys.size() < portion) {
        keys.push_back(std::move(m_queue.front()));
        m_queue.pop_front();
    }
    if (!keys.empty())
        requestTtls(std::move(keys));
}

void Scanner::fail(const base::Error &error)
{
    stop();
    Q_EMIT failed(error);
}

void Scanner::finishIfDone()
{
    if (!m_isRunning || !m_atEnd || m_isScanning || m_pendingBatches > 0 || !m_queue.empty())
        return;
    m_isRunning = false;
    Q_EMIT finished();
}

} // namespace latchkey::watching
