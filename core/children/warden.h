#pragma once

#include <QByteArray>

#include <system_error>
#include <tl/expected.hpp>

#include <sys/types.h>

namespace latchkey::children {

/// Ends everything that programs of ours have started, once this object goes or this process ends, however that comes
/// about.
///
/// A Launch ties the program itself to this process, and not what the program starts, which may leave its process group
/// too. So all of them are given a variable in their environment, which they hand on; a process that does nothing else
/// waits until we are gone, then looks for it in /proc and sends SIGKILL. What clears its environment escapes. Owned by
/// the code that starts the programs, and made before the first of them.
class Warden final
{
public:
    /// Starts it. Error: what the system said.
    [[nodiscard]] static tl::expected<Warden, std::error_code> start();
    Warden(Warden &&other) noexcept;
    Warden &operator=(Warden &&) = delete;
    Warden(const Warden &) = delete;
    Warden &operator=(const Warden &) = delete;
    /// Waits until none of them is left.
    ~Warden();

    /// The variable, and its value, for the Launch of each program.
    [[nodiscard]] static QByteArray variable() { return "LATCHKEY_WARDEN"; }
    [[nodiscard]] const QByteArray &mark() const { return m_mark; }

private:
    Warden(QByteArray mark, pid_t process, int lifeline);

    QByteArray m_mark;
    pid_t m_process = 0;
    int m_lifeline = -1; ///< Closed by the kernel where we cannot.
};

} // namespace latchkey::children
