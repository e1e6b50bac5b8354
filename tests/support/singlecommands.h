#pragma once

#include "core/locks/compareform.h"
#include "core/resp/dialer.h"
#include "tests/support/testserver.h"

namespace latchkey::test {

/// The single command by which the servers of these tests compare; Script where they have none. Valkey 9.0 and
/// Redis 8.4 have one, which neither Debian 12 nor 13 packages: LATCHKEY_REDIS_SERVER names another server.
[[nodiscard]] inline locks::CompareForm singleCommandForm()
{
    const TestServer server;
    const auto dialled = resp::dialBlocking(server.endpoint(), std::chrono::seconds(30));
    return dialled ? locks::likelyCompareForm(dialled->server) : locks::CompareForm::Script;
}

} // namespace latchkey::test
