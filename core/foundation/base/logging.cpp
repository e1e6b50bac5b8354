#include "core/foundation/base/logging.h"

namespace latchkey::base {

Q_LOGGING_CATEGORY(lcConnection, "latchkey.connection", QtWarningMsg)
Q_LOGGING_CATEGORY(lcOperation, "latchkey.operation", QtWarningMsg)
Q_LOGGING_CATEGORY(lcServer, "latchkey.server", QtWarningMsg)

} // namespace latchkey::base
