#pragma once

#include "core/redis/resp/command.h"
#include "core/redis/resp/reply.h"
#include "core/redis/resp/serverinfo.h"

#include <QHash>

#include <optional>

namespace latchkey::inspection {

/// The list of commands that may be sent to watch a server. It prevents writes to a server that is not armed, and
/// provides the ACL rules for a watch-only user.
///
/// The list is built in. A command that the server reports as writing is removed, because a module may have a command
/// of the same name. If the server does not report its writing commands, the list stays unchanged. A value type.
class CommandAllowlist final
{
public:
    /// Creates the built-in list.
    CommandAllowlist();

    /// Returns whether the command may be sent for watching.
    [[nodiscard]] bool allows(const resp::Command &command) const;
    /// Returns why the command may not be sent, as a sentence. Absent if it may be sent.
    [[nodiscard]] std::optional<base::Error> refusal(const resp::Command &command) const;

    /// Returns the request for the commands that write: `COMMAND LIST FILTERBY ACLCAT write`. Before Redis 7: `COMMAND
    /// INFO …` with all commands of the list. `server`: the server's version; null if unknown.
    [[nodiscard]] static resp::Command writeCommandsRequest(const QVersionNumber &server);
    /// Removes the commands that the server reports as writing. Returns false and changes nothing if the server does
    /// not report them.
    bool removeWriting(const resp::Reply &answer);

    /// Returns the ACL SETUSER rules that permit all commands of the list. Rules for keys, for channels of keyspace
    /// notifications and for traces are not included. A server rejects a rule for an unknown command, so `server` gives
    /// product and version; if they are unknown, Redis 7.0 is assumed.
    [[nodiscard]] static QByteArrayList aclRules(const resp::ServerInfo &server);
    /// Returns the ACL line for a user who may watch everything in a database and change nothing. The administrator has
    /// to fill in a password, and may restrict the keys.
    [[nodiscard]] static QString aclLine(const QString &user, int database, const resp::ServerInfo &server);

private:
    QHash<QByteArray, bool> m_allowed; ///< By upper-case name; false: only the listed subcommands.
};

} // namespace latchkey::inspection
