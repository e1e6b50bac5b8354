#pragma once

#include "core/explore/shim/programclock.h"
#include "core/foundation/process/launch.h"

#include <memory>
#include <optional>

namespace latchkey::programs {

/// The connection to a process that forks further processes of its program; see shim/preload/forkserver.h.
///
///     Undecided → Ready, or Declined: an ordinary process
///
/// Owned by that Process.
class ForkServer final
{
public:
    enum class State : quint8 { Undecided, Ready, Declined };

    /// Opens the connection. Null: the system refuses it.
    [[nodiscard]] static std::unique_ptr<ForkServer> open();
    Q_DISABLE_COPY_MOVE(ForkServer)
    ~ForkServer();

    /// Makes the process that `launch` starts serve forks.
    void applyTo(const shim::ProgramClock &clock, process::Launch &launch) const;
    /// Closes the process's end. Call after the start.
    void closeOtherEnd();

    /// Returns the state of the process, without waiting.
    [[nodiscard]] State state();
    /// Forks a process, which is a child of this process and is connected to its output. `page`: descriptor of its
    /// clock. Absent: the system refuses it. Only if Ready.
    [[nodiscard]] std::optional<process::StartedProcess> fork(int page);
    /// Lets the process continue, as an ordinary process. Only if Ready.
    void release();

private:
    ForkServer(int descriptor, int otherEnd);
    [[nodiscard]] std::optional<std::int32_t> receive(int flags) const;

    const int m_descriptor;
    int m_otherEnd; ///< -1: closed.
    State m_state = State::Undecided;
};

} // namespace latchkey::programs
