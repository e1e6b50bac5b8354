#pragma once

#include "core/recipes/locks/compareform.h"
#include "core/redis/net/dialer.h"
#include "tests/support/testserver.h"

#include <algorithm>

namespace latchkey::test {

/// Returns the single command that the test servers have for comparing a token; Script if they have none. Valkey 9.0
/// and Redis 8.4 have such a command. Debian 12 and 13 package neither; LATCHKEY_REDIS_SERVER selects another server.
[[nodiscard]] inline locks::CompareForm singleCommandForm()
{
    const TestServer server;
    const auto dialled = net::dialBlocking(server.endpoint(), std::chrono::seconds(30));
    return dialled ? locks::likelyCompareForm(dialled->server) : locks::CompareForm::Script;
}

/// Returns whether the test servers have HSETEX. Redis has it from 8.0 on, which Debian 13 packages, and Valkey from
/// 9.0 on.
[[nodiscard]] inline bool hasHsetex()
{
    return !TestServer()({"HSETEX"}).bytes().contains("unknown command");
}

/// Returns the TTL of the key in milliseconds. For a hash without a TTL, returns the shortest TTL of its fields.
[[nodiscard]] inline qint64 millisecondsLeft(TestServer &server, const QByteArray &key)
{
    qint64 left = server({"PTTL", key}).toInteger();
    const resp::Reply fields = left == -1 ? server({"HKEYS", key}) : resp::Reply();
    QList<QByteArray> names;
    for (const resp::Reply &name : fields.elements())
        names += name.bytes();
    if (names.isEmpty())
        return left;
    const resp::Reply ends = server(resp::hpttl(base::Key(key), names));
    for (const resp::Reply &end : ends.elements()) {
        if (end.toInteger() >= 0)
            left = left < 0 ? end.toInteger() : std::min(left, end.toInteger());
    }
    return left;
}

} // namespace latchkey::test
