#pragma once

#include "core/base/error.h"

#include <QByteArray>
#include <QList>

#include <chrono>

#include <sys/types.h>

namespace latchkey::cli {

/// A program whose standard output is kept, whole and byte for byte, as a shell's $(…) does.
///
/// It has this process's standard input and error, and its environment. The caller waits, but a while at a time, so
/// that it can do something else in between. Owned by whoever started it; destroying it leaves the program to itself,
/// with nobody who reads its output.
class CapturedProgram final
{
public:
    /// words: the program, sought in PATH, and its arguments. Error (Local): it cannot be started.
    [[nodiscard]] static base::Result<CapturedProgram> start(const QList<QByteArray> &words);
    CapturedProgram(CapturedProgram &&other) noexcept;
    CapturedProgram &operator=(CapturedProgram &&other) = delete;
    CapturedProgram(const CapturedProgram &) = delete;
    CapturedProgram &operator=(const CapturedProgram &) = delete;
    ~CapturedProgram();

    /// To the program itself. Only while waitFor() says that it has not ended.
    void signal(int number) const;
    /// Reads on for at most so long, or until this process gets a signal. True once the program has ended and all of
    /// its output is here.
    [[nodiscard]] bool waitFor(std::chrono::milliseconds time);

    /// Once it has ended: as shells have it, 128 and the signal's number where one ended it.
    [[nodiscard]] int exitCode() const { return m_exitCode; }
    [[nodiscard]] const QByteArray &output() const { return m_output; }

private:
    CapturedProgram(pid_t id, int descriptor)
        : m_id(id)
        , m_descriptor(descriptor)
    {}

    void read();

    pid_t m_id;
    int m_descriptor; ///< Its standard output; -1 once that has ended.
    int m_exitCode = 0;
    QByteArray m_output;
};

} // namespace latchkey::cli
