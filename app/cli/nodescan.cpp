#include "app/cli/nodescan.h"

#include "core/redis/resp/flushcount.h"
#include "core/redis/resp/servererror.h"

#include <algorithm>
#include <iterator>

namespace latchkey::cli {

using events::CoverageMeter;
using net::Session;
using watching::Scanner;
using watching::ValueReader;

namespace {

/// Returns the increase of a count of the server; 0 if it is unknown. A lower number counts from CONFIG RESETSTAT.
qint64 increase(const std::optional<qint64> &before, const std::optional<qint64> &after)
{
    if (!before || !after)
        return 0;
    return *after < *before ? *after : *after - *before;
}

} // namespace

NodeScan::NodeScan(const net::Endpoint &endpoint, Shared shared)
    : m_shared(std::move(shared))
    , m_session(endpoint, base::SystemClock::instance(), base::SystemRandom::instance())
    , m_meter(std::make_unique<CoverageMeter>(base::SystemClock::instance()))
    , m_scanner(m_shared.known, m_shared.dispatcher, base::SystemClock::instance())
    , m_reader(m_shared.known, m_shared.dispatcher)
{
    Session::Timing timing;
    timing.dialTimeout = m_shared.timeout;
    timing.maxRequestTimeout = m_shared.timeout; // Also limits the value reader, which has its own, longer timeout.
    m_session.setTiming(timing);
    m_session.setPinging(false); // A PING is unnecessary: each read has a timeout.
    m_session.addTrafficObserver([this](const resp::Commands &commands) {
        return m_shared.isMeasured() ? m_meter->trafficObserver()(commands) : net::Connection::ReplyObserver();
    });
    m_session.addTrafficObserver([this](const resp::Commands &commands) { return observeExpiries(commands); });
    if (m_shared.isWanted)
        m_scanner.setFilter(m_shared.isWanted);
    m_scanner.setCosts(&m_shared.costs);
    m_reader.setCosts(&m_shared.costs);
    connect(&m_session, &Session::stateChanged, this, &NodeScan::sessionChanged);
    connect(&m_scanner, &Scanner::finished, this, &NodeScan::scanned);
    connect(&m_scanner, &Scanner::failed, this, &NodeScan::scanFailed);
    connect(&m_reader, &ValueReader::finished, this, &NodeScan::read, Qt::QueuedConnection);
}

NodeScan::~NodeScan() = default;

void NodeScan::sessionChanged(Session::State state)
{
    if (state == Session::State::Ready)
        Q_EMIT ready();
    else if (state == Session::State::Waiting)
        fail(*m_session.lastError());
}

void NodeScan::begin(const Scanner::Options &options)
{
    m_hasScanFailed = false;
    m_sample.clear();
    m_flushCount.reset();
    m_renameCount.reset();
    m_meter = std::make_unique<CoverageMeter>(base::SystemClock::instance());
    send({"DBSIZE"}, [this](const resp::Reply &reply) {
        if (!reply.isInteger())
            return;
        m_databaseSize = reply.toInteger();
        m_scanner.setExpected(m_databaseSize);
    });
    send({"INFO", "replication"}, [](const resp::Reply &) {}); // The meter reads the reply.
    send({"INFO", "commandstats"}, [this](const resp::Reply &reply) {
        m_flushCount = resp::flushCount(reply);
        m_swapCount = resp::swapCount(reply);
        m_renameCount = resp::renameCount(reply);
    });
    m_flushWatch.begin(*m_session.connection(), m_shared.timeout);
    m_scanner.begin(*m_session.connection(), options);
}

void NodeScan::verify()
{
    resp::Commands questions = m_sample.requests(base::SystemClock::instance().now());
    if ((questions.empty() && !m_flushCount) || !m_databaseSize || !isWhole())
        return;
    const std::size_t sampleSize = questions.size();
    questions.push_back({QByteArrayLiteral("DBSIZE")});
    questions.push_back({QByteArrayLiteral("INFO"), QByteArrayLiteral("commandstats")});
    const bool isWatching = m_flushWatch.countAtStart().has_value();
    if (isWatching)
        std::ranges::copy(FlushWatch::ending(), std::back_inserter(questions)); // After the count, so none is missed.
    m_isVerifying = true;
    m_verifyCost += m_shared.costs.estimate(questions);
    m_session.connection()->send(
        questions, m_shared.timeout, this,
        [this, sampleSize, isWatching](const base::Result<net::Connection::Delivery> &delivery) {
            m_isVerifying = false;
            if (!delivery)
                return; // The session reports the lost connection.
            const auto afterSample = delivery->replies.begin() + static_cast<std::ptrdiff_t>(sampleSize);
            judgeDeletion({delivery->replies.begin(), afterSample}, afterSample[0]);
            judgeStatistics(afterSample[1], isWatching && FlushWatch::isUnchanged(delivery->replies.back()));
            Q_EMIT verified();
        });
}

/// Compares the statistics of commands with those before the scan. SCAN may return neither the former nor the new name
/// of a renamed key. The statistics name no database. An unchanged watched key shows that all flushes since the start
/// of the watch were in other databases. A database that was empty at the beginning had no keys to lose.
void NodeScan::judgeStatistics(const resp::Reply &statistics, bool isWatchedKeyUnchanged)
{
    if (m_databaseSize == 0)
        return;
    const bool isSwapped = increase(m_swapCount, resp::swapCount(statistics)) > 0;
    m_flushes = increase(m_flushCount, isWatchedKeyUnchanged && !isSwapped ? m_flushWatch.countAtStart()
                                                                           : resp::flushCount(statistics));
    m_renames = increase(m_renameCount, resp::renameCount(statistics));
}

/// Decides whether the found keys are only an arbitrary part. Locks that end while they are listed are normal, and so
/// is a turnover of the keys in a long scan. A flush shows in both counts: most keys of the sample are gone before
/// their expiry, and the server has lost at least half as many keys as the scan has found. A few keys prove nothing.
void NodeScan::judgeDeletion(const std::vector<resp::Reply> &sample, const resp::Reply &size)
{
    constexpr qint64 fewKeys = 10;
    const ScanSample::Check check = ScanSample::check(sample);
    if (!size.isInteger() || check.gone < fewKeys || 2 * check.gone <= check.checked
        || 2 * (*m_databaseSize - size.toInteger()) < static_cast<qint64>(m_scanner.keysScanned()))
        return;
    m_deletion = events::Coverage::Deletion {*m_databaseSize, size.toInteger(), check.checked, check.gone};
}

/// Observes a request of the scanner: PTTL of each key, then perhaps TYPE of each key. The scanner reports no key for
/// which the server refuses PTTL.
net::Connection::ReplyObserver NodeScan::observeExpiries(const resp::Commands &commands)
{
    std::vector<QByteArray> keys;
    for (const resp::Command &command : commands) {
        if (command.name() != "PTTL")
            break;
        keys.push_back(command.words()[1]);
    }
    if (keys.empty() || m_isVerifying)
        return {};
    const bool hasTypes = commands.size() == 2 * keys.size() && commands[keys.size()].name() == "TYPE";
    return [this, hasTypes, keys = std::move(keys)](const base::Result<net::Connection::Delivery> &outcome) {
        if (!outcome)
            return;
        for (std::size_t i = 0; i < keys.size(); ++i)
            m_sample.add(keys[i], outcome->replies[i], outcome->received);
        if (m_shared.noteUnknownExpiry)
            noteRefusedExpiries(keys, hasTypes, *outcome);
    };
}

/// Reports the keys with a known name and an unknown expiry, because the server refuses PTTL. Keys that the user
/// may not access are not reported.
void NodeScan::noteRefusedExpiries(const std::vector<QByteArray> &keys, bool hasTypes,
                                   const net::Connection::Delivery &delivery)
{
    events::Observations found;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const resp::Reply &left = delivery.replies[i];
        const auto kind = left.isError() ? resp::serverError(left).kind : base::ErrorKind::Usage;
        const bool isRefused = (kind == base::ErrorKind::PermissionDenied && !left.bytes().contains("access "))
                            || kind == base::ErrorKind::UnknownCommand; // PTTL was renamed.
        if (!isRefused || !m_shared.noteUnknownExpiry(keys[i]))
            continue;
        found.push_back({keys[i], events::Exists {}, delivery.sent, delivery.received, events::Source::Scan});
        if (hasTypes)
            found.push_back({keys[i], events::TypeReply {watching::keyTypeFrom(delivery.replies[keys.size() + i])},
                             delivery.sent, delivery.received, events::Source::Scan});
    }
    m_shared.dispatcher.deliver(found);
}

void NodeScan::send(const resp::Command &command, std::function<void(const resp::Reply &)> answered)
{
    m_session.connection()->send(
        {command}, m_shared.timeout, this,
        [answered = std::move(answered)](const base::Result<net::Connection::Delivery> &delivery) {
            if (delivery)
                answered(delivery->replies.front());
        });
}

/// Ends the scan with the keys found so far. The coverage names the reason for the missing ones.
void NodeScan::scanFailed(const base::Error &error)
{
    if (error.kind == base::ErrorKind::ConnectionLost || error.kind == base::ErrorKind::TimedOut)
        return fail(error);
    m_hasScanFailed = true;
    m_meter->setScanFailure(error);
    Q_EMIT scanned();
}

void NodeScan::fail(const base::Error &error)
{
    if (m_error)
        return;
    m_error = error;
    stop();
    m_session.stop();
    Q_EMIT failed(error);
}

void NodeScan::stop()
{
    m_scanner.stop();
    m_reader.stop();
    m_session.disconnect(this);
}

budget::CommandCost NodeScan::spent() const
{
    budget::CommandCost sum = m_verifyCost;
    sum += m_scanner.spent();
    sum += m_reader.spent();
    return sum;
}

} // namespace latchkey::cli
