#include "core/playground/lab/expirymeter.h"

#include "core/redis/resp/servererror.h"

namespace latchkey::lab {

using base::Deadline;
using base::MonotonicTime;
using net::Connection;
using net::Session;
using std::chrono::milliseconds;
using Kind = ExpiryMeter::KeyOutcome::Kind;
using namespace std::chrono_literals;

namespace {

/// Number of keys per request. Small, because half of the round trip is the uncertainty of a deadline.
constexpr int keysPerRequest = 50;
constexpr int maxPendingReads = 4;
/// Timeout for notifications. The server searches for expired keys ten times a second, so a later notification is
/// unlikely.
constexpr auto notificationTimeout = 10s;
constexpr auto timeout = 10s;

} // namespace

ExpiryMeter::ExpiryMeter(const net::Endpoint &server, Plan plan, const base::Clock &clock, base::RandomSource &random)
    : m_plan(std::move(plan))
    , m_clock(clock)
    , m_session(server, clock, random)
    , m_push(server, clock, random)
    , m_subscription(m_push)
{
    m_outcomes.reserve(
        static_cast<std::size_t>(m_plan.keyCount())); // Entries are added gradually, to avoid one long pause.
    connect(&m_session, &Session::stateChanged, this, &ExpiryMeter::sessionChanged);
    connect(&m_push, &Session::stateChanged, this, &ExpiryMeter::sessionChanged);
    connect(&m_subscription, &net::Subscription::begun, this, &ExpiryMeter::setReady);
    connect(&m_subscription, &net::Subscription::refused, this, &ExpiryMeter::setReady);
    connect(&m_subscription, &net::Subscription::message, this,
            [this](const QByteArray &, const resp::Reply &key) { received(key.bytes()); });
    m_subscription.subscribe({"__keyevent@" + QByteArray::number(server.database) + "__:expired"}, {});
    m_readTimer.setSingleShot(true);
    m_readTimer.setTimerType(Qt::PreciseTimer);
    connect(&m_readTimer, &QTimer::timeout, this, &ExpiryMeter::readDue);
    m_timeout.setSingleShot(true);
    connect(&m_timeout, &QTimer::timeout, this, &ExpiryMeter::readUnreportedKeys);
}

ExpiryMeter::~ExpiryMeter() = default;

void ExpiryMeter::start()
{
    m_session.start();
    m_push.start();
}

void ExpiryMeter::sessionChanged()
{
    for (const Session *session : {&m_session, &m_push}) {
        if (!m_isOver && session->state() == Session::State::Waiting && session->lastError())
            return fail(*session->lastError());
    }
    setReady();
}

void ExpiryMeter::setReady()
{
    // A server that refuses the subscription is measured by reading.
    if (m_isReady || m_isOver || m_session.state() != Session::State::Ready || m_push.state() != Session::State::Ready
        || (sender() != &m_subscription && !m_subscription.isActive()))
        return;
    m_isReady = true;
    m_session.connection()->send(
        {{QByteArrayLiteral("CONFIG"), QByteArrayLiteral("GET"), QByteArrayLiteral("notify-keyspace-events")}}, timeout,
        this, [this](const base::Result<Connection::Delivery> &outcome) {
            if (!outcome)
                return;
            const resp::Reply &reply = outcome->replies.front();
            const QByteArray flags = reply.elements().size() == 2 ? reply.elements().back().bytes() : QByteArray();
            m_receivesEvents =
                m_subscription.isActive() && flags.contains('E') && (flags.contains('x') || flags.contains('A'));
            Q_EMIT ready();
        });
}

void ExpiryMeter::setWritten(int keys)
{
    m_written = keys;
    m_outcomes.resize(std::max(m_outcomes.size(), static_cast<std::size_t>(keys)));
    measureNext();
}

void ExpiryMeter::setWriterGone()
{
    m_isWriterGone = true;
    checkFinished();
}

void ExpiryMeter::stop()
{
    m_isOver = true;
    m_readTimer.stop();
    m_timeout.stop();
    m_session.stop();
    m_push.stop();
}

void ExpiryMeter::request(const Keys &keys, const QByteArray &command, Then then)
{
    request(keys, [&](int key) { return resp::Command {command, m_plan.keyOf(key).bytes()}; }, then);
}

void ExpiryMeter::request(const Keys &keys, const std::function<resp::Command(int key)> &commandFor, Then then)
{
    resp::Commands commands;
    commands.reserve(keys.size());
    for (const int key : keys)
        commands.push_back(commandFor(key));
    m_session.connection()->send(commands, timeout, this,
                                 [this, keys, then](const base::Result<Connection::Delivery> &outcome) {
                                     if (outcome && !m_isOver)
                                         (this->*then)(keys, *outcome);
                                 });
}

void ExpiryMeter::measureNext()
{
    if (m_isMeasuring || m_asked >= m_written || m_isOver)
        return;
    Keys keys;
    while (m_asked < m_written && static_cast<int>(keys.size()) < keysPerRequest)
        keys.push_back(m_asked++);
    m_isMeasuring = true;
    request(keys, QByteArrayLiteral("PTTL"), &ExpiryMeter::measured);
}

void ExpiryMeter::measured(const Keys &keys, const Connection::Delivery &delivery)
{
    m_isMeasuring = false;
    m_roundTrips.add(delivery.received - delivery.sent);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (!delivery.replies[i].isInteger())
            return fail(resp::serverError(delivery.replies[i]));
        learn(keys[i], delivery.replies[i].toInteger(), delivery);
    }
    scheduleRead();
    readContents();
    requestFieldTtls();
    measureNext();
    checkFinished();
}

void ExpiryMeter::learn(int key, qint64 left, const Connection::Delivery &delivery)
{
    KeyOutcome &keyOutcome = m_outcomes[static_cast<std::size_t>(key)];
    if (left == -2) {
        keyOutcome.kind = Kind::Absent;
    } else if (left == -1) {
        keyOutcome.kind = Kind::Persistent;
        if (m_plan.recipeOf(key).setsFieldLifetimes)
            m_toAskFields.push_back(key);
        if (m_plan.recipeOf(key).isData != nullptr)
            m_keysToInspect.push_back(key);
    } else {
        learnEnd(key, milliseconds(left), delivery);
    }
}

void ExpiryMeter::learnEnd(int key, milliseconds left, const Connection::Delivery &delivery)
{
    KeyOutcome &keyOutcome = m_outcomes[static_cast<std::size_t>(key)];
    keyOutcome.kind = Kind::Ending;
    keyOutcome.due = Deadline::measured(left, delivery.sent, delivery.received);
    m_lastDue = std::max(m_lastDue, keyOutcome.due.at());
    ++m_ending;
    if (isToBeRead(key))
        m_toRead.emplace(keyOutcome.due.at(), key);
}

/// Returns whether the key is polled. The server sends no notification for a key that expires with its fields.
bool ExpiryMeter::isToBeRead(int key) const
{
    return !m_receivesEvents || Plan::isRead(key) || m_plan.recipeOf(key).setsFieldLifetimes;
}

/// Reads the fields' TTLs of keys that have none. All fields of a key have the same TTL.
void ExpiryMeter::requestFieldTtls()
{
    if (m_isAskingFields || m_toAskFields.empty() || m_isOver)
        return;
    const auto count = std::min<std::size_t>(m_toAskFields.size(), keysPerRequest);
    const Keys keys(m_toAskFields.end() - static_cast<std::ptrdiff_t>(count), m_toAskFields.end());
    m_toAskFields.resize(m_toAskFields.size() - count);
    m_isAskingFields = true;
    request(
        keys, [this](int key) { return resp::hpttl(m_plan.keyOf(key), {Plan::field()}); },
        &ExpiryMeter::fieldTtlsReceived);
}

void ExpiryMeter::fieldTtlsReceived(const Keys &keys, const Connection::Delivery &delivery)
{
    m_isAskingFields = false;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto &ends =
            delivery.replies[i].elements(); // Empty for an error reply: the server does not support TTLs of fields.
        if (!ends.empty() && ends.front().toInteger() >= 0)
            learnEnd(keys[i], milliseconds(ends.front().toInteger()), delivery);
        else if (!ends.empty() && ends.front().isInteger(-2))
            m_outcomes[static_cast<std::size_t>(keys[i])].kind = Kind::Absent;
    }
    scheduleRead();
    requestFieldTtls();
    checkFinished();
}

/// Checks whether keys without a TTL hold data or only the recipe's placeholder.
void ExpiryMeter::readContents()
{
    if (m_isInspecting || m_keysToInspect.empty() || m_isOver)
        return;
    const auto count = std::min<std::size_t>(m_keysToInspect.size(), keysPerRequest);
    const Keys keys(m_keysToInspect.end() - static_cast<std::ptrdiff_t>(count), m_keysToInspect.end());
    m_keysToInspect.resize(m_keysToInspect.size() - count);
    m_isInspecting = true;
    request(keys, QByteArrayLiteral("HKEYS"), &ExpiryMeter::contentsReceived);
}

void ExpiryMeter::contentsReceived(const Keys &keys, const Connection::Delivery &delivery)
{
    m_isInspecting = false;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        QList<QByteArray> fields;
        for (const resp::Reply &field : delivery.replies[i].elements())
            fields += field.bytes();
        if (!m_plan.recipeOf(keys[i]).isData(fields))
            m_outcomes[static_cast<std::size_t>(keys[i])].kind = Kind::Empty;
    }
    readContents();
    checkFinished();
}

void ExpiryMeter::scheduleRead()
{
    if (m_toRead.empty() || m_readsUnderWay >= maxPendingReads || m_isOver)
        return;
    const auto wait = std::chrono::ceil<milliseconds>(m_toRead.top().first - m_clock.now());
    m_readTimer.start(std::max(wait, 0ms));
}

void ExpiryMeter::readDue()
{
    const MonotonicTime now = m_clock.now();
    Keys keys;
    while (!m_toRead.empty() && m_toRead.top().first <= now && static_cast<int>(keys.size()) < keysPerRequest) {
        keys.push_back(m_toRead.top().second);
        m_toRead.pop();
    }
    if (!keys.empty()) {
        ++m_readsUnderWay;
        request(keys, QByteArrayLiteral("PTTL"), &ExpiryMeter::read);
    }
    scheduleRead();
}

void ExpiryMeter::read(const Keys &keys, const Connection::Delivery &delivery)
{
    --m_readsUnderWay;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        KeyOutcome &keyOutcome = m_outcomes[static_cast<std::size_t>(keys[i])];
        if (keyOutcome.isOver)
            continue;
        if (!delivery.replies[i].isInteger(-2)) {
            m_toRead.emplace(delivery.received + 1ms, keys[i]);
            continue;
        }
        keyOutcome.isOver = true;
        keyOutcome.gone = delivery.received;
        ++m_over;
        if (isToBeRead(keys[i]))
            m_toReader.add(keyOutcome.gone - keyOutcome.due.at());
    }
    scheduleRead();
    checkFinished();
}

void ExpiryMeter::received(const QByteArray &name)
{
    const MonotonicTime now = m_clock.now();
    const auto key = m_plan.numberOf(name);
    // The notification for a polled key only shows the effect of the poll.
    if (!key || Plan::isRead(*key) || m_plan.recipeOf(*key).setsFieldLifetimes || m_isOver)
        return;
    if (static_cast<std::size_t>(*key) >= m_outcomes.size())
        return; // The key expired before its deadline was read.
    KeyOutcome &keyOutcome = m_outcomes[static_cast<std::size_t>(*key)];
    if (keyOutcome.kind != Kind::Ending || keyOutcome.isOver)
        return;
    keyOutcome.isOver = true;
    keyOutcome.gone = now;
    ++m_over;
    m_toEvent.add(now - keyOutcome.due.at());
    checkFinished();
}

/// Reads the remaining keys, to confirm that they are gone.
void ExpiryMeter::readUnreportedKeys()
{
    for (int key = 0; key < static_cast<int>(m_outcomes.size()); ++key) {
        const KeyOutcome &keyOutcome = m_outcomes[static_cast<std::size_t>(key)];
        if (keyOutcome.kind != Kind::Ending || keyOutcome.isOver || Plan::isRead(key))
            continue;
        ++m_silent;
        m_toRead.emplace(keyOutcome.due.at(), key);
    }
    scheduleRead();
}

void ExpiryMeter::checkFinished()
{
    if (!m_isWriterGone || m_asked < m_written || m_isMeasuring || m_isInspecting || !m_keysToInspect.empty()
        || m_isAskingFields || !m_toAskFields.empty() || m_isOver)
        return;
    if (m_over < m_ending) {
        if (m_receivesEvents && !m_timeout.isActive() && m_silent == 0)
            m_timeout.start(std::chrono::ceil<milliseconds>(
                std::max(m_lastDue - m_clock.now(), std::chrono::nanoseconds(0)) + notificationTimeout));
        return;
    }
    m_isOver = true;
    m_timeout.stop();
    Q_EMIT finished();
}

void ExpiryMeter::fail(const base::Error &error)
{
    if (std::exchange(m_isOver, true))
        return;
    Q_EMIT failed(error);
}

} // namespace latchkey::lab
