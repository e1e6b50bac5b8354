#pragma once

#include <QLoggingCategory>

namespace latchkey::base {

// One category per subject. Messages name the operation and the key or file, never a password or a token.
Q_DECLARE_LOGGING_CATEGORY(lcConnection) // "latchkey.connection": sockets, handshakes, reconnects
Q_DECLARE_LOGGING_CATEGORY(lcOperation)  // "latchkey.operation": a lock or cache operation that failed, once each
Q_DECLARE_LOGGING_CATEGORY(lcServer)     // "latchkey.server": private servers, their start, end and leftovers

} // namespace latchkey::base
