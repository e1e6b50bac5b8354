#include "core/keyspace/valuereader.h"

#include "core/keyspace/valuepreviews.h"

namespace latchkey::keyspace {

using keys::KeyId;
using keys::KeyType;
using resp::Commands;
using resp::Connection;
using resp::Replies;
using namespace std::chrono_literals;

namespace {

constexpr auto timeout = 30s;

} // namespace

ValueReader::ValueReader(rows::RowStore &store, QObject *parent)
    : QObject(parent)
    , m_store(store)
{}

ValueReader::~ValueReader() = default;

void ValueReader::stop()
{
    ++m_run;
    m_isReading = false;
    m_wanted.clear();
}

void ValueReader::read(Connection &connection, const std::vector<KeyId> &ids, What what)
{
    if (m_isReading || ids.empty())
        return;
    m_connection = &connection;
    m_what = what;
    m_isReading = true;
    m_wanted.clear();
    const keys::KeyTable &table = m_store.table();
    Commands types;
    for (const KeyId id : ids) {
        // By key, not by id: the id may be another key's when the answer comes.
        m_wanted.push_back({base::Key(table.key(id).toByteArray()), table.type(id)});
        if (table.type(id) == KeyType::Unknown)
            types.push_back(resp::type(m_wanted.back().key));
    }
    if (types.empty())
        readValues();
    else
        send(types, [this](const Replies &replies) { typesRead(replies); });
}

void ValueReader::send(const Commands &commands, std::function<void(const Replies &)> handle)
{
    if (!m_connection)
        return stop();
    m_commandsSent += commands.size();
    m_connection->send(commands, timeout,
                       [alive = QPointer<ValueReader>(this), run = m_run,
                        handle = std::move(handle)](const base::Result<Connection::Delivery> &outcome) {
                           if (!alive || alive->m_run != run)
                               return;
                           if (outcome)
                               handle(outcome->replies);
                           else
                               alive->stop();
                       });
}

void ValueReader::typesRead(const Replies &replies)
{
    auto reply = replies.begin();
    for (Wanted &wanted : m_wanted) {
        if (wanted.type != KeyType::Unknown)
            continue;
        wanted.type = reply->isError() ? KeyType::Other : keyTypeFrom(reply->bytes());
        ++reply;
        m_store.observeType(wanted.key.bytes(), wanted.type);
    }
    readValues();
}

void ValueReader::readValues()
{
    Commands commands;
    if (m_what == What::Values) {
        for (const Wanted &wanted : m_wanted) {
            for (resp::Command &command : previewCommands(wanted.key, wanted.type))
                commands.push_back(std::move(command));
        }
    }
    if (commands.empty())
        finish();
    else
        send(commands, [this](const Replies &replies) { valuesRead(replies); });
}

void ValueReader::valuesRead(const Replies &replies)
{
    std::size_t next = 0;
    for (const Wanted &wanted : m_wanted) {
        const std::size_t count = previewCommands(wanted.key, wanted.type).size();
        const auto own = std::span(replies).subspan(next, count);
        next += count;
        // It may hold something else by now, whose preview is read the next time.
        if (const KeyType type = own.front().isError() ? KeyType::Unknown : keyTypeFrom(own.front().bytes());
            type != KeyType::Unknown)
            m_store.observeType(wanted.key.bytes(), type);
        if (auto preview = previewFrom(wanted.type, own))
            m_store.observeValue(wanted.key.bytes(), std::move(*preview));
    }
    finish();
}

void ValueReader::finish()
{
    m_isReading = false;
    m_wanted.clear();
    Q_EMIT finished();
}

} // namespace latchkey::keyspace
