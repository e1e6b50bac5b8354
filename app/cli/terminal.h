#pragma once

#include <QtGlobal>

#include <sys/types.h>

namespace latchkey::cli {

/// The controlling terminal, which only one process group may read at a time: this process's own, or the program's.
///
/// A program in a group of its own is stopped by the kernel when it wants to read the terminal. A watcher of it
/// then lends the terminal to its group, provided that it is ours to lend: a job in the background has to wait until
/// its shell puts it into the foreground. Not earlier, because in a pipeline the foreground group is also the other
/// programs', a pager say, who need it more than one that never asks.
/// Where there is no terminal none of this happens.
/// From the first object on the process ignores SIGTTOU, as shells do: it has to take the terminal back, and to say
/// what is wrong, without being in the foreground. A program started before does not inherit that.
class Terminal final
{
public:
    Terminal();
    ~Terminal();
    Q_DISABLE_COPY_MOVE(Terminal)

    /// This process's group is in the foreground.
    [[nodiscard]] bool isOurs();
    void lendTo(pid_t group);
    /// Nothing happens where it is not lent, or where somebody else has taken it since, as a shell may.
    void takeBack();
    [[nodiscard]] bool isLent() const { return m_lentTo != 0; }

private:
    [[nodiscard]] int descriptor();
    void setForeground(pid_t group);

    int m_descriptor = -1;
    pid_t m_lentTo = 0;
};

} // namespace latchkey::cli
