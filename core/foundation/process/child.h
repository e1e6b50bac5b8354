#pragma once

#include "core/foundation/process/launch.h"

#include <QDeadlineTimer>
#include <QObject>
#include <QSocketNotifier>
#include <QTimer>

#include <memory>

namespace latchkey::process {

/// A child process on the event loop. It is started from a Launch, controlled by signals and connected through pipes.
///
///     NotStarted → Running → Ended
///
/// The end of the process and the end of its output are separate and occur in either order. A program may close its
/// output and continue, and its own children may keep the output open after its end. The kernel reports the end (a
/// pidfd). A stopped program is detected only by check(), which the owner calls upon SIGCHLD. The destructor kills a
/// running program, and its process group if it has one, with SIGKILL. Owned by the code that started the program.
class Child final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Child)

public:
    explicit Child(QObject *parent = nullptr);
    ~Child() override;

    /// Starts the program, which runs on return. Only once per object. Error: see spawn().
    [[nodiscard]] tl::expected<void, std::error_code> start(const Launch &launch);

    /// Takes over a child process of this process that another process has started; see CLONE_PARENT. In place of
    /// start(). `output`: output that the program has already written.
    void adopt(const StartedProcess &started, bool hasOwnGroup, const QByteArray &output);

    /// Returns the process id; 0 before the start. After its end, the system may reuse the id.
    [[nodiscard]] pid_t id() const { return m_id; }
    [[nodiscard]] bool isRunning() const { return m_id > 0 && !m_hasEnded; }
    /// Returns the exit code of an ended program, as in shells: 128 plus the signal number if a signal ended the
    /// program; -1 while it has not ended.
    [[nodiscard]] int exitCode() const { return m_exitCode; }

    /// Sends a signal to the program. If the program has its own group, sends it to the whole group, also after the
    /// program's end.
    void signal(int number) const;
    /// Sends SIGKILL and waits for the end of the program itself, without a time limit.
    void kill();
    /// Emits the state changes of the program since the last call. For owners that handle SIGCHLD or have no event
    /// loop.
    void check();
    /// Waits until more output has arrived or the program has ended, and emits the signal. Returns false at the
    /// deadline, or if the program does not run. For owners without an event loop.
    bool waitForEvent(QDeadlineTimer deadline);
    /// Reads the available output without waiting.
    void readNow() { (void)read(); }

    /// Writes to the standard input in the background. The bytes are discarded if the program no longer reads.
    void write(const QByteArray &bytes);
    /// Closes the standard input after the bytes that were written. Later writes are discarded.
    void endInput();
    /// Returns the output that has not been taken.
    [[nodiscard]] const QByteArray &output() const { return m_output; }
    [[nodiscard]] QByteArray takeOutput() { return std::exchange(m_output, {}); }
    /// Returns whether every writer has closed the standard output, and all output has been read. True without a pipe.
    [[nodiscard]] bool hasOutputEnded() const { return m_readEnd < 0; }

    /// Makes this process the parent of all orphaned descendants. Otherwise isGroupGone() stays false until another
    /// process reaps them.
    static void adoptOrphans();
    /// Returns whether the program and all processes of its group have ended. Requires Launch::hasOwnGroup.
    [[nodiscard]] bool isGroupGone() const;

Q_SIGNALS:
    /// Emitted when output() has grown.
    void outputReceived();
    void outputEnded();
    /// Emitted by check() only, when a signal has stopped the program.
    void stopped(int number);
    /// Emitted at the end of the program. output() contains the output written before.
    void ended(int exitCode);

private:
    void watchEnd();
    /// Reads output. Returns whether any arrived; a receiver of the signal may already have taken it.
    bool read();
    void flush();
    void closeReadEnd();
    void closeWriteEnd();

    pid_t m_id = 0;
    bool m_hasOwnGroup = false;
    bool m_hasEnded = false;
    int m_exitCode = -1;
    int m_endDescriptor = -1; ///< Descriptor of the pidfd.
    int m_readEnd = -1;       ///< Read end of the program's standard output.
    int m_writeEnd = -1;      ///< Write end of the program's standard input.
    QByteArray m_output;
    QByteArray m_unwritten;
    bool m_hasInputEnded = false;
    std::unique_ptr<QSocketNotifier> m_end;
    std::unique_ptr<QSocketNotifier> m_reading;
    std::unique_ptr<QSocketNotifier> m_writing;
    QTimer m_endPoll; ///< Polls for the end if the kernel has no pidfd.
};

} // namespace latchkey::process
