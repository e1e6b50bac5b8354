#include "core/keyspace/scanner.h"

#include "core/keyspace/valuepreviews.h"
#include "core/resp/servererror.h"

namespace latchkey::keyspace {

using base::Deadline;
using base::ErrorKind;
using keys::KeyId;
using resp::Command;
using resp::Connection;
using resp::Reply;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

constexpr auto timeout = 30s;
/// Keys are asked about this many at a time, all on their way at once: the server begins with the first while the rest
/// are being written, and nobody waits long for the event loop while their answers are taken in.
constexpr std::size_t portion = 250;
/// This many keys ahead, the store is told which comes next.
constexpr std::size_t lookAhead = 8;

} // namespace

Scanner::Scanner(rows::RowStore &store, QObject *parent)
    : QObject(parent)
    , m_store(store)
{}

Scanner::~Scanner() = default;

void Scanner::begin(Connection &connection, const Options &options)
{
    ++m_run;
    m_connection = &connection;
    m_options = options;
    m_cursor = "0";
    m_isRunning = true;
    m_isScanning = false;
    m_atEnd = false;
    m_batchesAsked = 0;
    m_keysMet = 0;
    m_commandsSent = 0;
    m_isIncomplete = false;
    m_denial.reset();
    if (options.pace == Pace::AsFastAsPossible)
        scan();
}

void Scanner::stop()
{
    ++m_run;
    m_isRunning = false;
}

void Scanner::step()
{
    if (canStep())
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
    if (!m_connection)
        return fail({ErrorKind::ConnectionLost, QStringLiteral("the connection is closed")});
    m_commandsSent += commands.size();
    m_connection->send(commands, timeout,
                       [alive = QPointer<Scanner>(this), run = m_run,
                        handle = std::move(handle)](const base::Result<Connection::Delivery> &outcome) {
                           if (!alive || alive->m_run != run)
                               return;
                           if (outcome)
                               handle(*outcome);
                           else
                               alive->fail(outcome.error());
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
            {ErrorKind::Protocol, QStringLiteral("the server's answer to SCAN is not one (%1)").arg(reply.toText())});
    m_isScanning = false;
    m_cursor = parts[0].bytes();
    m_atEnd = m_cursor == "0";
    // The next one first: the server can work on it while we digest this one.
    if (m_options.pace == Pace::AsFastAsPossible && !m_atEnd)
        scan();
    if (!m_isRunning)
        return;

    // Asked about anyway, a key is marked when its answer comes.
    const bool asksAboutAll = m_options.pace == Pace::AsFastAsPossible;
    m_keysMet += parts[1].elements().size();
    qsizetype room = std::max<qsizetype>(0, m_options.mostKeys - m_store.table().size());
    Keys keys;
    keys.reserve(portion);
    for (const Reply &key : parts[1].elements()) {
        if (!asksAboutAll && m_store.mark(key.bytes(), m_options.mark))
            continue;
        if (room == 0) {
            m_isIncomplete = true;
            continue;
        }
        --room;
        keys.push_back(key.bytes());
        if (keys.size() < portion)
            continue;
        ask(std::exchange(keys, {}));
        if (!m_isRunning)
            return; // The connection ended over it.
        keys.reserve(portion);
    }
    if (!keys.empty())
        ask(std::move(keys));
    finishIfDone();
}

void Scanner::ask(Keys keys)
{
    resp::Commands commands;
    commands.reserve(keys.size() * (m_options.readsTypes ? 2 : 1));
    for (const QByteArray &key : keys)
        commands.push_back({QByteArrayLiteral("PTTL"), key});
    if (m_options.readsTypes) {
        for (const QByteArray &key : keys)
            commands.push_back({QByteArrayLiteral("TYPE"), key});
    }
    ++m_batchesAsked;
    send(commands, [this, keys = std::move(keys)](const Connection::Delivery &delivery) { asked(keys, delivery); });
}

void Scanner::asked(const Keys &keys, const Connection::Delivery &delivery)
{
    --m_batchesAsked;
    std::vector<Sample> samples;
    samples.reserve(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (i + lookAhead < keys.size())
            m_store.expect(keys[i + lookAhead]);
        const Reply &left = delivery.replies[i];
        if (left.isError()) {
            if (!m_denial)
                m_denial = resp::serverError(left);
            continue;
        }
        if (!left.isInteger() || left.toInteger() < -1) { // Gone since the SCAN.
            m_store.observeGone(keys[i], delivery.received);
            continue;
        }
        const Deadline deadline =
            left.isInteger(-1) ? Deadline::never()
                               : Deadline::measured(milliseconds(left.toInteger()), delivery.sent, delivery.received);
        const KeyId id = m_store.observe(keys[i], deadline, delivery.received);
        m_store.mark(id, m_options.mark);
        if (m_options.readsTypes)
            m_store.observeType(keys[i], keyTypeFrom(delivery.replies[keys.size() + i].bytes()));
        samples.push_back({id, deadline});
    }
    Q_EMIT sampled(samples, delivery.received);
    finishIfDone();
}

void Scanner::fail(const base::Error &error)
{
    stop();
    Q_EMIT failed(error);
}

void Scanner::finishIfDone()
{
    if (!m_isRunning || !m_atEnd || m_isScanning || m_batchesAsked > 0)
        return;
    m_isRunning = false;
    Q_EMIT finished();
}

} // namespace latchkey::keyspace
