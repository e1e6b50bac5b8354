#pragma once

#include <QtGlobal>

namespace latchkey::test {

/// Returns a port of the loopback on which no program listens. A test program never receives a port twice, because the
/// server that was started on it may not listen yet.
[[nodiscard]] quint16 freePort();
/// Returns such a port, whose cluster bus port (10,000 higher) is free too.
[[nodiscard]] quint16 freeClusterPort();

} // namespace latchkey::test
