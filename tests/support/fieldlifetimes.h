#pragma once

#include "tests/support/testserver.h"

namespace latchkey::test {

/// Whether the servers of these tests have lifetimes of a hash's fields: Redis from 7.4 on and Valkey from 9.0 on do,
/// Debian 12 packages neither. LATCHKEY_REDIS_SERVER names another server.
[[nodiscard]] inline bool hasFieldLifetimes(TestServer &server)
{
    return !server({"HPTTL", "no such key", "FIELDS", "1", "f"}).isError();
}

} // namespace latchkey::test

/// Behind a test that needs them.
#define LATCHKEY_NEED_FIELD_LIFETIMES(server)       \
    if (!latchkey::test::hasFieldLifetimes(server)) \
    QSKIP("this server has no lifetimes of fields (Redis 7.4, Valkey 9.0)")
