#pragma once

#include <QtGlobal>

#include <csignal>
#include <sys/resource.h>

namespace latchkey::test {

/// A disk that is full: while this lives, no file of the process or of a child that it starts grows beyond so many
/// bytes. Writing fails with EFBIG ("File too large"), partly or completely, as with ENOSPC. Needs no privileges.
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
