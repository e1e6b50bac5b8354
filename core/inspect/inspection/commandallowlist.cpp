#include "core/inspect/inspection/commandallowlist.h"

#include "core/foundation/base/error.h"
#include "core/keyspace/events/observation.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace latchkey::inspection {

using base::ErrorKind;
using base::Text;
using resp::Command;
using resp::Reply;

namespace {

/// A command of the list, or one of its subcommands.
struct Rule
{
    const char *name;
    const char *subcommand = nullptr; ///< Null for a command without a subcommand.
    int sinceMajor = 0;               ///< First server version with the command; an older server gets no rule for it.
    int sinceMinor = 0;
    int sinceValkey = 0; ///< Major version of Valkey, if it differs from that of Redis; 0: the same.
};

/// The commands that the session, the watcher, the event sources and the one-time reads send. A test sends all of them.
constexpr std::array rules {
    Rule {"PING"},
    Rule {"SELECT"},
    Rule {"INFO"},
    Rule {"DBSIZE"},
    Rule {"SCAN"},
    Rule {"TYPE"},
    Rule {"PTTL"},
    Rule {"PEXPIRETIME", nullptr, 7},
    Rule {"DUMP"},
    Rule {"MEMORY", "USAGE"},
    Rule {"OBJECT", "IDLETIME"},
    Rule {"STRLEN"},
    Rule {"GETRANGE"},
    Rule {"HLEN"},
    Rule {"HSCAN"},
    Rule {"HPTTL", nullptr, 7, 4, 9},
    Rule {"LLEN"},
    Rule {"LRANGE"},
    Rule {"SCARD"},
    Rule {"SSCAN"},
    Rule {"ZCARD"},
    Rule {"ZRANGE"},
    Rule {"XLEN"},
    Rule {"XRANGE"},
    Rule {"CLIENT", "ID"},
    Rule {"CLIENT", "SETNAME"},
    Rule {"CLIENT", "LIST"},
    Rule {"CLIENT", "TRACKING"},
    Rule {"CLIENT", "NO-TOUCH", 7, 2},
    Rule {"CONFIG", "GET"},
    Rule {"CLUSTER", "NODES"},
    Rule {"CLUSTER", "SLOTS"},
    Rule {"ASKING"},
    Rule {"COMMAND", "LIST", 7},
    Rule {"COMMAND", "INFO"},
    Rule {"SCRIPT", "EXISTS"},
    Rule {"PUBSUB", "NUMSUB"},
    Rule {"SUBSCRIBE"},
    Rule {"PSUBSCRIBE"},
};

/// Returns whether the command is sent to a server of this version.
bool isOf(const Rule &rule, const resp::ServerInfo &server)
{
    if (rule.subcommand != nullptr && std::string_view(rule.subcommand) == "IDLETIME")
        return events::areIdleTimesTrue(server);
    if (rule.sinceValkey > 0 && server.product == u"Valkey")
        return server.version.majorVersion() >= rule.sinceValkey;
    const QVersionNumber version = server.version.isNull() ? QVersionNumber(7) : server.version;
    return version >= QVersionNumber(rule.sinceMajor, rule.sinceMinor);
}

bool hasSubcommand(const QByteArray &name)
{
    return std::ranges::any_of(rules,
                               [&](const Rule &rule) { return rule.subcommand != nullptr && name == rule.name; });
}

QByteArrayList names()
{
    QByteArrayList names;
    for (const Rule &rule : rules) {
        if (!names.contains(rule.name))
            names += rule.name;
    }
    return names;
}

bool hasFlag(const Reply &command, const char *flag)
{
    constexpr std::size_t flags = 2; // Name, number of arguments, flags, …
    return command.elements().size() > flags
        && std::ranges::any_of(command.elements()[flags].elements(),
                               [flag](const Reply &one) { return one.bytes() == flag; });
}

} // namespace

CommandAllowlist::CommandAllowlist()
{
    for (const QByteArray &name : names())
        m_allowed.insert(name, !hasSubcommand(name));
}

bool CommandAllowlist::allows(const Command &command) const
{
    const auto found = m_allowed.constFind(command.name());
    if (found == m_allowed.cend())
        return false;
    if (*found)
        return true;
    const std::vector<QByteArray> &words = command.words();
    return words.size() > 1 && std::ranges::any_of(rules, [&](const Rule &rule) {
               return rule.subcommand != nullptr && words[0] == rule.name && words[1] == rule.subcommand;
           });
}

std::optional<base::Error> CommandAllowlist::refusal(const Command &command) const
{
    if (allows(command))
        return std::nullopt;
    return base::Error {ErrorKind::Usage,
                        Text(QT_TRANSLATE_NOOP("core", "%1 is not sent: writing is not armed, and it is not among what "
                                                       "only reads"),
                             QString::fromLatin1(command.name()))};
}

Command CommandAllowlist::writeCommandsRequest(const QVersionNumber &server)
{
    // From Redis 7 on, the reply to COMMAND INFO is nested deeper than the parser accepts. A server of unknown version
    // that is older replies with an error, which is harmless.
    if (server.isNull() || server >= QVersionNumber(7))
        return {QByteArrayLiteral("COMMAND"), QByteArrayLiteral("LIST"), QByteArrayLiteral("FILTERBY"),
                QByteArrayLiteral("ACLCAT"), QByteArrayLiteral("write")};
    Command request {QByteArrayLiteral("COMMAND"), QByteArrayLiteral("INFO")};
    for (const QByteArray &name : names())
        request << name;
    return request;
}

bool CommandAllowlist::removeWriting(const Reply &answer)
{
    if (answer.elements().empty())
        return false; // Denied, or emptied by a managed service: every server has commands that write.
    for (const Reply &description : answer.elements()) {
        if (!description.isBulk() && !hasFlag(description, "write"))
            continue;
        const QByteArray name = description.isBulk() ? description.bytes() : description.elements().front().bytes();
        m_allowed.remove(name.toUpper());
    }
    return true;
}

QByteArrayList CommandAllowlist::aclRules(const resp::ServerInfo &server)
{
    QByteArrayList acl;
    for (const Rule &rule : rules) {
        if (!isOf(rule, server))
            continue;
        QByteArray name = '+' + QByteArray(rule.name).toLower();
        if (rule.subcommand != nullptr)
            name += '|' + QByteArray(rule.subcommand).toLower();
        acl += name;
    }
    return acl;
}

QString CommandAllowlist::aclLine(const QString &user, int database, const resp::ServerInfo &server)
{
    // The ACL permits a subscription to a pattern only in exactly this spelling.
    const QByteArray events = "&__keyevent@" + QByteArray::number(database) + "__:*";
    const QByteArrayList words =
        QByteArrayList {"ACL",           "SETUSER", user.toUtf8(),           "on",   ">PASSWORD", "resetkeys", "~*",
                        "resetchannels", events,    "&__redis__:invalidate", "-@all"}
        + aclRules(server);
    return QString::fromUtf8(words.join(' '));
}

} // namespace latchkey::inspection
