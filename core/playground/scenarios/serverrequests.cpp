#include "core/playground/scenarios/serverrequests.h"

#include "core/playground/scenarios/confinement.h"

namespace latchkey::scenarios {

using exchange::Answer;
using exchange::Answers;
using exchange::Batch;
using exchange::Exchange;
using exchange::Request;
using exchange::tentatively;

namespace {

/// Returns the replication ID of a server or replica. `info`: its reply to INFO.
QByteArray replicationId(const resp::Reply &info)
{
    constexpr QByteArrayView field("\nmaster_replid:");
    constexpr qsizetype length = 40;
    const qsizetype at = info.bytes().indexOf(field);
    return at < 0 ? QByteArray() : info.bytes().mid(at + field.size(), length);
}

} // namespace

Exchange<ObservedKey> readKey(base::Key key, int server)
{
    Batch questions;
    questions.add(resp::pttl(key), server);
    questions.add(resp::type(key), server);
    const Answers answers = co_await std::move(questions);
    for (const Answer &answer : answers) {
        if (!answer)
            throw base::Failure(answer.error());
    }
    ObservedKey observedKey;
    observedKey.key = key;
    observedKey.server = server;
    const QByteArray type = answers.at(1)->bytes();
    observedKey.exists = type != "none";
    if (const qint64 left = answers.at(0)->toInteger(); left >= 0)
        observedKey.left = std::chrono::milliseconds(left);
    if (type == "string") {
        const Answer held = co_await tentatively(Request(resp::get(key), server));
        if (held && held->isBulk())
            observedKey.value = held->bytes();
    } else if (type == "hash") {
        const Answer held = co_await tentatively(Request(resp::hgetall(key), server));
        for (std::size_t i = 0; held && i + 1 < held->elements().size(); i += 2)
            observedKey.fields[held->elements()[i].bytes()] = held->elements()[i + 1].bytes();
    }
    co_return observedKey;
}

// A replica needs commands that are denied to other users.
Exchange<bool> confined(int first, int count, QByteArray password)
{
    const resp::Command replicas {"ACL", "SETUSER", replicaUser, "on", '>' + password, "+ping", "+psync", "+replconf"};
    for (int server = first; server < first + count; ++server) {
        (void)co_await Request(replicas, server);
        (void)co_await Request(confiningCommand(), server);
    }
    co_return true;
}

// The arguments of a process would show the password, so it is set by a command.
Exchange<bool> follow(int replica, quint16 port, QByteArray password)
{
    const resp::Command user {"CONFIG", "SET", "masteruser", replicaUser};
    const resp::Command login {"CONFIG", "SET", "masterauth", password};
    (void)co_await Request(user, replica);
    (void)co_await Request(login, replica);
    const resp::Command primary {"REPLICAOF", "127.0.0.1", QByteArray::number(port)};
    (void)co_await Request(primary, replica);
    co_return true;
}

Exchange<bool> promoted(int replica)
{
    const resp::Command promotion {"REPLICAOF", "NO", "ONE"};
    (void)co_await Request(promotion, replica);
    co_return true;
}

// A server reports a replica as online when it has sent its data. The replica may not have loaded them yet: it takes
// over the replication ID after that.
Exchange<bool> haveInSync(std::map<int, std::vector<int>> replicas)
{
    const resp::Command request {"INFO", "replication"};
    for (const auto &[server, followers] : replicas) {
        const resp::Reply primary = co_await Request(request, server);
        if (primary.bytes().count("state=online") < static_cast<qsizetype>(followers.size()))
            co_return false;
        for (const int follower : followers) {
            const resp::Reply replica = co_await Request(request, follower);
            if (replicationId(replica) != replicationId(primary) || !replica.bytes().contains("master_link_status:up"))
                co_return false;
        }
    }
    co_return true;
}

} // namespace latchkey::scenarios
