#pragma once

#include "core/children/launch.h"

#include <QDeadlineTimer>
#include <QObject>
#include <QSocketNotifier>
#include <QTimer>

#include <memory>

namespace latchkey::children {

/// A child process on the event loop: started from a Launch, told by signals, listened to through pipes.
///
///     NotStarted → Running → Ended
///
/// Its end and the end of its output are two things, in either order: a program may close its output and work on, and
/// its own children may keep that output open when it has ended. The end is told by the kernel (a pidfd); a program
/// that has merely been stopped is noticed by who calls check() upon SIGCHLD. Destroying it ends a program that still
/// runs, with SIGKILL, and its process group where it has one. Owned by the code that started the program.
class Child final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Child)

public:
    explicit Child(QObject *parent = nullptr);
    ~Child() override;

    /// Once this returns the program runs. Only once per object. Error: see spawn().
    [[nodiscard]] tl::expected<void, std::error_code> start(const Launch &launch);

    /// The process; 0 before it has been started. Once it has ended the number may be another's.
    [[nodiscard]] pid_t id() const { return m_id; }
    [[nodiscard]] bool isRunning() const { return m_id > 0 && !m_hasEnded; }
    /// Of a program that has ended, as shells have it: 128 and the signal's number where one ended it.
    [[nodiscard]] int exitCode() const { return m_exitCode; }

    /// To the program, and where it has a group of its own, to all of that, also after the program itself has ended.
    void signal(int number) const;
    /// SIGKILL, and waits for the program itself: a moment.
    void kill();
    /// What has happened to the program since last asked is emitted now. For owners who get SIGCHLD, and for those who
    /// run no event loop.
    void check();
    /// For those who run no event loop: waits until there is more output, or the program has ended, and tells of both;
    /// false where neither has come by then.
    bool waitForNews(QDeadlineTimer deadline);
    /// Without waiting: what has come of its output is read now.
    void readNow() { (void)read(); }

    /// To its standard input, in the background; gone without a trace where nobody reads it any more.
    void write(const QByteArray &bytes);
    /// What has come from it and has not been taken.
    [[nodiscard]] const QByteArray &output() const { return m_output; }
    [[nodiscard]] QByteArray takeOutput() { return std::exchange(m_output, {}); }
    /// Nobody can write to its standard output any more, and all of it is here.
    [[nodiscard]] bool hasOutputEnded() const { return m_readEnd < 0; }

    /// From now on what any program leaves behind becomes this process's own child, so that isGroupGone() is prompt
    /// also where nobody else would reap it.
    static void adoptOrphans();
    /// The program has ended, and of its children none is left that stayed in its group.
    [[nodiscard]] bool isGroupGone() const;

Q_SIGNALS:
    /// There is more output().
    void outputCame();
    void outputEnded();
    /// The program has been stopped by this signal. Emitted by check() alone.
    void stopped(int number);
    /// What it had written by then is in output().
    void ended(int exitCode);

private:
    void watchEnd();
    /// Whether anything has come, which its hearers may have taken by now.
    bool read();
    void flush();
    void closeReadEnd();
    void closeWriteEnd();

    pid_t m_id = 0;
    bool m_hasOwnGroup = false;
    bool m_hasEnded = false;
    int m_exitCode = -1;
    int m_endDescriptor = -1; ///< The pidfd.
    int m_readEnd = -1;       ///< Of its standard output.
    int m_writeEnd = -1;      ///< Of its standard input.
    QByteArray m_output;
    QByteArray m_unwritten;
    std::unique_ptr<QSocketNotifier> m_end;
    std::unique_ptr<QSocketNotifier> m_reading;
    std::unique_ptr<QSocketNotifier> m_writing;
    QTimer m_endPoll; ///< Where the kernel has no pidfd.
};

} // namespace latchkey::children
