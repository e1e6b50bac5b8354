#pragma once

#include <QByteArray>

#include <system_error>
#include <tl/expected.hpp>

#include <sys/types.h>

namespace latchkey::process {

/// A guard that kills all descendants of started programs when this object is destroyed or this process ends in any
/// way.
///
/// A Launch ties only the program itself to this process. The program's children are not tied, and may leave its
/// process group. So all programs get an environment variable, which their children inherit. A separate process waits
/// for the end of this process, then searches /proc for the variable and sends SIGKILL. A process that clears its
/// environment escapes. Owned by the code that starts the programs, and created before the first of them.
class OrphanReaper final
{
public:
    /// Starts the guard process. Error: the system's error.
    [[nodiscard]] static tl::expected<OrphanReaper, std::error_code> start();
    OrphanReaper(OrphanReaper &&other) noexcept;
    OrphanReaper &operator=(OrphanReaper &&) = delete;
    OrphanReaper(const OrphanReaper &) = delete;
    OrphanReaper &operator=(const OrphanReaper &) = delete;
    /// Kills all descendants and waits until they have ended.
    ~OrphanReaper();

    /// Returns the name of the environment variable for the Launch of each program.
    [[nodiscard]] static QByteArray variable() { return "LATCHKEY_WARDEN"; }
    /// Returns the value of that variable, which is unique.
    [[nodiscard]] const QByteArray &mark() const { return m_mark; }

private:
    OrphanReaper(QByteArray mark, pid_t process, int lifeline);

    QByteArray m_mark;
    pid_t m_process = 0;
    int m_lifeline = -1; ///< Write end of a pipe to the guard process. The kernel closes it if this process is killed.
};

} // namespace latchkey::process
