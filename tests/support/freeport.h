#pragma once

#include <QtGlobal>

namespace latchkey::test {

/// Returns a port of the loopback on which no program listens. One test program never receives a port twice: the server
/// that was started on it may not listen yet.
[[nodiscard]] quint16 freePort();
/// Returns such a port whose port of the cluster bus, 10,000 above, is free too.
[[nodiscard]] quint16 freeClusterPort();

} // namespace latchkey::test
