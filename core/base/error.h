#pragma once

#include "core/base/text.h"

#include <exception>
#include <tl/expected.hpp>

namespace latchkey::base {

/// What went wrong, for code that must decide what to do next.
enum class ErrorKind : quint8 {
    Usage,          ///< The caller's own argument cannot be used; nothing was sent.
    Local,          ///< This machine refused: a process, a file, memory.
    Unreachable,    ///< No connection came about; nothing was sent.
    ConnectionLost, ///< The connection ended while an answer was due: whether the command took effect is unknown.
    TimedOut,       ///< The answer did not come within its deadline: likewise unknown.
    Protocol,       ///< The server's bytes are not RESP2, or exceed a cap.

    // The server's own error replies, by their prefix.
    AuthenticationRequired,
    WrongPassword,
    PermissionDenied,
    ProtectedMode,
    TooManyClients,
    WrongType,
    ReadOnly,
    OutOfMemory,
    Loading,
    Busy,
    Misconfigured,
    MasterDown,
    NoReplicas,
    TransactionAborted,
    NoScript,
    ClusterRedirect,
    ClusterDown,
    CrossSlot,
    TryAgain,
    UnknownCommand,
    OtherServerError,
};

/// Whether it is unknown if a command took effect.
[[nodiscard]] bool leavesOutcomeUnknown(ErrorKind kind);

/// A failure as a value: its kind for the program, one sentence for people that says what and where.
struct Error
{
    ErrorKind kind = ErrorKind::Local;
    Text text; ///< One sentence, without a full stop; never holds a secret.

    /// The sentence in the language of now: for where it is shown or logged.
    [[nodiscard]] QString message() const { return text.toString(); }

    /// The same error, with what was being attempted named in front of it.
    [[nodiscard]] Error during(const Text &attempt) const { return {kind, Text::about(attempt, text)}; }

    friend bool operator==(const Error &, const Error &) = default;
};

/// Either a value or why there is none.
template<typename T>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> failure(ErrorKind kind, Text text)
{
    return tl::unexpected<Error>(Error {kind, std::move(text)});
}

template<typename... Arguments>
[[nodiscard]] tl::unexpected<Error> failure(ErrorKind kind, TextSource<sizeof...(Arguments)> source,
                                            const Arguments &...arguments)
{
    return tl::unexpected<Error>(Error {kind, Text(source, arguments...)});
}

[[nodiscard]] inline tl::unexpected<Error> failure(Error error)
{
    return tl::unexpected<Error>(std::move(error));
}

/// An Error under way inside an exchange: a recipe that does not handle it ends with it, and the driver hands it on as
/// a Result. Nothing outside the coroutines throws or catches it.
class Failure final : public std::exception
{
public:
    explicit Failure(Error error)
        : m_error(std::move(error))
    {}

    [[nodiscard]] const Error &error() const { return m_error; }
    [[nodiscard]] const char *what() const noexcept override { return "latchkey::base::Failure"; }

private:
    Error m_error;
};

} // namespace latchkey::base
