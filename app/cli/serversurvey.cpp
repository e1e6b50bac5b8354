#include "app/cli/serversurvey.h"

#include "app/help/commandline.h"
#include "app/help/helptext.h"
#include "core/foundation/base/duration.h"
#include "core/keyspace/budget/commandlimit.h"
#include "core/keyspace/watching/serverevents.h"
#include "core/redis/resp/clusterslots.h"
#include "core/redis/resp/servererror.h"

#include <QJsonArray>

#include <algorithm>
#include <array>
#include <cmath>

namespace latchkey::cli {

using help::CommandLine;
using resp::Reply;
using Subject = ServerSurvey::Subject;

namespace {

/// A command that an observation sends, and the ACL rule that permits it.
struct Probe
{
    Subject subject;
    resp::Command command;
    QByteArray rule;
};

constexpr std::array subjects {Subject::Keys,    Subject::Expiry,  Subject::Types, Subject::Values,
                               Subject::Changes, Subject::Clients, Subject::Cost};

QString idOf(Subject subject)
{
    switch (subject) {
    case Subject::Keys:
        return QStringLiteral("keys");
    case Subject::Expiry:
        return QStringLiteral("expiry");
    case Subject::Types:
        return QStringLiteral("types");
    case Subject::Values:
        return QStringLiteral("values");
    case Subject::Changes:
        return QStringLiteral("changes");
    case Subject::Clients:
        return QStringLiteral("clients");
    case Subject::Cost:
        return QStringLiteral("cost");
    }
    Q_UNREACHABLE();
}

/// Returns the read commands of all value types. The key need not exist: rights are checked before the key is looked
/// up.
std::vector<Probe> valueProbes(const QByteArray &key)
{
    const std::pair<const char *, std::vector<QByteArray>> commands[] {
        {"GETRANGE", {"0", "0"}},
        {"STRLEN", {}},
        {"HLEN", {}},
        {"HSCAN", {"0"}},
        {"LLEN", {}},
        {"LRANGE", {"0", "0"}},
        {"SCARD", {}},
        {"SSCAN", {"0"}},
        {"ZCARD", {}},
        {"ZRANGE", {"0", "0"}},
        {"XLEN", {}},
        {"XRANGE", {"-", "-"}},
    };
    std::vector<Probe> probes;
    for (const auto &[name, rest] : commands) {
        resp::Command command {QByteArray(name), key};
        for (const QByteArray &word : rest)
            command << word;
        probes.push_back({Subject::Values, command, '+' + QByteArray(name).toLower()});
    }
    return probes;
}

std::vector<Probe> probesFor(int database)
{
    const QByteArray key("latchkey:status");
    std::vector<Probe> probes {
        {Subject::Keys, {"SCAN", "0", "COUNT", "1"}, "+scan"},
        {Subject::Keys, {"DBSIZE"}, "+dbsize"},
        {Subject::Expiry, {"PTTL", key}, "+pttl"},
        {Subject::Types, {"TYPE", key}, "+type"},
        {Subject::Cost, {"INFO", "commandstats"}, "+info"},
        {Subject::Clients, {"CLIENT", "LIST", "ID", "0"}, "+client|list"},
        {Subject::Changes, {"CONFIG", "GET", "notify-keyspace-events"}, "+config|get"},
        {Subject::Changes, {"CLIENT", "ID"}, "+client|id"},
        {Subject::Changes, {"CLIENT", "TRACKING", "OFF"}, "+client|tracking"},
    };
    for (Probe &probe : valueProbes(key))
        probes.push_back(std::move(probe));
    // These two are last, because push messages may follow them.
    probes.push_back({Subject::Changes, {"SUBSCRIBE", "__redis__:invalidate"}, "+subscribe"});
    probes.push_back(
        {Subject::Changes, {"PSUBSCRIBE", "__keyevent@" + QByteArray::number(database) + "__:*"}, "+psubscribe"});
    return probes;
}

/// Returns the command name that the ACL uses: `CLIENT LIST`.
QByteArray nameOf(const Probe &probe)
{
    const auto &words = probe.command.words();
    return probe.rule.contains('|') ? words[0] + ' ' + words[1] : words[0];
}

/// Returns the rules that permit a refused command. The error text shows whether the user lacks the command, the key or
/// the channel. The known texts are those of NOPERM in Redis 6 to 8 and in Valkey.
QByteArrayList rulesFor(const Probe &probe, const QByteArray &sentence)
{
    // A server rejects a channel rule for a user with all channels, so it is not combined with the command rule.
    if (sentence.contains("channel"))
        return {'&' + probe.command.words().back()};
    if (sentence.contains("to run the"))
        return {probe.rule};
    return {"~*"};
}

QString yes(bool isSeen)
{
    return isSeen ? CommandLine::tr("yes") : CommandLine::tr("not all");
}

} // namespace

base::Result<ServerSurvey> ServerSurvey::make(const net::Endpoint &endpoint,
                                              net::DialResult<net::BlockingConnection> &dialled,
                                              std::chrono::milliseconds timeout)
{
    ServerSurvey survey;
    const auto user = dialled.connection->execute(resp::Command {"ACL", "WHOAMI"}, timeout);
    if (!user)
        return base::failure(user.error());
    survey.m_user = user->isBulk()          ? QString::fromUtf8(user->bytes())
                  : endpoint.user.isEmpty() ? QStringLiteral("default")
                                            : endpoint.user;
    const std::vector<Probe> probes = probesFor(endpoint.database);
    dialled.connection->acceptMessages();
    resp::Commands commands;
    for (const Probe &probe : probes)
        commands.push_back(probe.command);
    const auto replies = dialled.connection->execute(commands, timeout);
    if (!replies)
        return base::failure(replies.error());
    for (std::size_t i = 0; i < probes.size(); ++i) {
        const Reply &reply = (*replies)[i];
        const QByteArray name = nameOf(probes[i]);
        if (name == "DBSIZE" && reply.isInteger())
            survey.m_keys = reply.toInteger();
        else if (name == "INFO" && reply.isBulk())
            survey.m_costs.learn(reply.bytes());
        else if (name == "CONFIG GET" && reply.isArray())
            survey.noteSetting(reply);
        survey.note(probes[i].subject, name,
                    reply.isError() ? rulesFor(probes[i], reply.bytes()).join(' ') : QByteArray(), reply);
    }
    return survey;
}

void ServerSurvey::note(Subject subject, const QByteArray &command, const QByteArray &rule, const Reply &reply)
{
    if (!reply.isError() || resp::Redirect::fromReply(reply)) // Another node serves the key; rights are checked first.
        return;
    const base::Error why = resp::serverError(reply);
    // A key of another type is readable too, and CLIENT LIST ID reports an unknown client as a syntax error.
    if (why.kind == base::ErrorKind::WrongType
        || (subject == Subject::Clients && why.kind != base::ErrorKind::PermissionDenied))
        return;
    const bool isPermission = why.kind == base::ErrorKind::PermissionDenied;
    m_refusals.push_back({subject, command, why, isPermission ? rule.split(' ') : QByteArrayList()});
}

void ServerSurvey::noteSetting(const Reply &reply)
{
    // Without the right to this setting, the reply is empty.
    if (reply.elements().size() == 2)
        m_eventFlags = reply.elements()[1].bytes();
}

bool ServerSurvey::isRefused(const QByteArray &command) const
{
    return std::ranges::any_of(m_refusals, [&](const Refusal &refusal) { return refusal.command == command; });
}

bool ServerSurvey::isMissing(Subject subject) const
{
    return std::ranges::any_of(m_refusals, [&](const Refusal &refusal) { return refusal.subject == subject; });
}

QString ServerSurvey::changesBy() const
{
    if (m_eventFlags && watching::reportsAllKeys(*m_eventFlags) && !isRefused("PSUBSCRIBE"))
        return QStringLiteral("notifications");
    const bool canTrack = !isRefused("CLIENT ID") && !isRefused("CLIENT TRACKING") && !isRefused("SUBSCRIBE");
    return canTrack ? QStringLiteral("tracking") : QStringLiteral("polling");
}

QString ServerSurvey::changesLine() const
{
    const QString by = changesBy();
    const QString setting =
        m_eventFlags ? CommandLine::tr("notify-keyspace-events is \"%1\"").arg(QString::fromUtf8(*m_eventFlags))
                     : CommandLine::tr("notify-keyspace-events is not known");
    const QString mechanism = by == u"notifications" ? CommandLine::tr("keyspace notifications")
                            : by == u"tracking"      ? CommandLine::tr("client tracking")
                                                     : CommandLine::tr("polling only, so short changes are missed");
    return QStringLiteral("%1 (%2)").arg(mechanism, setting);
}

budget::CommandCost ServerSurvey::cost() const
{
    constexpr double keysOfAScan = 1000;
    const auto keys = static_cast<double>(m_keys.value_or(0));
    const double scans = std::ceil(keys / keysOfAScan);
    return {2 * keys + scans,
            keys * (m_costs.estimate(QByteArrayLiteral("pttl")) + m_costs.estimate(QByteArrayLiteral("type")))
                + scans * m_costs.estimate(QByteArrayLiteral("scan"))};
}

QString ServerSurvey::costLine() const
{
    constexpr int percent = 100;
    const double share = budget::CommandLimit::ofWatching().share().value_or(0);
    const QString watching = CommandLine::tr("watching takes at most %1 % of its core").arg(percent * share);
    if (!m_keys)
        return CommandLine::tr("not known without the number of keys; %1").arg(watching);
    const budget::CommandCost all = cost();
    const QString commands = CommandLine::tr("a look at all keys: commands: %1").arg(std::llround(all.commands));
    if (!m_costs.areKnown())
        return CommandLine::tr("%1; the server does not say how long its commands take").arg(commands);
    const auto time = std::chrono::nanoseconds(std::llround(all.microseconds * 1000));
    return CommandLine::tr("%1, about %2 of the server; %3").arg(commands, base::millisecondsText(time), watching);
}

QString ServerSurvey::permission() const
{
    QByteArrayList rules;
    for (const Refusal &refusal : m_refusals) {
        for (const QByteArray &rule : refusal.permit) {
            if (!rules.contains(rule))
                rules += rule;
        }
    }
    return rules.isEmpty() ? QString()
                           : QStringLiteral("ACL SETUSER %1 %2").arg(m_user, QString::fromUtf8(rules.join(' ')));
}

QStringList ServerSurvey::lines() const
{
    const auto line = [](const QString &title, const QString &text) {
        constexpr qsizetype column = 11;
        return help::padded(title, column) + text;
    };
    QStringList lines {
        line(CommandLine::tr("user"), m_user),
        line(CommandLine::tr("key names"), yes(!isMissing(Subject::Keys))),
        line(CommandLine::tr("expiry"), yes(!isMissing(Subject::Expiry))),
        line(CommandLine::tr("types"), yes(!isMissing(Subject::Types))),
        line(CommandLine::tr("values"), yes(!isMissing(Subject::Values))),
        line(CommandLine::tr("changes"), changesLine()),
        line(CommandLine::tr("clients"), yes(!isMissing(Subject::Clients))),
        line(CommandLine::tr("cost"), costLine()),
    };
    QStringList missing;
    for (const Refusal &refusal : m_refusals)
        missing += QString::fromUtf8(refusal.command);
    lines += line(CommandLine::tr("missing"),
                  missing.isEmpty() ? CommandLine::tr("nothing") : missing.join(QStringLiteral(", ")));
    if (const QString command = permission(); !command.isEmpty())
        lines += line(CommandLine::tr("permit"), command);
    return lines;
}

QJsonObject ServerSurvey::toJson() const
{
    QJsonObject seen;
    for (const Subject subject : subjects)
        seen.insert(idOf(subject), !isMissing(subject));
    QJsonArray missing;
    for (const Refusal &refusal : m_refusals) {
        QJsonArray permit;
        for (const QByteArray &rule : refusal.permit)
            permit += QString::fromUtf8(rule);
        missing += QJsonObject {{QStringLiteral("subject"), idOf(refusal.subject)},
                                {QStringLiteral("command"), QString::fromUtf8(refusal.command)},
                                {QStringLiteral("why"), refusal.why.message()},
                                {QStringLiteral("permit"), permit}};
    }
    const budget::CommandCost all = cost();
    const QString command = permission();
    return {
        {QStringLiteral("user"), m_user},
        {QStringLiteral("sees"), seen},
        {QStringLiteral("changes_by"), changesBy()},
        {QStringLiteral("notify_keyspace_events"),
         m_eventFlags ? QJsonValue(QString::fromUtf8(*m_eventFlags)) : QJsonValue()},
        {QStringLiteral("look_commands"), m_keys ? QJsonValue(std::round(all.commands)) : QJsonValue()},
        {QStringLiteral("look_server_us"),
         m_keys && m_costs.areKnown() ? QJsonValue(std::round(all.microseconds)) : QJsonValue()},
        {QStringLiteral("missing"), missing},
        {QStringLiteral("permit"), command.isEmpty() ? QJsonValue() : QJsonValue(command)},
    };
}

} // namespace latchkey::cli
