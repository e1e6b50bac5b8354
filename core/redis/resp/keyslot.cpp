#include "core/redis/resp/keyslot.h"

#include <algorithm>
#include <array>

namespace latchkey::resp {

namespace {

constexpr std::array withoutKeys {
    "ACL",   "ASKING", "AUTH",       "CLIENT",  "CLUSTER",   "COMMAND",      "CONFIG",      "DBSIZE",   "DISCARD",
    "ECHO",  "EXEC",   "FLUSHALL",   "FLUSHDB", "HELLO",     "INFO",         "LATENCY",     "MODULE",   "MONITOR",
    "MULTI", "PING",   "PSUBSCRIBE", "PUBLISH", "PUBSUB",    "PUNSUBSCRIBE", "QUIT",        "READONLY", "ROLE",
    "SCAN",  "SCRIPT", "SELECT",     "SLOWLOG", "SUBSCRIBE", "TIME",         "UNSUBSCRIBE", "UNWATCH",  "WAIT"};
/// Commands whose arguments are all keys.
constexpr std::array onlyKeys {"DEL", "EXISTS", "MGET", "TOUCH", "UNLINK", "WATCH"};

bool isOneOf(const QByteArray &name, const auto &names)
{
    return std::ranges::any_of(names, [&name](const char *each) { return name == each; });
}

/// Returns the words from `first` on, at most `count`.
std::vector<QByteArray> wordsFrom(const Command &command, std::size_t first, std::size_t count)
{
    std::vector<QByteArray> found;
    for (std::size_t i = first; i < command.words().size() && found.size() < count; ++i)
        found.push_back(command.words()[i]);
    return found;
}

/// Updates a CRC-16 of the XMODEM type: polynomial 0x1021, initial value 0.
constexpr quint16 crc16(quint16 crc, quint8 byte)
{
    constexpr int bits = 8;
    constexpr quint16 polynomial = 0x1021;
    constexpr quint16 highest = 0x8000;
    crc = static_cast<quint16>(crc ^ (byte << bits));
    for (int bit = 0; bit < bits; ++bit)
        crc = static_cast<quint16>((crc & highest) != 0 ? (crc << 1) ^ polynomial : crc << 1);
    return crc;
}

} // namespace

int slotOf(QByteArrayView key)
{
    if (const qsizetype open = key.indexOf('{'); open >= 0) {
        if (const qsizetype close = key.indexOf('}', open); close > open + 1)
            key = key.sliced(open + 1, close - open - 1);
    }
    quint16 crc = 0;
    for (const char byte : key)
        crc = crc16(crc, static_cast<quint8>(byte));
    return crc % slotCount;
}

std::vector<QByteArray> keysOf(const Command &command)
{
    constexpr std::size_t behindName = 1;
    constexpr std::size_t behindSubcommand = 2;
    constexpr std::size_t behindCount = 3;

    const QByteArray name = command.name().toUpper();
    const auto &words = command.words();
    if (isOneOf(name, withoutKeys) || words.size() <= behindName)
        return {};
    if (command.callsScript()) {
        const int count = words.size() > behindSubcommand ? words[behindSubcommand].toInt() : 0;
        return wordsFrom(command, behindCount, static_cast<std::size_t>(std::max(count, 0)));
    }
    if (name == "OBJECT" || name == "MEMORY" || name == "DEBUG")
        return wordsFrom(command, behindSubcommand, 1);
    return wordsFrom(command, behindName, isOneOf(name, onlyKeys) ? words.size() : 1);
}

} // namespace latchkey::resp
