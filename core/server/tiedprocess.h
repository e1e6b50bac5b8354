#pragma once

#include <QProcess>

namespace latchkey::server {

/// Makes the process end when this program does, even if this program is killed: the kernel sends it SIGKILL when the
/// thread that started it dies. It has a process group of its own: what a terminal tells this program's group, it is
/// not told. Call before start(), from the main thread.
void tieToThisProcess(QProcess &process);

} // namespace latchkey::server
