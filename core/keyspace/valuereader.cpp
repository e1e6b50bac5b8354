#include "core/keyspace/valuereader.h"

namespace latchkey::keyspace {

using base::Deadline;
using keys::KeyType;
using resp::Commands;
using resp::Connection;
using resp::Reply;
using namespace std::chrono_literals;

namespace {

constexpr auto timeout = 30s;

/// A key whose end changes between any two questions is shown as it was at the last one.
constexpr int mostTries = 3;

} // namespace

ValueReader::ValueReader(const keys::KnownKeys &known, const FanOut &fanOut, QObject *parent)
    : QObject(parent)
    , m_known(known)
    , m_fanOut(fanOut)
{}

ValueReader::~ValueReader() = default;

void ValueReader::stop()
{
    ++m_run;
    m_isReading = false;
    m_wanted.clear();
}

void ValueReader::read(Connection &connection, const std::vector<QByteArray> &names, What what, Source source)
{
    if (m_isReading || names.empty())
        return;
    m_connection = &connection;
    m_what = what;
    m_source = source;
    m_triesLeft = mostTries;
    m_isReading = true;
    m_wanted.clear();
    Commands types;
    for (const QByteArray &name : names) {
        const auto known = m_known.table.find(name);
        m_wanted.push_back({base::Key(name), known ? m_known.table.type(*known) : KeyType::Unknown});
        if (m_wanted.back().type == KeyType::Unknown)
            types.push_back(resp::type(m_wanted.back().key));
    }
    if (types.empty())
        readValues();
    else
        send(types, [this](const Connection::Delivery &delivery) { typesRead(delivery); });
}

void ValueReader::send(const Commands &commands, std::function<void(const Connection::Delivery &)> handle)
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
                               handle(*outcome);
                           else
                               alive->stop();
                       });
}

void ValueReader::typesRead(const Connection::Delivery &delivery)
{
    Observations observations;
    auto reply = delivery.replies.begin();
    for (Wanted &wanted : m_wanted) {
        if (wanted.type != KeyType::Unknown)
            continue;
        wanted.type = reply->isError() ? KeyType::Other : keys::keyTypeFrom(reply->bytes());
        ++reply;
        if (wanted.type != KeyType::Unknown)
            observations.push_back(
                {wanted.key.bytes(), Typed {wanted.type}, delivery.sent, delivery.received, m_source});
    }
    m_fanOut.hand(observations);
    readValues();
}

Commands ValueReader::commandsFor(const Wanted &wanted)
{
    Commands commands {resp::pttl(wanted.key)};
    for (resp::Command &command : valueCommands(wanted.key, wanted.type))
        commands.push_back(std::move(command));
    commands.push_back(resp::pttl(wanted.key));
    return commands;
}

void ValueReader::readValues()
{
    Commands commands;
    if (m_what == What::Values) {
        for (const Wanted &wanted : m_wanted) {
            for (resp::Command &command : commandsFor(wanted))
                commands.push_back(std::move(command));
        }
    }
    if (commands.empty())
        finish();
    else
        send(commands, [this](const Connection::Delivery &delivery) { valuesRead(delivery); });
}

bool ValueReader::learn(const Wanted &wanted, std::span<const Reply> replies, const Connection::Delivery &delivery,
                        Observations &observations) const
{
    const auto tell = [&](Knowledge what) {
        observations.push_back({wanted.key.bytes(), std::move(what), delivery.sent, delivery.received, m_source});
    };
    const auto existence = [&](const Reply &left) {
        return left.isInteger() ? existenceFrom(left.toInteger(), delivery.sent, delivery.received)
                                : Knowledge(Met {}); // PTTL may be denied where reading is not.
    };
    const Knowledge before = existence(replies.front());
    const Knowledge after = existence(replies.back());
    const auto *endBefore = std::get_if<Exists>(&before);
    const auto *endAfter = std::get_if<Exists>(&after);
    const bool isOneHold = endBefore != nullptr && endAfter != nullptr
                             ? endBefore->deadline.agreesWith(endAfter->deadline)
                             : before.index() == after.index();
    if (!isOneHold && m_triesLeft > 0)
        return false;
    if (!std::holds_alternative<Met>(after))
        tell(after);
    const auto value = replies.subspan(1, replies.size() - 2);
    // It may hold something else by now, which is read the next time.
    if (!value.front().isError()) {
        if (const KeyType type = keys::keyTypeFrom(value.front().bytes()); type != KeyType::Unknown)
            tell(Typed {type});
    }
    if (auto read = valueFrom(wanted.type, value))
        tell(Valued {std::move(*read)});
    return true;
}

void ValueReader::valuesRead(const Connection::Delivery &delivery)
{
    --m_triesLeft;
    Observations observations;
    std::vector<Wanted> again;
    std::size_t next = 0;
    for (const Wanted &wanted : m_wanted) {
        const std::size_t count = valueCommands(wanted.key, wanted.type).size() + 2;
        const auto own = std::span(delivery.replies).subspan(next, count);
        next += count;
        if (!learn(wanted, own, delivery, observations))
            again.push_back(wanted);
    }
    m_fanOut.hand(observations);
    m_wanted = std::move(again);
    if (m_wanted.empty())
        finish();
    else
        readValues();
}

void ValueReader::finish()
{
    m_isReading = false;
    m_wanted.clear();
    Q_EMIT finished();
}

} // namespace latchkey::keyspace
