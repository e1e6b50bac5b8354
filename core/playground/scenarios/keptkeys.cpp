#include "core/playground/scenarios/keptkeys.h"

#include <algorithm>

namespace latchkey::scenarios {

using exchange::Exchange;
using exchange::Request;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// Time by which two readings of one TTL may differ; much shorter than a lease in a story.
constexpr milliseconds readingDifference = 30s;

resp::Command withKey(const char *command, const QByteArray &key)
{
    return {command, key};
}

resp::Command restore(const ServerKeys::Key &key)
{
    const qint64 left = key.left ? key.left->count() : 0; // 0: no TTL.
    return {"RESTORE", key.key.bytes(), QByteArray::number(left), key.dump};
}

} // namespace

ServerKeys KeptKeys::before(std::size_t step) const
{
    const auto found = m_kept.find(step);
    return found == m_kept.end() ? ServerKeys() : found->second;
}

void KeptKeys::advance(milliseconds time)
{
    for (auto &[step, kept] : m_kept) {
        std::erase_if(kept.keys, [time](const ServerKeys::Key &key) { return key.left && *key.left <= time; });
        for (ServerKeys::Key &key : kept.keys) {
            if (key.left)
                *key.left -= time;
        }
    }
}

void KeptKeys::expire(const base::Key &key, int server, milliseconds left)
{
    for (auto &[step, kept] : m_kept) {
        if (kept.server != server)
            continue;
        std::erase_if(kept.keys, [&](const ServerKeys::Key &other) {
            return other.key == key && other.left && *other.left <= left + readingDifference;
        });
    }
}

Exchange<ServerKeys> readServerKeys(int server, std::vector<ExtendedTtls::ExtendedTtl> extended)
{
    ServerKeys all;
    all.server = server;
    const resp::Command everyKey {"KEYS", "*"};
    const resp::Reply names = co_await Request(everyKey, server);
    for (const resp::Reply &name : names.elements()) {
        ServerKeys::Key key;
        key.key = base::Key(name.bytes());
        const resp::Reply left = co_await Request(withKey("PTTL", name.bytes()), server);
        const resp::Reply dump = co_await Request(withKey("DUMP", name.bytes()), server);
        if (!dump.isBulk())
            continue; // The key has expired meanwhile.
        key.dump = dump.bytes();
        if (left.toInteger() >= 0)
            key.left = milliseconds(left.toInteger());
        const auto known = std::ranges::find_if(extended, [&](const ExtendedTtls::ExtendedTtl &other) {
            return other.server == server && other.key == key.key;
        });
        if (key.left && ExtendedTtls::isExtended(*key.left) && known != extended.end())
            key.left = known->left;
        all.keys.push_back(std::move(key));
    }
    co_return all;
}

Exchange<bool> replaceServerKeys(ServerKeys keys)
{
    const resp::Command flush {"FLUSHDB"};
    (void)co_await Request(flush, keys.server);
    for (const ServerKeys::Key &key : keys.keys) {
        (void)co_await Request(restore(key), keys.server);
    }
    co_return true;
}

Exchange<bool> deleteExpiringKeys(int server)
{
    const resp::Command everyKey {"KEYS", "*"};
    const resp::Reply names = co_await Request(everyKey, server);
    for (const resp::Reply &name : names.elements()) {
        const resp::Reply left = co_await Request(withKey("PTTL", name.bytes()), server);
        if (left.toInteger() >= 0) {
            (void)co_await Request(withKey("DEL", name.bytes()), server);
        }
    }
    co_return true;
}

} // namespace latchkey::scenarios
