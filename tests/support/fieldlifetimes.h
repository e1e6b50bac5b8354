#pragma once

#include "tests/support/testserver.h"

namespace latchkey::test {

/// Returns whether the test servers support a TTL for a field of a hash. Redis supports it from 7.4 on and Valkey from
/// 9.0 on; Debian 12 packages neither version. LATCHKEY_REDIS_SERVER selects another server.
[[nodiscard]] inline bool hasFieldLifetimes(TestServer &server)
{
    return !server({"HPTTL", "no such key", "FIELDS", "1", "f"}).isError();
}

} // namespace latchkey::test

/// Skips the test if the server does not support a TTL for a field of a hash.
#define LATCHKEY_NEED_FIELD_LIFETIMES(server)       \
    if (!latchkey::test::hasFieldLifetimes(server)) \
    QSKIP("this server has no lifetimes of fields (Redis 7.4, Valkey 9.0)")
