#include "core/keyspace/watching/valuereader.h"

#include "core/redis/resp/servererror.h"

#include <algorithm>

namespace latchkey::watching {

using base::Deadline;
using keys::KeyType;
using net::Connection;
using resp::Commands;
using resp::Reply;
using namespace std::chrono_literals;

namespace {

constexpr auto valueTimeout = 30s;

/// Maximum number of tries; then the last answer is used although the expiry changed between two requests.
constexpr int maxTries = 3;

/// Server memory in bytes up to which a collection is read whatever its elements.
constexpr qint64 maxWholeBytes = 1024LL * 1024;
/// Average element length in bytes up to which a larger collection is read.
constexpr qint64 maxElementLength = 64LL * 1024;
/// Number of elements that MEMORY USAGE samples: all of a small collection, in which one element matters.
constexpr int samples = 128;
/// Maximum number of suspects; batches are smaller.
constexpr qsizetype maxSuspects = 10'000;

/// Read size of a heavy collection.
constexpr ReadSize onlyLength {.bytes = 256, .elements = 0};

bool isRefusal(const Reply &reply)
{
    return reply.isError() && resp::serverError(reply).kind == base::ErrorKind::PermissionDenied;
}

} // namespace

ReadSize ValueReader::ValueRequest::readSize() const
{
    return isHeavy ? onlyLength : ReadSize();
}

ValueReader::ValueReader(const keys::KnownKeys &known, const events::ObservationDispatcher &dispatcher, QObject *parent)
    : QObject(parent)
    , m_known(known)
    , m_dispatcher(dispatcher)
{}

ValueReader::~ValueReader() = default;

void ValueReader::stop()
{
    m_requests.reset();
    m_isReading = false;
    m_wanted.clear();
}

void ValueReader::read(Connection &connection, const std::vector<QByteArray> &names, Part what, events::Source source)
{
    if (m_isReading || names.empty())
        return;
    if (m_requests.connection() != &connection)
        m_isWeighingDenied = m_isIdleTimeDenied = false;
    m_requests.use(&connection);
    m_what = what;
    m_source = source;
    m_triesLeft = maxTries;
    m_isReading = true;
    m_readCount = 0;
    m_wanted.clear();
    Commands types;
    for (const QByteArray &name : names) {
        const auto known = m_known.table.find(name);
        m_wanted.push_back({base::Key(name), known ? m_known.table.type(*known) : KeyType::Unknown});
        if (m_wanted.back().type == KeyType::Unknown)
            types.push_back(resp::type(m_wanted.back().key));
    }
    if (types.empty())
        requestIdleTimes();
    else
        send(types, [this](const Connection::Delivery &delivery) { typesRead(delivery); });
}

void ValueReader::send(const Commands &commands, std::function<void(const Connection::Delivery &)> handle)
{
    if (m_requests.connection() == nullptr)
        return stop();
    m_spent += m_costs == nullptr ? budget::CommandCost {static_cast<double>(commands.size()), 0}
                                  : m_costs->estimate(commands);
    m_requests.send(commands, valueTimeout,
                    [this, handle = std::move(handle)](const base::Result<Connection::Delivery> &outcome) {
                        if (outcome)
                            return handle(*outcome);
                        if (outcome.error().kind == base::ErrorKind::Local) // The answer was too large to accept.
                            suspect();
                        stop();
                    });
}

/// Marks all collections of the batch as suspects: the answer to one of them was too large, and it is unknown which.
void ValueReader::suspect()
{
    for (const ValueRequest &wanted : m_wanted) {
        if (isCollection(wanted.type) && m_suspects.size() < maxSuspects)
            m_suspects.insert(wanted.key.bytes());
    }
}

void ValueReader::typesRead(const Connection::Delivery &delivery)
{
    events::Observations observations;
    auto reply = delivery.replies.begin();
    for (ValueRequest &wanted : m_wanted) {
        if (wanted.type != KeyType::Unknown)
            continue;
        wanted.type = keyTypeFrom(*reply);
        ++reply;
        if (wanted.type != KeyType::Unknown)
            observations.push_back(
                {wanted.key.bytes(), events::TypeReply {wanted.type}, delivery.sent, delivery.received, m_source});
    }
    m_dispatcher.deliver(observations);
    requestIdleTimes();
}

/// Returns whether a collection must be weighed. A collection that was read before without an error is treated as
/// light, unless it is a suspect.
bool ValueReader::isToBeWeighed(const ValueRequest &wanted) const
{
    if (!isCollection(wanted.type))
        return false;
    if (m_suspects.contains(wanted.key.bytes()))
        return true;
    const auto id = m_known.table.find(wanted.key.bytes());
    const keys::RawValue *value = id ? m_known.value(*id) : nullptr;
    return value == nullptr || value->type != wanted.type || (value->size > 0 && value->parts.isEmpty());
}

/// Returns whether the idle time of the key is requested. It is requested only for a key that does not end, because the
/// TTL of any other key shows its age. The request precedes the first read of the value, because the read counts as a
/// use.
bool ValueReader::isIdleTimeNeeded(const ValueRequest &wanted) const
{
    if (!m_asksIdleTimes || m_isIdleTimeDenied)
        return false;
    const auto id = m_known.table.find(wanted.key.bytes());
    return id && m_known.table.deadline(*id).isNever() && m_known.value(*id) == nullptr;
}

void ValueReader::requestIdleTimes()
{
    Commands commands;
    std::vector<std::size_t> which;
    for (std::size_t i = 0; m_what == Part::Values && i < m_wanted.size(); ++i) {
        if (!isIdleTimeNeeded(m_wanted[i]))
            continue;
        which.push_back(i);
        commands.push_back(resp::idleTime(m_wanted[i].key));
    }
    if (which.empty())
        weigh();
    else
        send(commands, [this, which](const Connection::Delivery &delivery) { idleTimesReceived(which, delivery); });
}

void ValueReader::idleTimesReceived(const std::vector<std::size_t> &which, const Connection::Delivery &delivery)
{
    events::Observations observations;
    auto reply = delivery.replies.begin();
    for (const std::size_t i : which) {
        m_isIdleTimeDenied = m_isIdleTimeDenied || reply->isError();
        if (const auto idle = events::idleTimeFrom(*reply))
            observations.push_back({m_wanted[i].key.bytes(), *idle, delivery.sent, delivery.received, m_source});
        ++reply;
    }
    m_dispatcher.deliver(observations);
    weigh();
}

void ValueReader::weigh()
{
    Commands commands;
    std::vector<std::size_t> which;
    for (std::size_t i = 0; m_what == Part::Values && i < m_wanted.size(); ++i) {
        const ValueRequest &wanted = m_wanted[i];
        const bool isSuspect = m_suspects.contains(wanted.key.bytes());
        if (!isToBeWeighed(wanted) || (m_isWeighingDenied && !isSuspect))
            continue;
        which.push_back(i);
        commands.push_back(lengthCommand(wanted.key, wanted.type));
        commands.push_back({QByteArrayLiteral("MEMORY"), QByteArrayLiteral("USAGE"), wanted.key.bytes(),
                            QByteArrayLiteral("SAMPLES"), QByteArray::number(samples)});
    }
    if (commands.empty())
        readValues();
    else
        send(commands, [this, which](const Connection::Delivery &delivery) { weighed(which, delivery); });
}

bool ValueReader::isHeavy(const ValueRequest &wanted, const Reply &usage) const
{
    const bool isSuspect = m_suspects.contains(wanted.key.bytes());
    if (!usage.isInteger())
        return isSuspect; // The server does not report the memory.
    if (usage.toInteger() <= maxWholeBytes)
        return false;
    return isSuspect || usage.toInteger() / std::max<qint64>(1, wanted.length) > maxElementLength;
}

void ValueReader::weighed(const std::vector<std::size_t> &which, const Connection::Delivery &delivery)
{
    auto reply = delivery.replies.begin();
    for (const std::size_t i : which) {
        ValueRequest &wanted = m_wanted[i];
        wanted.length = reply->isInteger() ? reply->toInteger() : 0;
        ++reply;
        m_isWeighingDenied = m_isWeighingDenied || reply->isError();
        wanted.isHeavy = isHeavy(wanted, *reply);
        if (!wanted.isHeavy && reply->isInteger())
            m_suspects.remove(wanted.key.bytes()); // The collection is not heavy, or not any more.
        ++reply;
    }
    readValues();
}

Commands ValueReader::commandsFor(const ValueRequest &wanted)
{
    Commands commands {resp::pttl(wanted.key)};
    for (resp::Command &command : valueCommands(wanted.key, wanted.type, wanted.readSize()))
        commands.push_back(std::move(command));
    commands.push_back(resp::pttl(wanted.key));
    return commands;
}

void ValueReader::readValues()
{
    Commands commands;
    if (m_what == Part::Values) {
        for (const ValueRequest &wanted : m_wanted) {
            for (resp::Command &command : commandsFor(wanted))
                commands.push_back(std::move(command));
        }
    }
    if (commands.empty())
        finish();
    else
        send(commands, [this](const Connection::Delivery &delivery) { valuesRead(delivery); });
}

bool ValueReader::learn(const ValueRequest &wanted, std::span<const Reply> replies,
                        const Connection::Delivery &delivery, events::Observations &observations) const
{
    const auto addObservation = [&](events::ObservationContent content) {
        observations.push_back({wanted.key.bytes(), std::move(content), delivery.sent, delivery.received, m_source});
    };
    const auto existence = [&](const Reply &left) {
        return left.isInteger() ? events::existenceFrom(left.toInteger(), delivery.sent, delivery.received)
                                : events::ObservationContent(
                                      events::ExistsOnly {}); // PTTL may be denied although reads are permitted.
    };
    const events::ObservationContent before = existence(replies.front());
    const events::ObservationContent after = existence(replies.back());
    const auto *endBefore = std::get_if<events::Exists>(&before);
    const auto *endAfter = std::get_if<events::Exists>(&after);
    const bool isOneHold = endBefore != nullptr && endAfter != nullptr
                             ? endBefore->deadline.agreesWith(endAfter->deadline)
                             : before.index() == after.index();
    if (!isOneHold && m_triesLeft > 0)
        return false;
    if (std::ranges::all_of(replies, isRefusal)) { // The user may not read the key at all.
        addObservation(events::AccessDenied {});
        return true;
    }
    if (!std::holds_alternative<events::ExistsOnly>(after))
        addObservation(after);
    const auto value = replies.subspan(1, replies.size() - 2);
    if (!value.front().isError()) {
        if (const KeyType type = keys::keyTypeFrom(value.front().bytes()); type != KeyType::Unknown)
            addObservation(events::TypeReply {type});
    }
    if (auto read = valueFrom(wanted.type, value, wanted.readSize()))
        addObservation(events::ValueReply {std::move(*read)});
    return true;
}

void ValueReader::valuesRead(const Connection::Delivery &delivery)
{
    --m_triesLeft;
    events::Observations observations;
    std::vector<ValueRequest> again;
    bool isTypeChanged = false;
    std::size_t next = 0;
    for (ValueRequest &wanted : m_wanted) {
        const std::size_t count = valueCommands(wanted.key, wanted.type, wanted.readSize()).size() + 2;
        const auto own = std::span(delivery.replies).subspan(next, count);
        next += count;
        const Reply &typed = own[1];
        const KeyType type = typed.isError() ? KeyType::Unknown : keys::keyTypeFrom(typed.bytes());
        if (type != KeyType::Unknown && type != wanted.type && m_triesLeft > 0) {
            again.push_back({wanted.key, type});
            isTypeChanged = true;
        } else if (!learn(wanted, own, delivery, observations)) {
            again.push_back(wanted);
        } else {
            noteOutcome(wanted, own);
        }
    }
    m_dispatcher.deliver(observations);
    m_wanted = std::move(again);
    if (m_wanted.empty())
        finish();
    else if (isTypeChanged)
        weigh();
    else
        readValues();
}

/// Counts a value that was read, or reports one that was refused. The replies begin and end with that to PTTL.
void ValueReader::noteOutcome(const ValueRequest &wanted, std::span<const Reply> replies)
{
    const auto value = replies.subspan(1, replies.size() - 2);
    if (replies.back().isInteger() && replies.back().toInteger() == -2)
        return; // The key is gone.
    if (std::ranges::any_of(value, isRefusal))
        Q_EMIT refused(wanted.key.bytes());
    else if (std::ranges::none_of(value, &Reply::isError))
        ++m_readCount;
}

void ValueReader::finish()
{
    m_isReading = false;
    m_wanted.clear();
    Q_EMIT finished();
}

} // namespace latchkey::watching
