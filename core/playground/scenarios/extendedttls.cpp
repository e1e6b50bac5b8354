#include "core/playground/scenarios/extendedttls.h"

#include <algorithm>

namespace latchkey::scenarios {

using ExtendedTtl = ExtendedTtls::ExtendedTtl;
using exchange::Exchange;
using exchange::Request;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// Extended TTL; longer than any reader needs.
constexpr milliseconds more = 48h;
/// A key with a TTL above this one needs no extension.
constexpr milliseconds enough = 24h;

resp::Command allKeys()
{
    return {"KEYS", "*"};
}

resp::Command leftOf(const QByteArray &key)
{
    return {"PTTL", key};
}

resp::Command setLeft(const QByteArray &key, milliseconds left)
{
    return {"PEXPIRE", key, QByteArray::number(static_cast<qint64>(left.count()))};
}

} // namespace

void ExtendedTtls::observe(const QString &client, const resp::Command &command)
{
    const QByteArray name = command.name().toUpper();
    if (name == "WATCH")
        m_watching.insert(client);
    else if (name == "EXEC" || name == "DISCARD" || name == "UNWATCH" || name == "RESET")
        m_watching.remove(client);
}

void ExtendedTtls::advance(milliseconds time)
{
    for (ExtendedTtl &each : m_extended)
        each.left -= time; // If nothing is left, the key expires when its TTL is restored.
}

bool ExtendedTtls::isExtended(milliseconds left)
{
    return left > enough;
}

Exchange<std::vector<ExtendedTtl>> extendTtls(int servers, std::vector<ExtendedTtl> extended)
{
    std::vector<ExtendedTtl> now;
    for (int server = 0; server < servers; ++server) {
        const resp::Reply keys = co_await Request(allKeys(), server);
        for (const resp::Reply &each : keys.elements()) {
            const QByteArray key = each.bytes();
            const resp::Reply left = co_await Request(leftOf(key), server);
            if (!left.isInteger() || left.toInteger() <= 0)
                continue;
            const auto known = std::ranges::find_if(
                extended, [&](const ExtendedTtl &other) { return other.server == server && other.key.bytes() == key; });
            if (ExtendedTtls::isExtended(milliseconds(left.toInteger()))) {
                if (known != extended.end())
                    now.push_back(*known);
                continue;
            }
            now.push_back({base::Key(key), server, milliseconds(left.toInteger())});
            (void)co_await Request(setLeft(key, more), server);
        }
    }
    co_return now;
}

Exchange<bool> restoreTtls(std::vector<ExtendedTtl> extended)
{
    for (const ExtendedTtl &each : extended) {
        (void)co_await Request(setLeft(each.key.bytes(), each.left), each.server);
    }
    co_return true;
}

} // namespace latchkey::scenarios
