#include "core/explore/programs/localreplies.h"

#include "core/explore/schedules/subscriptions.h"
#include "core/explore/schedules/waiting.h"
#include "core/foundation/base/glob.h"

#include <QCryptographicHash>

#include <algorithm>
#include <array>

namespace latchkey::programs {

using resp::Command;
using resp::Replies;
using resp::Reply;

namespace {

/// The parts of INFO that clients check before they use a server, as of a server without load.
constexpr auto info = "# Server\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\nuptime_in_seconds:86400\r\n"
                      "# Clients\r\nconnected_clients:2\r\nblocked_clients:0\r\n"
                      "# Memory\r\nused_memory:1048576\r\nused_memory_human:1.00M\r\nmaxmemory:0\r\n"
                      "maxmemory_policy:noeviction\r\n# Persistence\r\nloading:0\r\n"
                      "# Replication\r\nrole:master\r\nconnected_slaves:0\r\n# Cluster\r\ncluster_enabled:0\r\n";

/// Parameters of CONFIG GET, with their default values.
constexpr std::array<std::pair<const char *, const char *>, 8> configuration {{
    {"appendonly", "no"},
    {"databases", "16"},
    {"maxclients", "10000"},
    {"maxmemory", "0"},
    {"maxmemory-policy", "noeviction"},
    {"notify-keyspace-events", ""},
    {"save", ""},
    {"timeout", "0"},
}};

QByteArray word(const Command &command, std::size_t index)
{
    return command.words().size() > index ? command.words()[index].toUpper() : QByteArray();
}

Reply answerToClient(const Command &command, LocalReplies::Connection &connection)
{
    const QByteArray what = word(command, 1);
    if (what == "ID")
        return Reply::integer(connection.id);
    if (what == "SETNAME" && command.words().size() > 2)
        connection.name = command.words()[2];
    if (what == "GETNAME")
        return connection.name.isEmpty() ? Reply::nil() : Reply::bulk(connection.name);
    if (what == "INFO" || what == "LIST")
        return Reply::bulk("id=" + QByteArray::number(connection.id) + " name=" + connection.name + " db=0\n");
    return Reply::status("OK");
}

Reply answerToConfig(const Command &command)
{
    Replies pairs;
    for (std::size_t i = 2; word(command, 1) == "GET" && i < command.words().size(); ++i) {
        const base::Glob pattern(command.words()[i].toLower());
        for (const auto &[parameter, value] : configuration) {
            if (pattern.matches(parameter)) {
                pairs.push_back(Reply::bulk(parameter));
                pairs.push_back(Reply::bulk(value));
            }
        }
    }
    return Reply::array(std::move(pairs));
}

Reply answerToHello(const Command &command, LocalReplies::Connection &connection)
{
    if (command.words().size() > 1 && !protocolChosenBy(command))
        return Reply::error("NOPROTO unsupported protocol version");
    connection.protocol = protocolChosenBy(command).value_or(connection.protocol);
    for (std::size_t i = 2; i + 1 < command.words().size(); ++i) {
        if (word(command, i) == "SETNAME")
            connection.name = command.words()[i + 1];
    }
    return Reply::array({Reply::bulk("server"), Reply::bulk("redis"), Reply::bulk("version"), Reply::bulk("7.0.15"),
                         Reply::bulk("proto"), Reply::integer(connection.protocol), Reply::bulk("id"),
                         Reply::integer(connection.id), Reply::bulk("mode"), Reply::bulk("standalone"),
                         Reply::bulk("role"), Reply::bulk("master"), Reply::bulk("modules"), Reply::array({})});
}

} // namespace

std::optional<int> protocolChosenBy(const Command &command)
{
    const QByteArray version = word(command, 1);
    if (word(command, 0) != "HELLO" || (version != "2" && version != "3"))
        return std::nullopt;
    return version.toInt();
}

std::optional<Reply> LocalReplies::answerTo(const Command &command, Connection &connection)
{
    const QByteArray name = word(command, 0);
    if (name == "HELLO")
        return answerToHello(command, connection);
    if (name == "SCRIPT")
        return answerToScript(command);
    if (name == "CLIENT")
        return answerToClient(command, connection);
    if (name == "AUTH" || name == "SELECT" || name == "QUIT" || name == "READONLY")
        return Reply::status("OK");
    if (name == "PING")
        return command.words().size() > 1 ? Reply::bulk(command.words()[1]) : Reply::status("PONG");
    if (name == "INFO")
        return Reply::bulk(info);
    if (name == "CONFIG")
        return answerToConfig(command);
    if (name == "COMMAND")
        return Reply::array({});
    const QByteArray digest = command.words().size() > 1 ? command.words()[1].toLower() : QByteArray();
    if (name.startsWith("EVALSHA") && !m_scripts.contains(digest))
        return Reply::error("NOSCRIPT No matching script. Please use EVAL.");
    return std::nullopt;
}

Reply LocalReplies::answerToScript(const Command &command)
{
    const QByteArray what = word(command, 1);
    if (what == "LOAD" && command.words().size() > 2)
        return Reply::bulk(remember(command.words()[2]));
    if (what != "EXISTS")
        return Reply::status("OK");
    Replies known;
    for (std::size_t i = 2; i < command.words().size(); ++i)
        known.push_back(Reply::integer(m_scripts.contains(command.words()[i].toLower()) ? 1 : 0));
    return Reply::array(std::move(known));
}

QByteArray LocalReplies::remember(const QByteArray &source)
{
    const QByteArray digest = QCryptographicHash::hash(source, QCryptographicHash::Sha1).toHex();
    m_scripts.insert(digest, source);
    return digest;
}

Command LocalReplies::withScriptSource(const Command &command)
{
    if (!command.callsScript() || command.words().size() < 2)
        return command;
    // A library may send the same script as eval, as EVAL or by its digest.
    const QByteArray name = word(command, 0).endsWith("_RO") ? "EVAL_RO" : "EVAL";
    if (!word(command, 0).startsWith("EVALSHA")) {
        (void)remember(command.words()[1]);
        return command.withWord(0, name);
    }
    const auto source = m_scripts.constFind(command.words()[1].toLower());
    return source == m_scripts.cend() ? command : command.withWord(0, name).withWord(1, *source);
}

std::optional<base::Text> LocalReplies::unsupportedReason(const Command &command)
{
    static constexpr std::array pushing {"SSUBSCRIBE", "SUNSUBSCRIBE", "MONITOR", "SYNC", "PSYNC"};
    const QByteArray name = word(command, 0);
    const auto isAmong = [&](const auto &names) { return std::ranges::find(names, name) != names.end(); };
    if (isAmong(pushing) || (name == "CLIENT" && (word(command, 1) == "TRACKING" || word(command, 1) == "REPLY")))
        return base::Text(QT_TRANSLATE_NOOP("core", "it sends %1, after which replies do not answer commands one by "
                                                    "one: programs that are told of things unasked cannot be explored"),
                          QString::fromUtf8(name));
    const auto isOfKeys = [](const QByteArray &word) { return word.startsWith("__key"); };
    if (schedules::changesSubscriptions(command) && std::ranges::any_of(command.words(), isOfKeys))
        return base::Text(QT_TRANSLATE_NOOP("core", "it subscribes to %1: programs that are told by the server what "
                                                    "becomes of keys cannot be explored"),
                          base::printable(*std::ranges::find_if(command.words(), isOfKeys)));
    if (const auto waiting = schedules::waitingOf(command); waiting && waiting->isFromNow)
        return base::Text(QT_TRANSLATE_NOOP("core", "it sends %1 with BLOCK and $, of which the answer hangs on the "
                                                    "moment at which it is sent: programs can be explored that name "
                                                    "the last entry that they know"),
                          QString::fromUtf8(name));
    if (name == "SELECT" && word(command, 1) != "0")
        return base::Text(QT_TRANSLATE_NOOP("core", "it chooses database %1: let it use database 0, as the URL that it "
                                                    "is given says"),
                          QString::fromUtf8(word(command, 1)));
    return std::nullopt;
}

} // namespace latchkey::programs
