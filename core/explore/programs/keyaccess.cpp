#include "core/explore/programs/keyaccess.h"

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
constexpr std::array scripts {"EVAL", "EVALSHA", "FCALL"};
/// Commands among these that count as a write even if the value stays equal.
constexpr std::array writingEqual {"SET", "SETEX", "PSETEX", "GETSET", "MSET", "HSET", "HMSET", "LSET"};
/// Commands that return nothing about the current value, or only whether it exists.
constexpr std::array unseeing {"SETEX",  "PSETEX", "MSET",    "HSET",       "HMSET",      "LSET",      "DEL",
                               "UNLINK", "EXPIRE", "PEXPIRE", "PERSIST",    "EXPIREAT",   "PEXPIREAT", "TOUCH",
                               "WATCH",  "TTL",    "PTTL",    "EXPIRETIME", "PEXPIRETIME"};
/// Commands that return the existence, type or length of the value, but not the value.
constexpr std::array readingProperty {"EXISTS", "TYPE", "STRLEN", "LLEN", "SCARD", "ZCARD", "HLEN", "XLEN", "OBJECT"};

} // namespace

races::ResourceAccess accessOf(const QByteArray &key, const resp::Command &command, const resp::Reply &reply,
                               bool hasChanged, const QByteArray &text, const races::KeyInfluence &influence)
{
    const auto &words = command.words();
    if (words.size() < 2 || reply.isError())
        return {};
    if (std::find(words.begin() + 1, words.end(), key) == words.end()) // A script may contain its key names.
        return {influence.reads, influence.setsValue || hasChanged, influence.setsValue};
    const QByteArray name = command.name().toUpper();
    races::ResourceAccess access;
    const bool getsOld = std::ranges::any_of(words, [](const QByteArray &word) { return word.toUpper() == "GET"; });
    access.writes = hasChanged || (isAmong(name, writingEqual) && (!reply.isNil() || name == "GETSET" || getsOld));
    const bool storesItsWord =
        isAmong(name, scripts) && !influence.isKnown && std::ranges::find(words, text) != words.end();
    access.overwrites = influence.setsValue || (access.writes && (isAmong(name, overwriting) || storesItsWord));
    access.writes = access.writes || access.overwrites;
    access.reads = !isAmong(name, unseeing) && (name != "SET" || getsOld);
    access.readsProperty = isAmong(name, readingProperty);
    access.readsAbsence = access.readsProperty && (reply.isNil() || reply.isInteger(0) || reply.bytes() == "none");
    return access;
}

} // namespace latchkey::programs
