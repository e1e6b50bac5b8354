#include "core/keyspace/events/requestrefusals.h"

#include "core/redis/resp/servererror.h"

#include <algorithm>

namespace latchkey::events {

using base::ErrorKind;
using base::MonotonicTime;
using resp::Command;
using resp::Reply;
using Kind = Reply::Kind;
using namespace std::chrono_literals;

namespace {

constexpr std::array commandNames {"SCAN",   "PTTL", "TYPE",  "GETRANGE", "STRLEN", "HSCAN", "HLEN",
                                   "LRANGE", "LLEN", "SSCAN", "SCARD",    "ZRANGE", "ZCARD", "XLEN"};
/// Type of the reply to each of these commands.
constexpr std::array replyKinds {Kind::Array,   Kind::Integer, Kind::Status,  Kind::Bulk,    Kind::Integer,
                                 Kind::Array,   Kind::Integer, Kind::Array,   Kind::Integer, Kind::Array,
                                 Kind::Integer, Kind::Array,   Kind::Integer, Kind::Integer};
/// Returns the kind of request of a command; all commands after TYPE read values.
KeyRequest requestOf(std::size_t index)
{
    return keyRequests[std::min(index, keyRequests.size() - 1)];
}
/// Index of the type of value that each of these commands reads; -1: not a value.
constexpr std::array<qint8, commandNames.size()> valueTypes {-1, -1, -1, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5};
/// Time without a repetition after which a refusal for some keys is over.
constexpr auto keyRefusalHolds = 5s;

/// Returns whether the server may answer the same request for another key.
bool isOfTheKey(const base::Error &error, const Reply &reply)
{
    if (error.kind == ErrorKind::PermissionDenied)
        return reply.bytes().contains("access"); // Otherwise the command itself is forbidden.
    return error.kind == ErrorKind::ClusterRedirect || error.kind == ErrorKind::TryAgain;
}

} // namespace

std::optional<RequestRefusals::CommandIndex> RequestRefusals::indexOf(const Command &command)
{
    static_assert(commandNames.size() == commandCount);
    const QByteArray name = command.name();
    for (CommandIndex index = 0; index < commandNames.size(); ++index) {
        if (name == commandNames[index])
            return index;
    }
    return std::nullopt;
}

Kind RequestRefusals::replyKindOf(CommandIndex index)
{
    return replyKinds[index];
}

void RequestRefusals::grant(CommandIndex index, MonotonicTime at)
{
    ReplyRecord &record = m_records[index];
    record.good = at;
    record.isAnswered = true;
    if (!record.isOfTheKey || at - record.refusedAt > keyRefusalHolds)
        record.refusal.reset();
}

void RequestRefusals::refuse(CommandIndex index, const base::Error &error, const Reply &reply, MonotonicTime at)
{
    ReplyRecord &record = m_records[index];
    record.refusal = error;
    record.refusedAt = at;
    record.isOfTheKey = isOfTheKey(error, reply);
}

void RequestRefusals::reset()
{
    for (ReplyRecord &record : m_records) {
        record.refusal.reset();
        record.isAnswered = false;
    }
}

/// Returns whether values of another type than that of the command are read. Then the command's refusal concerns only
/// some keys.
bool RequestRefusals::isOtherTypeRead(std::size_t index) const
{
    if (valueTypes[index] < 0)
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

std::optional<RequestRefusals::Refusal> RequestRefusals::refusalOf(KeyRequest request) const
{
    std::optional<Refusal> found;
    std::optional<MonotonicTime> good; // Last good reply to any command of this kind of request.
    for (std::size_t index = 0; index < commandCount; ++index) {
        const ReplyRecord &record = m_records[index];
        if (requestOf(index) == request && record.good)
            good = std::max(good.value_or(*record.good), *record.good);
        if (requestOf(index) != request || !record.refusal)
            continue;
        if (!found || found->isOfSomeKeys)
            found = Refusal {*record.refusal, {}, record.isOfSomeKeys() || isOtherTypeRead(index)};
    }
    if (found)
        found->good = good;
    if (request == KeyRequest::Names && m_scanFailure && !found)
        found = Refusal {*m_scanFailure, m_records[0].good, false};
    return found;
}

} // namespace latchkey::events
