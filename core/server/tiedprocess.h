#pragma once

#include <QProcess>

namespace latchkey::server {

/// Makes the process end when this program does, even if this program is killed: the kernel sends it SIGKILL when the
/// thread that started it dies. Call before start(), from the main thread.
void tieToThisProcess(QProcess &process);

} // namespace latchkey::server
