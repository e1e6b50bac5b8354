#include "core/inspect/inspection/servercheck.h"

#include "core/keyspace/watching/rawvalues.h"
#include "core/keyspace/watching/serverevents.h"
#include "core/redis/resp/clusterslots.h"
#include "core/redis/resp/servererror.h"

#include <QPointer>

#include <algorithm>
#include <set>

namespace latchkey::inspection {

using base::ErrorKind;
using events::KeyRequest;
using keys::KeyType;
using net::Connection;
using resp::Commands;
using resp::Replies;
using resp::Reply;

namespace {

const QByteArray checkedKey = QByteArrayLiteral("latchkey:status");

/// The commands that follow the rights requests in the first request, in this order.
enum Asked : std::size_t { Size, Role, Configuration, TrackingOn, TrackingOff, User };

Commands firstRequest()
{
    Commands commands;
    for (const PermissionProbe &each : permissionProbes())
        commands.push_back(each.command);
    commands.push_back({"DBSIZE"});
    commands.push_back({"ROLE"});
    commands.push_back({"CONFIG", "GET", "notify-keyspace-events"});
    commands.push_back({"CLIENT", "TRACKING", "ON", "OPTIN"}); // Tracks no key.
    commands.push_back({"CLIENT", "TRACKING", "OFF"});
    commands.push_back({"ACL", "WHOAMI"});
    return commands;
}

void readRole(const Reply &reply, ServerCheck &check)
{
    if (!reply.isArray() || reply.elements().empty())
        return;
    const auto &parts = reply.elements();
    check.role = parts[0].bytes();
    if (check.role == "slave" && parts.size() >= 3 && parts[2].isInteger())
        check.master = parts[1].bytes() + ':' + QByteArray::number(parts[2].toInteger());
    else if (check.role == "master" && parts.size() >= 3 && parts[2].isArray())
        check.replicas = static_cast<qint64>(parts[2].elements().size());
}

ServerCheck::Events eventsOf(const Reply &configuration, const Reply &tracking)
{
    if (configuration.isArray() && configuration.elements().size() == 2
        && watching::reportsAllKeys(configuration.elements()[1].bytes()))
        return ServerCheck::Events::Notifications;
    return tracking.isError() ? ServerCheck::Events::Refused : ServerCheck::Events::Tracking;
}

/// Reads the replies to firstRequest().
ServerCheck readFirst(const Replies &replies)
{
    ServerCheck check;
    const std::size_t requests = permissionProbes().size();
    check.denied = refusalsIn(std::span(replies).first(requests));
    std::erase_if(check.denied, [](const auto &denial) { return denial.why.kind != ErrorKind::PermissionDenied; });
    const auto replyTo = [&](Asked asked) -> const Reply & { return replies[requests + asked]; };
    if (replyTo(Size).isInteger())
        check.keys = replyTo(Size).toInteger();
    readRole(replyTo(Role), check);
    check.events = eventsOf(replyTo(Configuration), replyTo(TrackingOn));
    if (!replyTo(User).isError())
        check.user = replyTo(User).bytes();
    return check;
}

/// Reads the replies to ACL DRYRUN: OK, or a text that names the missing right. An error means that the server does not
/// support or permit the command.
ServerCheck::Right rightOf(const Replies &replies)
{
    bool isRefused = false;
    for (const Reply &reply : replies) {
        if (reply.isError())
            return ServerCheck::Right::Unknown;
        isRefused = isRefused || !reply.isOk();
    }
    return isRefused ? ServerCheck::Right::Refused : ServerCheck::Right::Permitted;
}

} // namespace

std::vector<PermissionProbe> permissionProbes()
{
    std::vector<PermissionProbe> requests {{KeyRequest::Names, {"SCAN", "0", "COUNT", "1"}},
                                           {KeyRequest::Expiry, {"PTTL", checkedKey}},
                                           {KeyRequest::Type, {"TYPE", checkedKey}}};
    const base::Key key(checkedKey);
    for (const KeyType type :
         {KeyType::String, KeyType::Hash, KeyType::List, KeyType::Set, KeyType::SortedSet, KeyType::Stream}) {
        const Commands commands = watching::valueCommands(key, type);
        for (auto command = commands.begin() + 1; command != commands.end(); ++command) // The first is TYPE.
            requests.push_back({KeyRequest::Value, *command});
    }
    return requests;
}

std::vector<events::Coverage::Denial> refusalsIn(std::span<const Reply> replies)
{
    const std::vector<PermissionProbe> requests = permissionProbes();
    std::vector<events::Coverage::Denial> denied;
    std::set<KeyRequest> answered;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const KeyRequest request = requests[i].request;
        const ErrorKind kind = resp::serverError(replies[i]).kind;
        const bool hasNoStreams = kind == ErrorKind::UnknownCommand && requests[i].command.name() == "XLEN";
        const bool isRefused = replies[i].isError() && !resp::Redirect::fromReply(replies[i])
                            && kind != ErrorKind::WrongType && !hasNoStreams;
        if (!isRefused)
            answered.insert(request);
        else if (std::ranges::find(denied, request, &events::Coverage::Denial::request) == denied.end())
            denied.push_back({request, resp::serverError(replies[i])});
    }
    for (events::Coverage::Denial &denial : denied)
        denial.isOfSomeKeys = answered.contains(denial.request);
    return denied;
}

void checkServer(Connection &connection, std::chrono::milliseconds timeout, const QObject &context,
                 std::function<void(const base::Result<ServerCheck> &)> done)
{
    const auto readSecond = [done](ServerCheck check, const base::Result<Connection::Delivery> &delivery) {
        if (!delivery)
            return done(base::failure(delivery.error()));
        check.writing = rightOf(delivery->replies);
        done(check);
    };
    connection.send(firstRequest(), timeout, &context,
                    [&context, done, readSecond, timeout,
                     connection = QPointer(&connection)](const base::Result<Connection::Delivery> &delivery) {
                        if (!delivery)
                            return done(base::failure(delivery.error()));
                        const ServerCheck check = readFirst(delivery->replies);
                        if (check.user.isEmpty() || connection == nullptr)
                            return done(check);
                        connection->send({{"ACL", "DRYRUN", check.user, "DEL", checkedKey},
                                          {"ACL", "DRYRUN", check.user, "PEXPIRE", checkedKey, "1000"}},
                                         timeout, &context,
                                         [check, readSecond](const auto &second) { readSecond(check, second); });
                    });
}

} // namespace latchkey::inspection
