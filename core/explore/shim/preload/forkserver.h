#pragma once

#include "core/explore/shim/page.h"

// Forks of a process instead of further starts of its program.
//
// A process that was started with a socket for this purpose (PageForks) stops when it creates its first stream socket:
// until then, it cannot have sent anything to a server. It then forks a process for each request of the controlling
// side, which continues as if the program had been started anew. No code of the program notices: the fork is a system
// call, without the handlers of pthread_atfork(), and the parent is the controlling process (CLONE_PARENT). A forked
// process has its own page, output and addresses. It has the same shown ID, environment, memory layout and start-up
// randomness as the process that forked it.
//
// A process of Node.js has threads, and an event loop with descriptors of its own. In a forked process, both are
// created anew in the same state; see threads.h and descriptors.h. A process of another runtime is forked only without
// them.

namespace latchkey::shim::preload {

/// Serves forks, if this is the first call and the process can be forked unnoticed. Returns in each forked process, and
/// in the process itself if it cannot be forked or shall fork no further processes.
void serveForks();

} // namespace latchkey::shim::preload
