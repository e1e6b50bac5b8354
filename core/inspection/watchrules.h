#pragma once

#include "core/resp/command.h"
#include "core/resp/reply.h"
#include "core/resp/serverinfo.h"

#include <QHash>

#include <optional>

namespace latchkey::inspection {

/// What is sent to watch a server, and nothing else: the list that keeps a server that nobody has armed from being
/// written to, and from which the line comes that permits a user to watch.
///
/// The list is ours; the server's own flags (COMMAND INFO) take away from it what they say writes, as a module's
/// command of the same name may, and what the server does not have. Where it does not tell, ours stands as it is. A
/// value type.
class WatchRules final
{
public:
    /// Of our own list.
    WatchRules();

    /// Whether that may be sent by somebody who only watches.
    [[nodiscard]] bool allows(const resp::Command &command) const;
    /// The same in a sentence; nothing where it is allowed.
    [[nodiscard]] std::optional<base::Error> refusal(const resp::Command &command) const;

    /// Which commands write: `COMMAND LIST FILTERBY ACLCAT write`, and before Redis 7 `COMMAND INFO …` of all on our
    /// list.
    /// server: its version; null where it is not known.
    [[nodiscard]] static resp::Command question(const QVersionNumber &server);
    /// Takes the server's word for it. False where it does not tell, and then nothing is changed.
    bool hear(const resp::Reply &answer);

    /// For ACL SETUSER: what a user has to be permitted for all of it, but the keys, the channels of keyspace
    /// notifications and what only a trace needs. A server refuses a line with a command that it does not have: server
    /// is its product and version; where they are not known, it is taken for Redis 7.0.
    [[nodiscard]] static QByteArrayList aclRules(const resp::ServerInfo &server);
    /// The line for a user who may watch everything in a database and change nothing; a password is the reader's to put
    /// in, and fewer keys where they are to be fewer.
    [[nodiscard]] static QString aclLine(const QString &user, int database, const resp::ServerInfo &server);

private:
    QHash<QByteArray, bool> m_allowed; ///< By name, in capitals: all of it, or only the subcommands on our list.
};

} // namespace latchkey::inspection
