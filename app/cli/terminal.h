#pragma once

#include <QtGlobal>

#include <sys/types.h>

namespace latchkey::cli {

/// The controlling terminal. Only one process group may read it at a time: that of this process, or that of the
/// program.
///
/// The kernel stops a program in another group when it reads the terminal. Then this process lends the terminal to the
/// program, if this process is in the foreground. A background job must wait until its shell puts it into the
/// foreground. The terminal is not lent earlier, because in a pipeline the foreground group also belongs to other
/// programs, such as a pager. Without a terminal, the functions have no effect. From the first object on, this process
/// ignores SIGTTOU, as shells do: it must take back the terminal and print errors while in the background. A program
/// started before does not inherit this.
class Terminal final
{
public:
    Terminal();
    ~Terminal();
    Q_DISABLE_COPY_MOVE(Terminal)

    /// Returns whether the process group of this process is in the foreground.
    [[nodiscard]] bool isForeground();
    void lendTo(pid_t group);
    /// Takes back the terminal. No effect if it is not lent, or if another process, such as a shell, has taken it
    /// since.
    void takeBack();
    [[nodiscard]] bool isLent() const { return m_lentTo != 0; }

private:
    [[nodiscard]] int descriptor();
    void setForeground(pid_t group);

    int m_descriptor = -1;
    pid_t m_lentTo = 0;
};

} // namespace latchkey::cli
