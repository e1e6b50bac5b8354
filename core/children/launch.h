#pragma once

#include <QByteArray>
#include <QList>
#include <QStringList>

#include <functional>
#include <optional>
#include <system_error>
#include <tl/expected.hpp>

#include <sys/types.h>

namespace latchkey::children {

/// What to start, and how it hangs together with this process.
///
/// A value: it is filled in, and given to Child::start(). Everything that it does not say the child inherits: the
/// environment, the folder, what signals are ignored. Words are bytes, as the system has them.
struct Launch
{
    /// Where one of the child's standard channels leads to.
    enum class Channel : quint8 {
        Inherited, ///< Where this process's own leads to.
        Piped,     ///< To this process.
        Nothing,   ///< /dev/null
    };
    /// The same for its standard error.
    enum class Errors : quint8 {
        Inherited,
        WithOutput, ///< Where its standard output leads to.
    };
    /// A variable of the environment, and its value; absent: it is removed.
    struct Variable
    {
        QByteArray name;
        std::optional<QByteArray> value;
    };

    QList<QByteArray> words; ///< The program, sought in PATH as shells do, and its arguments.
    QList<Variable> environment;
    QByteArray folder; ///< Where it starts; empty: where this process is.
    Channel input = Channel::Inherited;
    Channel output = Channel::Inherited;
    Errors errors = Errors::Inherited;
    /// It leads a process group of its own: a signal sent through Child::signal() reaches its children as well, and
    /// what a terminal tells this process's group it is not told.
    bool hasOwnGroup = false;
    /// Descriptors that it has as well, under the same numbers.
    QList<int> inherited;
    /// Signals that it ignores, unless it decides otherwise: for a program that stays in this process's group, so that
    /// it may ask at the terminal, and is not to end when that group is told to.
    QList<int> ignoredSignals;
    /// The kernel sends it SIGKILL when this process ends, however that comes about (PR_SET_PDEATHSIG). Its own
    /// children are not told. To be started from the main thread: the kernel goes by the thread.
    bool endsWithUs = true;
    /// Called in the child before it becomes the program: only what is safe in a signal handler is. False: it does not
    /// become it, and what start() returns is errno. Null: nothing is to be done.
    std::function<bool()> beforeItRuns {};

    /// Paths and arguments that Qt has, as the system has them.
    [[nodiscard]] static QList<QByteArray> wordsFrom(const QString &program, const QStringList &arguments);
};

/// A process that has been started, with this process's ends of its pipes; -1 where there is none.
struct Launched
{
    pid_t id = 0;
    int input = -1;  ///< To write to; does not block.
    int output = -1; ///< To read from; does not block.
};

/// Starts it: once this returns, the program itself runs. Error: what the system said, ENOENT where there is no such
/// program or folder, EACCES where it is not executable.
[[nodiscard]] tl::expected<Launched, std::error_code> spawn(const Launch &launch);

} // namespace latchkey::children
