#include "tests/support/pseudoterminal.h"

#include <QProcessEnvironment>

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace latchkey::test {

namespace {

/// Returns the descriptor of a terminal's master; -1 if no terminal is available.
int openMaster()
{
    return ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
}

/// Returns whether the terminal's other end can be opened. Without /dev/pts, the master may open although the other end
/// cannot.
bool hasOtherEnd(int master)
{
    std::array<char, 128> name {};
    return ::grantpt(master) == 0 && ::unlockpt(master) == 0 && ::ptsname_r(master, name.data(), name.size()) == 0
        && ::access(name.data(), R_OK | W_OK) == 0;
}

} // namespace

bool PseudoTerminal::isAvailable()
{
    const int master = openMaster();
    if (master < 0)
        return false;
    const bool isUsable = hasOtherEnd(master);
    ::close(master);
    return isUsable;
}

PseudoTerminal::PseudoTerminal()
    : m_master(openMaster())
{
    if (m_master < 0 || !hasOtherEnd(m_master))
        qFatal("there is no pseudo-terminal to be had");
    ::fcntl(m_master, F_SETFL, O_NONBLOCK);
}

PseudoTerminal::~PseudoTerminal()
{
    // The terminal is hung up first: the shell or the kernel then sends SIGHUP to the other process groups on it.
    ::close(m_master);
    if (m_process.state() != QProcess::NotRunning && !m_process.waitForFinished(2000)) {
        m_process.kill();
        m_process.waitForFinished();
    }
}

void PseudoTerminal::start(const QProcessEnvironment &environment, const QString &folder, const QString &program,
                           const QStringList &arguments)
{
    std::array<char, 128> name {};
    if (::ptsname_r(m_master, name.data(), name.size()) != 0)
        qFatal("the pseudo-terminal has no name");
    m_process.setProcessEnvironment(environment);
    m_process.setWorkingDirectory(folder);
    m_process.setChildProcessModifier([name] {
        ::setsid();
        const int terminal = ::open(name.data(), O_RDWR); // The first terminal that a session opens becomes its
                                                          // controlling terminal.
        for (int descriptor = 0; descriptor <= 2; ++descriptor)
            ::dup2(terminal, descriptor);
        if (terminal > 2)
            ::close(terminal);
    });
    m_process.start(program, arguments);
    if (!m_process.waitForStarted())
        qFatal("%s cannot be started", qPrintable(program));
}

void PseudoTerminal::startShell(const QProcessEnvironment &environment, const QString &folder)
{
    QProcessEnvironment own = environment;
    own.insert(QStringLiteral("PS1"), QStringLiteral("$ "));
    own.insert(QStringLiteral("HISTFILE"), QString());
    start(own, folder, QStringLiteral("bash"),
          {QStringLiteral("--norc"), QStringLiteral("--noprofile"), QStringLiteral("-i")});
}

void PseudoTerminal::type(const QByteArray &text)
{
    if (::write(m_master, text.constData(), static_cast<std::size_t>(text.size())) != text.size())
        qFatal("the terminal takes no more");
}

const QByteArray &PseudoTerminal::output()
{
    std::array<char, 4096> buffer {};
    for (;;) {
        const ssize_t count = ::read(m_master, buffer.data(), buffer.size());
        if (count <= 0)
            return m_output;
        m_output.append(buffer.data(), count);
    }
}

} // namespace latchkey::test
