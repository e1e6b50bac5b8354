#include "core/explore/races/writedetector.h"

#include "core/explore/races/snapshotscripts.h"

#include <algorithm>
#include <array>

namespace latchkey::races {

using base::failure;
using base::Result;
using resp::Command;
using resp::Commands;
using resp::Reply;

namespace {

/// Number of other values and expiries with which a command is executed: a larger one and a smaller one.
constexpr int changes = 2;
constexpr int maxElements = 16; ///< Maximum number of changed elements of a collection.
constexpr int maxBits = 256;    ///< Maximum number of changed bits of a string.

/// Commands that neither write a key nor reply with its value.
constexpr std::array unrelated {"ECHO",  "PING",      "TIME",  "PUBLISH",   "MULTI",   "EXEC",
                                "WATCH", "SUBSCRIBE", "WATCH", "UNWATCH",   "DISCARD", "UNSUBSCRIBE",
                                "WAIT",  "WAITAOF",   "TYPE",  "PSUBSCRIBE"};
/// Commands that only read.
constexpr std::array reading {"GET",     "MGET",   "EXISTS",    "TTL",   "PTTL",   "STRLEN", "HGET",
                              "HGETALL", "HMGET",  "HEXISTS",   "ZRANK", "ZRANGE", "ZSCORE", "ZCARD",
                              "LRANGE",  "LLEN",   "LINDEX",    "SCARD", "DUMP",   "OBJECT", "SMEMBERS",
                              "HKEYS",   "ZCOUNT", "SISMEMBER", "HLEN",  "HVALS",  "GETBIT", "GETRANGE"};

bool isAmong(const QByteArray &name, std::span<const char *const> names)
{
    return std::ranges::any_of(names, [&](const char *each) { return name == each; });
}

bool isScript(const Command &command)
{
    return command.callsScript() || command.name().toUpper().startsWith("FCALL");
}

bool failed(const Reply &reply)
{
    return reply.isError() || std::ranges::any_of(reply.elements(), failed);
}

/// Returns whether the reply, or one of its elements, is the text.
bool contains(const Reply &reply, const QByteArray &text)
{
    return reply.isBulk(text) || (reply.isInteger() && QByteArray::number(reply.toInteger()) == text)
        || std::ranges::any_of(reply.elements(), [&text](const Reply &each) { return contains(each, text); });
}

/// Returns whether the command may write some bits of a string and keep the others.
bool mayWriteBits(const Commands &commands)
{
    return std::ranges::any_of(commands, [](const Command &command) {
        return std::ranges::any_of(command.words(), [](const QByteArray &word) {
            const QByteArray upper = word.toUpper();
            return upper.contains("SETRANGE") || upper.contains("SETBIT") || upper.contains("BITFIELD");
        });
    });
}

} // namespace

WriteDetector::WriteDetector(EffectCache &effectCache)
    : m_effectCache(effectCache)
{}

/// Returns whether a command can read or write the key. The keys of a script may be inside its source.
bool WriteDetector::mayConcern(const Target &target) const
{
    return std::ranges::any_of(m_effectCache.commands(target.command), [&](const Command &command) {
        const auto &words = command.words();
        return isScript(command)
            || (!isAmong(command.name().toUpper(), unrelated) && !isAmong(command.name().toUpper(), reading)
                && std::ranges::find(words, target.key) != words.end());
    });
}

/// Returns whether a script may read the key, which does not exist: the name, or its beginning, is in the source or in
/// an argument.
bool WriteDetector::mayReadAbsence(const Target &target) const
{
    const qsizetype separator = target.key.lastIndexOf(':');
    const QByteArray name = separator < 0 ? target.key : target.key.first(separator + 1);
    return std::ranges::any_of(m_effectCache.commands(target.command), [&](const Command &command) {
        return isScript(command)
            && std::ranges::any_of(command.words(), [&name](const QByteArray &word) { return word.contains(name); });
    });
}

Result<KeyInfluence> WriteDetector::influence(SnapshotId from, int conversationId, CommandId command,
                                              const QByteArray &key)
{
    const Target target {from, conversationId, command, key};
    if (const auto known = m_influences.constFind(target); known != m_influences.cend())
        return *known;
    const auto effect = m_effectCache.execute(from, conversationId, command);
    if (!effect)
        return failure(effect.error());
    const bool exists =
        m_effectCache.snapshot(from).find(key) != nullptr || m_effectCache.snapshot(effect->after).find(key) != nullptr;
    Result<KeyInfluence> influence;
    if (!m_effectCache.reply(effect->reply).isError() && (exists ? mayConcern(target) : mayReadAbsence(target)))
        influence = measureInfluence(target, *effect);
    if (influence && !exists)
        influence->setsValue = false; // A deletion of no key.
    if (influence)
        m_influences.insert(target, *influence);
    return influence;
}

Result<bool> WriteDetector::sets(SnapshotId from, int conversationId, CommandId command, const QByteArray &key)
{
    const Target target {from, conversationId, command, key};
    if (const auto known = m_sets.constFind(target); known != m_sets.cend())
        return *known;
    const auto influenced = influence(from, conversationId, command, key);
    if (!influenced)
        return failure(influenced.error());
    const auto effect = m_effectCache.execute(from, conversationId, command);
    if (!effect)
        return failure(effect.error());
    Result<bool> isSet = influenced->setsValue;
    if (!*isSet && mayConcern(target) && !m_effectCache.reply(effect->reply).isError())
        isSet = setsExpiry(target, *effect);
    if (isSet)
        m_sets.insert(target, *isSet);
    return isSet;
}

Result<KeyInfluence> WriteDetector::measureInfluence(const Target &target, const Effect &effect)
{
    KeyInfluence influence {true, false, true, false};
    std::vector<ReplyId> replies;
    for (int number = 1; number <= changes; ++number) {
        const auto tried = trial(target, effect, "value", number);
        if (!tried)
            return failure(tried.error());
        influence.setsValue = influence.setsValue && tried->isPossible && !tried->hasFailed && tried->hasSameValue;
        influence.reads = influence.reads || (tried->isPossible && !tried->hasSameReply);
        influence.returnsValue = influence.returnsValue && tried->isPossible && tried->returnsValue;
        influence.isKnown = influence.isKnown || (tried->isPossible && !tried->hasFailed);
        if (tried->isPossible && !tried->hasFailed)
            replies.push_back(tried->reply);
    }
    influence.onlyCompares = replies.size() == changes && std::ranges::count(replies, replies.front()) == changes;
    if (!influence.setsValue && influence.isKnown) {
        const auto isPartSet = setsPart(target, effect);
        if (!isPartSet)
            return failure(isPartSet.error());
        influence.setsValue = *isPartSet;
    }
    return influence;
}

/// Returns whether the command sets an element or a bit that exists afterwards, and keeps the others.
Result<bool> WriteDetector::setsPart(const Target &target, const Effect &effect)
{
    const SnapshotKey *after = m_effectCache.snapshot(effect.after).find(target.key);
    if (after == nullptr || (after->type == "string" && !mayWriteBits(m_effectCache.commands(target.command))))
        return false;
    const int maximum = after->type == "string" ? maxBits : maxElements;
    for (int number = 1; number <= maximum; ++number) {
        const auto tried = trial(target, effect, "part", number);
        if (!tried)
            return failure(tried.error());
        if (!tried->isPossible || (!tried->hasFailed && tried->hasSameValue))
            return tried->isPossible;
    }
    return false;
}

/// Returns whether the expiry afterwards is independent of the expiry before.
Result<bool> WriteDetector::setsExpiry(const Target &target, const Effect &effect)
{
    if (m_effectCache.snapshot(effect.after).find(target.key) == nullptr)
        return false;
    bool isSet = false;
    for (int number = 1; number <= changes; ++number) {
        const auto tried = trial(target, effect, "expiry", number);
        if (!tried)
            return failure(tried.error());
        if (!tried->isPossible)
            continue;
        if (tried->hasFailed || !tried->hasSameExpiry)
            return false;
        isSet = true;
    }
    return isSet;
}

Result<WriteDetector::Trial> WriteDetector::trial(const Target &target, const Effect &effect, const char *what,
                                                  int number)
{
    const auto other = varied(target, effect, what, number);
    if (!other)
        return failure(other.error());
    if (!*other)
        return Trial();
    const auto tried = m_effectCache.execute(**other, target.conversationId, target.command);
    if (!tried)
        return failure(tried.error());
    const SnapshotKey *wanted = m_effectCache.snapshot(effect.after).find(target.key);
    const SnapshotKey *got = m_effectCache.snapshot(tried->after).find(target.key);
    Trial result;
    result.isPossible = true;
    result.hasFailed = failed(m_effectCache.reply(tried->reply)) && !failed(m_effectCache.reply(effect.reply));
    result.hasSameValue = haveEqualValues(wanted, got);
    result.hasSameExpiry = wanted != nullptr && got != nullptr && wanted->lifetime == got->lifetime;
    result.hasSameReply = tried->reply == effect.reply;
    result.reply = tried->reply;
    const SnapshotKey *changed = m_effectCache.snapshot(**other).find(target.key);
    result.returnsValue =
        changed != nullptr && changed->type == "string" && contains(m_effectCache.reply(tried->reply), changed->text);
    return result;
}

/// Returns the snapshot with the changed key. Absent: there is no such change. The change begins with the key as it is
/// after the command, so that it includes the parts that the command adds.
Result<std::optional<SnapshotId>> WriteDetector::varied(const Target &target, const Effect &effect, const char *what,
                                                        int number)
{
    Snapshot changed = m_effectCache.snapshot(target.from);
    const auto connections = changed.connections;
    changed.connections.clear();
    const SnapshotKey *after = m_effectCache.snapshot(effect.after).find(target.key);
    if (after != nullptr && QByteArrayView(what) != "expiry") {
        std::erase_if(changed.keys, [&](const SnapshotKey &state) { return state.key == target.key; });
        changed.keys.insert(std::ranges::lower_bound(changed.keys, target.key, {}, &SnapshotKey::key), *after);
    }
    const SnapshotId unchanged = m_effectCache.number(std::move(changed));
    const auto made =
        m_effectCache.execute(unchanged, noClient, m_effectCache.number(varyingCommand(target.key, what, number)));
    if (!made)
        return failure(made.error());
    if (m_effectCache.reply(made->reply).toInteger() != 1 || made->after == unchanged)
        return std::nullopt;
    Snapshot other = m_effectCache.snapshot(made->after);
    other.connections = connections;
    return m_effectCache.number(std::move(other));
}

} // namespace latchkey::races
