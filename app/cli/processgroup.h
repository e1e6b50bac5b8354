#pragma once

#include <QByteArray>
#include <QList>

#include <optional>
#include <tl/expected.hpp>

#include <sys/types.h>

namespace latchkey::cli {

/// A program as a process group of its own, so that a signal reaches the program's own children as well.
///
/// It inherits everything that this process was given: standard input and output, the environment, ignored signals. If
/// this process is killed, so is the program (PR_SET_PDEATHSIG), though not the children that it has by then.
/// Made by start(); a value that names the group. It does not end the program when it goes.
class ProcessGroup final
{
public:
    /// words: the program, sought in PATH as shells do, and its arguments. Once this returns the program runs. The
    /// error is the errno of what did not work.
    [[nodiscard]] static tl::expected<ProcessGroup, int> start(QList<QByteArray> words);

    /// To every process of the group.
    void signal(int number) const;
    [[nodiscard]] pid_t id() const { return m_leader; }

    struct Change
    {
        enum class Kind : quint8 {
            Ended,   ///< number: the exit code, as shells have it: 128 and the signal where one ended it.
            Stopped, ///< number: the signal.
        };
        Kind kind;
        int number;
    };
    /// What has happened to the program itself since last asked, one thing at a time. SIGCHLD says when to ask.
    [[nodiscard]] std::optional<Change> nextChange();

    /// From now on, children that the program leaves behind become this process's own, so that isGone() is prompt even
    /// where nobody else would reap them.
    static void adoptOrphans();
    /// The program has ended, and of its children none is left that stayed in the group.
    [[nodiscard]] bool isGone() const;

private:
    explicit ProcessGroup(pid_t leader)
        : m_leader(leader)
    {}

    pid_t m_leader;
    bool m_hasEnded = false; ///< And its number may be another's.
};

} // namespace latchkey::cli
