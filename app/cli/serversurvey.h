#pragma once

#include "core/keyspace/budget/commandcosts.h"
#include "core/redis/net/dialer.h"
#include "core/redis/net/endpoint.h"

#include <QJsonObject>

#include <optional>
#include <vector>

namespace latchkey::cli {

/// A survey of a server: the data visible to this user, the cost of observation, and the missing permissions.
///
/// Each command that an observation may send is sent once, to a key that need not exist; nothing is written. The survey
/// relies on the replies of the server and not on its ACL, which the user may not read. A value, printed by status
/// --full.
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
        QByteArrayList permit; ///< ACL rules that permit the command. Empty if the server does not have it.
    };

    /// Surveys the server over a new connection, which cannot be used for anything else. Error: the server does not
    /// reply.
    [[nodiscard]] static base::Result<ServerSurvey> make(const net::Endpoint &endpoint,
                                                         net::DialResult<net::BlockingConnection> &dialled,
                                                         std::chrono::milliseconds timeout);

    /// Returns about ten lines of text.
    [[nodiscard]] QStringList lines() const;
    /// Returns the members that --full adds to the JSON of status.
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
    /// Returns the number of commands and the server time for one read of all keys.
    [[nodiscard]] budget::CommandCost cost() const;
    /// Returns the ACL command that grants the missing permissions. Empty if no rule is missing.
    [[nodiscard]] QString permission() const;

    QString m_user;                         ///< User name from ACL WHOAMI, otherwise from the URL.
    std::optional<QByteArray> m_eventFlags; ///< Value of notify-keyspace-events; absent: refused.
    std::optional<qint64> m_keys;           ///< Number of keys; absent: refused.
    budget::CommandCosts m_costs;
    std::vector<Refusal> m_refusals;
};

} // namespace latchkey::cli
