#include "core/foundation/base/unixsignals.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace latchkey::base {

namespace {

/// Pipe from the signal handler. A handler may call only a few functions, among them write().
std::array<int, 2> signalPipe {-1, -1}; // NOLINT(*-avoid-non-const-global-variables): a handler can reach only globals.

} // namespace

UnixSignals::UnixSignals(std::initializer_list<int> numbers)
{
    if (::pipe2(signalPipe.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        qFatal("cannot make a pipe for signals");
    m_notifier = std::make_unique<QSocketNotifier>(signalPipe[0], QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, &UnixSignals::read);
    for (const int number : numbers)
        watch(number);
}

UnixSignals::~UnixSignals()
{
    for (const int number : m_numbers)
        std::signal(number, SIG_DFL);
    m_notifier.reset();
    for (int &end : signalPipe)
        ::close(std::exchange(end, -1));
}

void UnixSignals::watch(int number)
{
    struct sigaction action {};
    ::sigaction(number, nullptr, &action);
    if (action.sa_handler == SIG_IGN)
        return;
    action = {};
    action.sa_handler = &UnixSignals::handle;
    action.sa_flags = SA_RESTART;
    ::sigaction(number, &action, nullptr);
    m_numbers.push_back(number);
}

void UnixSignals::handle(int number)
{
    const int error = errno;
    const auto byte = static_cast<char>(number);
    // A full pipe already contains enough signals to be read.
    [[maybe_unused]] const ssize_t written = ::write(signalPipe[1], &byte, 1);
    errno = error;
}

std::optional<int> UnixSignals::take()
{
    char number = 0;
    return ::read(signalPipe[0], &number, 1) == 1 ? std::optional<int>(number) : std::nullopt;
}

void UnixSignals::read()
{
    while (const auto number = take())
        Q_EMIT received(*number);
}

} // namespace latchkey::base
