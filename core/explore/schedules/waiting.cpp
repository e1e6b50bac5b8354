#include "core/explore/schedules/waiting.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace latchkey::schedules {

using resp::Command;
using resp::Commands;
using resp::exec;
using resp::multi;
using resp::Replies;
using resp::Reply;
using std::chrono::milliseconds;

namespace {

struct BlockingCommand
{
    const char *name;
    int timeout;  ///< Index of the timeout among the words; negative: from the end.
    qint64 units; ///< Unit of the timeout, in milliseconds.
    bool endsWithNullArray;
};

/// Blocking commands, as in the server's documentation.
constexpr std::array kinds {
    BlockingCommand {"BLPOP", -1, 1000, true},       BlockingCommand {"BRPOP", -1, 1000, true},
    BlockingCommand {"BLMPOP", 1, 1000, true},       BlockingCommand {"BLMOVE", -1, 1000, false},
    BlockingCommand {"BRPOPLPUSH", -1, 1000, false}, BlockingCommand {"BZPOPMIN", -1, 1000, true},
    BlockingCommand {"BZPOPMAX", -1, 1000, true},    BlockingCommand {"BZMPOP", 1, 1000, true},
    BlockingCommand {"WAIT", 2, 1, false},           BlockingCommand {"WAITAOF", 3, 1, false}};

/// Reads a timeout; 0: no limit. An unreadable number is left to the server.
void readTimeout(const QByteArray &word, qint64 units, BlockingWait &waiting)
{
    const double time = word.toDouble() * static_cast<double>(units);
    constexpr double maximum = 1e15; // Milliseconds; no server accepts that many.
    if (time > 0 && time < maximum)
        waiting.timeout = milliseconds(static_cast<qint64>(std::ceil(time)));
}

/// Handles XREAD and XREADGROUP, which block only with the option BLOCK.
std::optional<BlockingWait> waitingReader(const std::vector<QByteArray> &words)
{
    BlockingWait waiting;
    waiting.endsWithNullArray = true;
    bool waits = false;
    for (std::size_t i = 1; i + 1 < words.size(); ++i) {
        const QByteArray word = words[i].toUpper();
        if (word == "BLOCK") {
            waits = true;
            waiting.timeoutIndex = ++i;
            readTimeout(words[i], 1, waiting);
        } else if (word == "STREAMS") {
            waiting.isFromNow =
                std::find(words.begin() + static_cast<std::ptrdiff_t>(i), words.end(), "$") != words.end();
            break;
        } else if (word == "GROUP") {
            i += 2; // Skips the name of the group and of the consumer.
        } else if (word == "COUNT") {
            ++i;
        }
    }
    return waits ? std::optional(waiting) : std::nullopt;
}

} // namespace

bool BlockingWait::isTimeoutReply(const Reply &reply) const
{
    if (awaited.empty())
        return reply.isNil();
    const auto confirmed = reply.isArray() ? reply.elements() : Replies {reply};
    for (std::size_t i = 0; i < awaited.size() && i < confirmed.size(); ++i) {
        if (confirmed[i].isInteger() && confirmed[i].toInteger() < awaited[i])
            return true;
    }
    return false;
}

std::optional<BlockingWait> waitingOf(const Command &command)
{
    const auto &words = command.words();
    const QByteArray name = command.name().toUpper();
    if (name == "XREAD" || name == "XREADGROUP")
        return waitingReader(words);
    const auto *const kind =
        std::ranges::find_if(kinds, [&](const BlockingCommand &each) { return name == each.name; });
    if (kind == kinds.end())
        return std::nullopt;
    const auto at = kind->timeout < 0 ? static_cast<qsizetype>(words.size()) + kind->timeout : kind->timeout;
    if (at < 1 || at >= static_cast<qsizetype>(words.size()))
        return std::nullopt; // Too few words: the server refuses the command.
    BlockingWait waiting;
    waiting.timeoutIndex = static_cast<std::size_t>(at);
    waiting.endsWithNullArray = kind->endsWithNullArray;
    for (std::size_t i = 1; name.startsWith("WAIT") && i < waiting.timeoutIndex; ++i)
        waiting.awaited.push_back(words[i].toLongLong());
    readTimeout(words[waiting.timeoutIndex], kind->units, waiting);
    return waiting;
}

std::optional<BlockingWait> waitingOf(const Commands &commands)
{
    return commands.size() == 1 ? waitingOf(commands.front()) : std::nullopt;
}

std::optional<qint64> awaitedReplicas(const Command &command)
{
    const auto waiting = command.name().toUpper() == "WAIT" ? waitingOf(command) : std::nullopt;
    return waiting ? std::optional(waiting->awaited.front()) : std::nullopt;
}

Command withShortWait(const Command &command)
{
    const QByteArray name = command.name().toUpper();
    const bool isInMilliseconds = name.startsWith("XREAD") || name.startsWith("WAIT");
    return command.withWord(waitingOf(command)->timeoutIndex, isInMilliseconds ? "1" : "0.001");
}

Commands withoutWaiting(const Command &command)
{
    return {multi(), command, exec()};
}

Reply replyWithoutWaiting(const Replies &replies)
{
    const Reply &queued = replies.at(1);
    const auto &done = replies.at(2).elements();
    return queued.isError() || done.empty() ? queued : done.front();
}

} // namespace latchkey::schedules
