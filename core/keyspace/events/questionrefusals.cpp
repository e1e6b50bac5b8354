#include "core/keyspace/events/questionrefusals.h"

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
/// Returns the question of a command; all commands after TYPE read values.
KeyQuestion questionOf(std::size_t place)
{
    return keyQuestions[std::min(place, keyQuestions.size() - 1)];
}
/// Index of the type of value that each of these commands reads; -1: not a value.
constexpr std::array<qint8, commandNames.size()> valueTypes {-1, -1, -1, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5};
/// Time without a repetition after which a refusal for some keys is over.
constexpr auto keyRefusalHolds = 5s;

/// Returns whether the same question about another key may be answered.
bool isOfTheKey(const base::Error &error, const Reply &reply)
{
    if (error.kind == ErrorKind::PermissionDenied)
        return reply.bytes().contains("access"); // Otherwise the command itself is forbidden.
    return error.kind == ErrorKind::ClusterRedirect || error.kind == ErrorKind::TryAgain;
}

} // namespace

std::optional<QuestionRefusals::Place> QuestionRefusals::placeOf(const Command &command)
{
    static_assert(commandNames.size() == commandCount);
    const QByteArray name = command.name();
    for (Place place = 0; place < commandNames.size(); ++place) {
        if (name == commandNames[place])
            return place;
    }
    return std::nullopt;
}

Kind QuestionRefusals::replyKindOf(Place place)
{
    return replyKinds[place];
}

void QuestionRefusals::grant(Place place, MonotonicTime at)
{
    ReplyRecord &record = m_records[place];
    record.good = at;
    record.isAnswered = true;
    if (!record.isOfTheKey || at - record.refusedAt > keyRefusalHolds)
        record.refusal.reset();
}

void QuestionRefusals::refuse(Place place, const base::Error &error, const Reply &reply, MonotonicTime at)
{
    ReplyRecord &record = m_records[place];
    record.refusal = error;
    record.refusedAt = at;
    record.isOfTheKey = isOfTheKey(error, reply);
}

void QuestionRefusals::reset()
{
    for (ReplyRecord &record : m_records) {
        record.refusal.reset();
        record.isAnswered = false;
    }
}

/// Returns whether values of another type than that of the command are read. Then the command's refusal concerns only
/// some keys.
bool QuestionRefusals::isOtherTypeRead(std::size_t place) const
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

std::optional<QuestionRefusals::Refusal> QuestionRefusals::refusalOf(KeyQuestion question) const
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

} // namespace latchkey::events
