#include "core/explore/programs/forkserver.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace latchkey::programs {

namespace {

/// Timeout of a fork, which takes about a millisecond.
constexpr int forkTimeout = 10'000;

} // namespace

std::unique_ptr<ForkServer> ForkServer::open()
{
    std::array<int, 2> ends {};
    // Packets: a message is complete.
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return nullptr;
    return std::unique_ptr<ForkServer>(new ForkServer(ends[0], ends[1]));
}

ForkServer::ForkServer(int descriptor, int otherEnd)
    : m_descriptor(descriptor)
    , m_otherEnd(otherEnd)
{}

ForkServer::~ForkServer()
{
    closeOtherEnd();
    ::close(m_descriptor);
}

void ForkServer::applyTo(const shim::ProgramClock &clock, process::Launch &launch) const
{
    clock.serveForks(m_otherEnd, launch);
}

void ForkServer::closeOtherEnd()
{
    if (m_otherEnd >= 0)
        ::close(std::exchange(m_otherEnd, -1));
}

/// Receives a number. Absent: there is none.
std::optional<std::int32_t> ForkServer::receive(int flags) const
{
    std::int32_t word = 0;
    ssize_t count = 0;
    do {
        count = ::recv(m_descriptor, &word, sizeof word, flags);
    } while (count < 0 && errno == EINTR);
    return count == sizeof word ? std::optional(word) : std::nullopt;
}

ForkServer::State ForkServer::state()
{
    if (m_state == State::Undecided) {
        if (const auto word = receive(MSG_DONTWAIT))
            m_state = *word != 0 ? State::Ready : State::Declined;
    }
    return m_state;
}

std::optional<process::StartedProcess> ForkServer::fork(int page)
{
    std::array<int, 2> pipe {};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0)
        return std::nullopt;
    const std::array<int, 2> sent {page, pipe[1]};
    char byte = 0;
    iovec data {&byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof sent)> space {};
    msghdr message {};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = space.data();
    message.msg_controllen = space.size();
    cmsghdr *const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof sent);
    std::memcpy(CMSG_DATA(header), sent.data(), sizeof sent);
    const bool isSent = ::sendmsg(m_descriptor, &message, MSG_NOSIGNAL) == 1;
    ::close(pipe[1]);
    pollfd reply {m_descriptor, POLLIN, 0};
    const auto id = isSent && ::poll(&reply, 1, forkTimeout) == 1 ? receive(MSG_DONTWAIT) : std::nullopt;
    if (id.value_or(0) <= 0 || ::fcntl(pipe[0], F_SETFL, O_NONBLOCK) != 0) {
        ::close(pipe[0]);
        return std::nullopt;
    }
    return process::StartedProcess {*id, -1, pipe[0]};
}

void ForkServer::release()
{
    const char byte = 0;
    [[maybe_unused]] const ssize_t count =
        ::send(m_descriptor, &byte, 1, MSG_NOSIGNAL); // If this fails, the process has ended.
    m_state = State::Declined;
}

} // namespace latchkey::programs
