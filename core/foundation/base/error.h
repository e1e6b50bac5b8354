#pragma once

#include "core/foundation/base/text.h"

#include <exception>
#include <tl/expected.hpp>

namespace latchkey::base {

/// The kind of an error, for code that must decide what to do next.
enum class ErrorKind : quint8 {
    Usage,          ///< An argument of the caller is invalid; no command was sent.
    Local,          ///< This machine refused: a process, a file, memory, or a reply larger than its limits.
    Unreachable,    ///< No connection was established; no command was sent.
    ConnectionLost, ///< The connection ended before the reply: it is unknown whether the command took effect.
    TimedOut,       ///< The reply did not arrive in time: it is unknown whether the command took effect.
    Protocol,       ///< The server's reply is invalid or unexpected: it is unknown whether the command took effect.
    SentinelAuthentication, ///< A sentinel requires a user and a password, or rejects them; no command was sent.
    ProxyAuthentication,    ///< The proxy requires a user and a password, or rejects them; no command was sent.

    // Error replies of the server, by their prefix.
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

    StaleReplica, ///< No error reply: the server is a replica that has lost its primary, and its keys may be out of
                  ///< date.
};

/// Returns whether it is unknown, after an error of this kind, if the command took effect.
[[nodiscard]] bool leavesOutcomeUnknown(ErrorKind kind);

/// Returns whether the password of the server, of a sentinel or of the proxy is missing or wrong. Another attempt with
/// the same password would fail again.
[[nodiscard]] bool isPasswordRefused(ErrorKind kind);

/// An error as a value: its kind for the program, and one sentence for users with the operation and the object.
struct Error
{
    ErrorKind kind = ErrorKind::Local;
    Text text; ///< One sentence without a full stop; never contains a secret.

    /// Returns the sentence in the current language, for display or logging.
    [[nodiscard]] QString message() const { return text.toString(); }

    /// Returns the same error, preceded by the name of the attempted operation.
    [[nodiscard]] Error during(const Text &attempt) const { return {kind, Text::about(attempt, text)}; }

    friend bool operator==(const Error &, const Error &) = default;
};

/// A value, or the error that explains its absence.
template<typename T>
using Result = tl::expected<T, Error>;

/// Returns an error in the form that a function with a Result returns.
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

/// An Error thrown within an exchange. A recipe that does not handle it ends, and the driver returns it as a Result. It
/// is never thrown or caught outside the coroutines.
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
