#pragma once

#include "core/keyspace/budget/commandcosts.h"
#include "core/redis/net/dialer.h"
#include "core/redis/net/endpoint.h"

#include <QJsonObject>

#include <optional>
#include <vector>

namespace latchkey::cli {

/// A survey of a server: what it lets this user see, what looking costs, what is missing and how to permit it.
///
/// Each command that the program may send to look is sent once, to a key that need not exist; nothing is written. Its
/// basis is the reply of the server and not its ACL, which the user may not read. A value, printed by ping --full.
class ServerSurvey final
{
public:
    /// The subjects of the survey. The order is that of the printed lines.
    enum class Subject : quint8 { Keys, Expiry, Types, Values, Changes, Clients, Cost };

    /// A command that the server refuses.
    struct Refusal
    {
        Subject subject = Subject::Keys;
        QByteArray command; ///< `CLIENT LIST`.
        base::Error why;
        QByteArrayList permit; ///< The ACL rules that permit it. Empty: no rule does, the server lacks the command.
    };

    /// Asks the server over its new connection, which is of no further use. Error: the server does not reply.
    [[nodiscard]] static base::Result<ServerSurvey> make(const net::Endpoint &endpoint,
                                                         net::DialResult<net::BlockingConnection> &dialled,
                                                         std::chrono::milliseconds timeout);

    /// Returns the lines of the text, about ten.
    [[nodiscard]] QStringList lines() const;
    /// Returns the members that --full adds to the JSON of ping.
    [[nodiscard]] QJsonObject toJson() const;

    [[nodiscard]] const std::vector<Refusal> &refusals() const { return m_refusals; }

private:
    void note(Subject subject, const QByteArray &command, const QByteArray &rule, const resp::Reply &reply);
    void noteSetting(const resp::Reply &reply);
    [[nodiscard]] bool isRefused(const QByteArray &command) const;
    [[nodiscard]] bool isMissing(Subject subject) const;
    /// Returns the source of changes: `notifications`, `tracking` or `polling`.
    [[nodiscard]] QString changesBy() const;
    [[nodiscard]] QString changesLine() const;
    [[nodiscard]] QString costLine() const;
    /// Returns the commands and the server's time for a look at all keys.
    [[nodiscard]] budget::Expense expense() const;
    /// Returns the ACL command that permits what is missing; empty: nothing is missing that a rule permits.
    [[nodiscard]] QString permission() const;

    QString m_user;                         ///< Of ACL WHOAMI, else of the URL.
    std::optional<QByteArray> m_eventFlags; ///< Value of notify-keyspace-events; absent: refused.
    std::optional<qint64> m_keys;           ///< Number of keys; absent: refused.
    budget::CommandCosts m_costs;
    std::vector<Refusal> m_refusals;
};

} // namespace latchkey::cli
