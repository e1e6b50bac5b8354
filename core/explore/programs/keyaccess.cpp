#include "core/explore/programs/keyaccess.h"

#include "core/explore/programs/tokenplaceholders.h"
#include "core/foundation/base/glob.h"

#include <algorithm>
#include <array>

namespace latchkey::programs {

namespace {

template<typename Names>
bool isAmong(const QByteArray &name, const Names &names)
{
    return std::ranges::find(names, name) != names.end();
}

/// Commands that write a value independent of the current one.
constexpr std::array overwriting {"SET",    "SETEX", "PSETEX", "GETSET", "MSET",     "MSETNX",  "HSET",
                                  "HMSET",  "LSET",  "ZADD",   "SETBIT", "SETRANGE", "RESTORE", "DEL",
                                  "UNLINK", "HDEL",  "GETDEL", "RENAME", "COPY"};
constexpr std::array scripts {"EVAL", "EVALSHA", "FCALL", "EVAL_RO", "EVALSHA_RO", "FCALL_RO"};
/// Commands that search the names of all keys.
constexpr std::array searching {"KEYS", "SCAN"};
/// Commands among these that count as a write even if the value stays equal.
constexpr std::array writingEqual {"SET", "SETEX", "PSETEX", "GETSET", "MSET", "HSET", "HMSET", "LSET"};
/// Commands that return nothing about the current value, or only whether it exists.
constexpr std::array unseeing {"SETEX",  "PSETEX", "MSET",    "HSET",       "HMSET",      "LSET",      "DEL",
                               "UNLINK", "EXPIRE", "PEXPIRE", "PERSIST",    "EXPIREAT",   "PEXPIREAT", "TOUCH",
                               "WATCH",  "TTL",    "PTTL",    "EXPIRETIME", "PEXPIRETIME"};
/// Commands that return the existence, type or length of the value, but not the value.
constexpr std::array readingProperty {"EXISTS", "TYPE", "STRLEN", "LLEN", "SCARD", "ZCARD", "HLEN", "XLEN", "OBJECT"};

bool hasWord(const resp::Command &command, const char *option)
{
    return std::any_of(command.words().begin() + 2, command.words().end(),
                       [option](const QByteArray &word) { return word.toUpper() == option; });
}

/// Returns whether the command, which has been executed, does not replace the content that another client may have
/// written: it succeeds only for a new key or element, adds to a number, moves the content to another key, or writes an
/// element that has the client's token in its name.
bool keepsContent(const QByteArray &key, const resp::Command &command)
{
    const QByteArray name = command.name().toUpper();
    const auto &words = command.words();
    if (name == "MSETNX" || (name == "RENAME" && words[1] == key))
        return true;
    if (name == "COPY")
        return words[1] == key || !hasWord(command, "REPLACE");
    if (name == "SET")
        return hasWord(command, "NX");
    if (name == "ZADD")
        return hasWord(command, "NX") || hasWord(command, "INCR") || isTokenName(words.back());
    if (name != "HSET" && name != "HMSET")
        return false;
    for (std::size_t field = 2; field < words.size(); field += 2) {
        if (!isTokenName(words[field]))
            return false;
    }
    return true;
}

/// Returns how a command that searches the names of keys uses this key.
races::ResourceAccess accessBySearch(const QByteArray &key, const resp::Command &command, const resp::Reply &reply)
{
    const auto &words = command.words();
    QByteArray pattern = command.name().toUpper() == "KEYS" ? words[1] : QByteArrayLiteral("*");
    for (std::size_t i = 2; i + 1 < words.size(); ++i) {
        if (words[i].toUpper() == "MATCH")
            pattern = words[i + 1];
    }
    races::ResourceAccess access;
    access.reads = base::Glob(pattern).matches(key);
    access.readsProperty = access.reads;
    const resp::Reply &names = reply.elements().size() == 2 && reply.elements().back().isArray()
                                 ? reply.elements().back()
                                 : reply; // SCAN returns a cursor and the names.
    access.readsAbsence = access.reads && std::ranges::none_of(names.elements(), [&key](const resp::Reply &found) {
                              return found.isBulk(key);
                          });
    return access;
}

} // namespace

races::ResourceAccess accessOf(const QByteArray &key, const resp::Command &command, const resp::Reply &reply,
                               bool hasChanged, const QByteArray &text, const races::KeyInfluence &influence)
{
    const auto &words = command.words();
    if (words.size() < 2 || reply.isError())
        return {};
    const QByteArray name = command.name().toUpper();
    if (isAmong(name, searching))
        return accessBySearch(key, command, reply);
    races::ResourceAccess access {influence.reads, influence.setsValue || hasChanged, influence.setsValue};
    access.readsProperty = isAmong(name, scripts) && influence.onlyCompares;
    if (std::find(words.begin() + 1, words.end(), key) == words.end()) // A script may contain its key names.
        return access;
    const bool getsOld = std::ranges::any_of(words, [](const QByteArray &word) { return word.toUpper() == "GET"; });
    access.writes = hasChanged || (isAmong(name, writingEqual) && (!reply.isNil() || name == "GETSET" || getsOld));
    const bool storesItsWord =
        isAmong(name, scripts) && !influence.isKnown && std::ranges::find(words, text) != words.end();
    const bool setsValue = influence.setsValue || (access.writes && (isAmong(name, overwriting) || storesItsWord));
    access.overwrites = setsValue && !keepsContent(key, command);
    access.writes = access.writes || access.overwrites;
    access.reads = !isAmong(name, unseeing) && (name != "SET" || getsOld);
    access.readsAbsence =
        isAmong(name, readingProperty) && (reply.isNil() || reply.isInteger(0) || reply.bytes() == "none");
    access.readsProperty = access.readsProperty || isAmong(name, readingProperty);
    return access;
}

} // namespace latchkey::programs
