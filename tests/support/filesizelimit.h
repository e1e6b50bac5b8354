#pragma once

#include <QtGlobal>

#include <csignal>
#include <sys/resource.h>

namespace latchkey::test {

/// A simulated full disk. During the lifetime of this object no file of the process and its child processes grows
/// beyond the given size in bytes. Writing fails with EFBIG ("File too large"), partly or completely, as with ENOSPC.
/// Needs no privileges.
class FileSizeLimit final
{
    Q_DISABLE_COPY_MOVE(FileSizeLimit)

public:
    explicit FileSizeLimit(rlim_t bytes)
        : m_handler(std::signal(SIGXFSZ, SIG_IGN))
    {
        ::getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit limit {bytes, m_before.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit()
    {
        ::setrlimit(RLIMIT_FSIZE, &m_before);
        std::signal(SIGXFSZ, m_handler);
    }

private:
    void (*m_handler)(int);
    rlimit m_before {};
};

} // namespace latchkey::test
