#include "core/redis/resp/servererror.h"

#include "core/foundation/base/bytes.h"

#include <array>

namespace latchkey::resp {

using base::ErrorKind;

namespace {

struct Prefix
{
    const char *text;
    ErrorKind kind;
    base::TextSource<0> explanation; ///< Meaning for the user; precedes the server's own text.
};

constexpr std::array prefixes {
    Prefix {"NOAUTH", ErrorKind::AuthenticationRequired, QT_TRANSLATE_NOOP("core", "the server wants a password")},
    Prefix {"WRONGPASS", ErrorKind::WrongPassword,
            QT_TRANSLATE_NOOP("core", "the server refused the user name or password")},
    Prefix {"NOPERM", ErrorKind::PermissionDenied,
            QT_TRANSLATE_NOOP("core", "the server's ACL does not permit this user to do that")},
    Prefix {"DENIED", ErrorKind::ProtectedMode,
            QT_TRANSLATE_NOOP("core", "the server is in protected mode and serves only its own machine")},
    Prefix {"WRONGTYPE", ErrorKind::WrongType, QT_TRANSLATE_NOOP("core", "the key holds a value of another type")},
    Prefix {"READONLY", ErrorKind::ReadOnly, QT_TRANSLATE_NOOP("core", "the server is a read-only replica")},
    Prefix {"OOM", ErrorKind::OutOfMemory, QT_TRANSLATE_NOOP("core", "the server has reached its memory limit")},
    Prefix {"LOADING", ErrorKind::Loading, QT_TRANSLATE_NOOP("core", "the server is still loading its data")},
    Prefix {"BUSY", ErrorKind::Busy, QT_TRANSLATE_NOOP("core", "the server is busy with a script")},
    Prefix {"MISCONF", ErrorKind::Misconfigured,
            QT_TRANSLATE_NOOP("core", "the server cannot save its data and refuses writes")},
    Prefix {"MASTERDOWN", ErrorKind::MasterDown,
            QT_TRANSLATE_NOOP("core", "the server is a replica that has lost its master")},
    Prefix {"NOREPLICAS", ErrorKind::NoReplicas,
            QT_TRANSLATE_NOOP("core", "the server has too few replicas to accept writes")},
    Prefix {"EXECABORT", ErrorKind::TransactionAborted,
            QT_TRANSLATE_NOOP("core", "the server discarded the transaction")},
    Prefix {"NOSCRIPT", ErrorKind::NoScript, QT_TRANSLATE_NOOP("core", "the server does not know the script")},
    Prefix {"MOVED", ErrorKind::ClusterRedirect,
            QT_TRANSLATE_NOOP("core", "the server is a cluster node and another node serves this key")},
    Prefix {"ASK", ErrorKind::ClusterRedirect,
            QT_TRANSLATE_NOOP("core", "the server is a cluster node and the key is moving to another node")},
    Prefix {"CROSSSLOT", ErrorKind::CrossSlot,
            QT_TRANSLATE_NOOP("core", "the server is a cluster node and the keys are in different slots")},
    Prefix {"CLUSTERDOWN", ErrorKind::ClusterDown, QT_TRANSLATE_NOOP("core", "the server's cluster is down")},
    Prefix {"TRYAGAIN", ErrorKind::TryAgain, QT_TRANSLATE_NOOP("core", "the server's cluster is moving these keys")},
    // Errors without a specific prefix:
    Prefix {"ERR unknown command", ErrorKind::UnknownCommand,
            QT_TRANSLATE_NOOP("core", "the server does not know the command")},
    Prefix {"ERR unknown subcommand", ErrorKind::UnknownCommand,
            QT_TRANSLATE_NOOP("core", "the server does not know the command")},
    Prefix {"ERR Unknown Redis command called from script", ErrorKind::UnknownCommand,
            QT_TRANSLATE_NOOP("core", "the server does not know the command")},
    Prefix {"ERR The user executing the script", ErrorKind::PermissionDenied,
            QT_TRANSLATE_NOOP("core", "the server's ACL does not permit this user to do that")},
    Prefix {"ERR ACL failure in script", ErrorKind::PermissionDenied,
            QT_TRANSLATE_NOOP("core", "the server's ACL does not permit this user to do that")},
    Prefix {"ERR max number of clients", ErrorKind::TooManyClients,
            QT_TRANSLATE_NOOP("core", "the server has no room for another client")},
    Prefix {"ERR invalid password", ErrorKind::WrongPassword,
            QT_TRANSLATE_NOOP("core", "the server refused the password")},
    Prefix {"ERR AUTH <password> called without", ErrorKind::WrongPassword,
            QT_TRANSLATE_NOOP("core", "the server has no password, yet one was given")},
    Prefix {"ERR Client sent AUTH", ErrorKind::WrongPassword,
            QT_TRANSLATE_NOOP("core", "the server has no password, yet one was given")},
    Prefix {"ERR operation not permitted", ErrorKind::AuthenticationRequired,
            QT_TRANSLATE_NOOP("core", "the server wants a password")},
};

bool startsWithWord(QByteArrayView text, QByteArrayView prefix)
{
    return text.startsWith(prefix)
        && (text.size() == prefix.size() || text[prefix.size()] == ' ' || prefix.contains(' '));
}

const Prefix *prefixOf(QByteArrayView text)
{
    for (const Prefix &prefix : prefixes) {
        if (startsWithWord(text, prefix.text))
            return &prefix;
    }
    return nullptr;
}

/// Returns the prefix of a command's error within a script's error: after a dash up to Redis 6. Since Redis 7, the
/// command's error comes first.
const Prefix *wrappedPrefixOf(QByteArrayView text)
{
    for (qsizetype at = text.indexOf(" -"); at >= 0; at = text.indexOf(" -", at + 2)) {
        if (const Prefix *prefix = prefixOf(text.sliced(at + 2)))
            return prefix;
    }
    return nullptr;
}

} // namespace

base::Error serverError(const Reply &errorReply)
{
    if (!errorReply.isError())
        return {ErrorKind::Protocol,
                base::Text(QT_TRANSLATE_NOOP("core", "the server's reply has an unexpected type: %1"),
                           errorReply.toText())};
    const QByteArrayView text = errorReply.bytes();
    const Prefix *prefix = prefixOf(text);
    if (prefix == nullptr)
        prefix = wrappedPrefixOf(text);
    const QString words = base::printable(text, 300);
    if (prefix == nullptr)
        return {ErrorKind::OtherServerError,
                base::Text(QT_TRANSLATE_NOOP("core", "the server answered \"%1\""), words)};
    const base::Text explained(QT_TRANSLATE_NOOP("core", "%1 (\"%2\")"), base::Text(prefix->explanation), words);
    if (prefix->kind != ErrorKind::ClusterDown)
        return {prefix->kind, explained};
    return {prefix->kind,
            base::Text::joined(explained, base::Text(QT_TRANSLATE_NOOP(
                                              "core", "redis-cli --cluster check HOST:PORT shows the slots that no "
                                                      "node serves")))};
}

bool isTemporaryRefusal(ErrorKind kind)
{
    return kind == ErrorKind::Busy || kind == ErrorKind::Loading || kind == ErrorKind::MasterDown;
}

std::optional<base::Error> closingError(const Replies &replies)
{
    if (replies.empty() || !replies.back().isError())
        return std::nullopt;
    base::Error error = serverError(replies.back());
    if (error.kind != ErrorKind::TooManyClients && error.kind != ErrorKind::ProtectedMode)
        return std::nullopt;
    return error;
}

} // namespace latchkey::resp
