#pragma once

#include <QByteArray>
#include <QList>
#include <QStringList>

#include <functional>
#include <optional>
#include <system_error>
#include <tl/expected.hpp>

#include <sys/types.h>

namespace latchkey::process {

/// The parameters of a program to start, and its relation to this process.
///
/// A value that is filled in and passed to Child::start(). The child inherits everything else, such as ignored signals.
/// All texts are bytes in the system's encoding.
struct Launch
{
    /// The target of one of the child's standard channels.
    enum class Channel : quint8 {
        Inherited, ///< The channel of this process.
        Piped,     ///< A pipe to this process.
        Nothing,   ///< /dev/null
    };
    /// The target of the child's standard error.
    enum class Errors : quint8 {
        Inherited,
        WithOutput, ///< The target of its standard output.
    };
    /// An environment variable and its value; absent to remove the variable.
    struct Variable
    {
        QByteArray name;
        std::optional<QByteArray> value;
    };

    QList<QByteArray> words;     ///< Program, searched in PATH as in shells, and its arguments.
    QList<Variable> environment; ///< Changes to the inherited environment.
    QByteArray folder;           ///< Working directory; empty: the directory of this process.
    Channel input = Channel::Inherited;
    Channel output = Channel::Inherited;
    Errors errors = Errors::Inherited;
    /// Whether the child leads its own process group. Child::signal() then reaches its children, too, and signals from
    /// the terminal to this process's group do not reach them.
    bool hasOwnGroup = false;
    /// Additional inherited descriptors, under the same numbers.
    QList<int> inherited;
    /// Signals that the child ignores unless it sets a handler. For a program that stays in this process's group to
    /// prompt at the terminal, but must survive signals to that group.
    QList<int> ignoredSignals;
    /// Whether the kernel kills the child with SIGKILL at any end of this process (PR_SET_PDEATHSIG). The child's own
    /// children are not affected. The child must be started from the main thread, because the kernel tracks the
    /// starting thread.
    bool killedWithParent = true;
    /// Function called in the child before exec; may be empty. It may only use async-signal-safe calls. If it returns
    /// false, exec is skipped, and start() returns errno as its error.
    std::function<bool()> preExecHook {};

    /// Converts paths and arguments from Qt to the system's encoding.
    [[nodiscard]] static QList<QByteArray> wordsFrom(const QString &program, const QStringList &arguments);
};

/// A started process, with this process's ends of its pipes; -1 if there is no pipe.
struct StartedProcess
{
    pid_t id = 0;
    int input = -1;  ///< Descriptor for writing; non-blocking.
    int output = -1; ///< Descriptor for reading; non-blocking.
};

/// Starts the program, which runs on return. Error: the system's error; ENOENT if the program or the folder does not
/// exist, EACCES if the program is not executable.
[[nodiscard]] tl::expected<StartedProcess, std::error_code> spawn(const Launch &launch);

} // namespace latchkey::process
