#include "app/cli/terminal.h"

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace latchkey::cli {

Terminal::Terminal()
{
    std::signal(SIGTTOU, SIG_IGN);
}

Terminal::~Terminal()
{
    takeBack();
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

bool Terminal::isForeground()
{
    return ::tcgetpgrp(descriptor()) == ::getpgrp();
}

void Terminal::lendTo(pid_t group)
{
    setForeground(group);
    m_lentTo = group;
}

void Terminal::takeBack()
{
    if (isLent() && ::tcgetpgrp(descriptor()) == m_lentTo)
        setForeground(::getpgrp());
    m_lentTo = 0;
}

/// Opens the terminal on first use, which most programs never need. Returns -1 without a terminal.
int Terminal::descriptor()
{
    if (m_descriptor < 0)
        m_descriptor = ::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    return m_descriptor;
}

void Terminal::setForeground(pid_t group)
{
    ::tcsetpgrp(descriptor(), group);
}

} // namespace latchkey::cli
