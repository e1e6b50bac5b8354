#include "core/explore/schedules/scheduleplayer.h"

#include "core/explore/schedules/waiting.h"
#include "core/redis/net/conversation.h"
#include "core/redis/net/dialer.h"
#include "core/redis/resp/servererror.h"

#include <algorithm>

namespace latchkey::schedules {

using base::ErrorKind;
using base::failure;
using base::Result;
using resp::Command;
using resp::Reply;

namespace {

bool usesFunctions(const RecordedSchedule &schedule)
{
    return std::ranges::any_of(schedule.steps, [](const ScheduleStep &step) {
        const QByteArray name = step.command.name().toUpper();
        return name == "FUNCTION" || name.startsWith("FCALL");
    });
}

} // namespace

SchedulePlayer::SchedulePlayer(const RecordedSchedule &schedule, std::vector<net::Endpoint> servers,
                               std::chrono::seconds timeout)
    : m_schedule(schedule)
    , m_servers(std::move(servers))
    , m_timeout(timeout)
    , m_faults(schedule, [this](int server, const Command &command) { return execute(server, {}, command); })
{}

SchedulePlayer::~SchedulePlayer() = default;

/// Replaces a script's name by its SHA1 or its source, as sent to the server.
Command SchedulePlayer::withScriptSource(const Command &command) const
{
    if (!command.callsScript())
        return command;
    const auto &scripts = !command.name().toUpper().startsWith("EVALSHA") ? m_schedule.scripts : m_digests;
    const auto script = scripts.find(command.words()[1]);
    return script == scripts.end() ? command : command.withWord(1, script->second);
}

Result<void> SchedulePlayer::dial(int server, Connection &connection) const
{
    if (connection)
        return {};
    auto dialled = net::dialBlocking(m_servers.at(static_cast<std::size_t>(server)), m_timeout);
    if (!dialled)
        return failure(std::move(dialled.error()));
    connection = std::move(dialled->connection);
    return {};
}

/// Sends commands over the client's subscriber connection, which is separate because such a connection allows few other
/// commands. All messages among the replies go to the inbox.
Result<resp::Replies> SchedulePlayer::executeOnSubscriber(
    const ScheduleStep &step, const std::function<resp::Commands(const SubscriberConnection &)> &commands)
{
    SubscriberConnection &subscriber = m_subscribers[{step.server, step.client}];
    if (auto dialled = dial(step.server, subscriber.connection); !dialled)
        return failure(std::move(dialled.error()));
    subscriber.connection->acceptMessages();
    auto replies = subscriber.connection->execute(commands(subscriber), m_timeout);
    if (!replies)
        return replies;
    std::ranges::copy_if(*replies, std::back_inserter(subscriber.inbox), net::isMessage);
    std::erase_if(*replies, net::isMessage);
    return replies;
}

Result<Reply> SchedulePlayer::subscribe(const ScheduleStep &step)
{
    auto replies = executeOnSubscriber(
        step, [&](const SubscriberConnection &subscriber) { return subscriber.subscriptions.singly(step.command); });
    if (!replies)
        return failure(std::move(replies.error()));
    if (const auto refused = std::ranges::find_if(*replies, &Reply::isError); refused != replies->end())
        return *refused;
    m_subscribers[{step.server, step.client}].subscriptions.apply(step.command);
    return Reply::array(*std::move(replies));
}

/// Receives the next message; nil if there is none.
Result<StepReply> SchedulePlayer::receive(const ScheduleStep &step)
{
    if (const auto asked =
            executeOnSubscriber(step, [](const SubscriberConnection &) { return resp::Commands {{"PING"}}; });
        !asked)
        return failure(asked.error());
    auto &inbox = m_subscribers[{step.server, step.client}].inbox;
    Reply message;
    if (!inbox.empty()) {
        message = inbox.front();
        inbox.erase(inbox.begin());
    }
    return StepReply {message == step.reply, std::move(message)};
}

Result<Reply> SchedulePlayer::execute(int server, const QString &client, const Command &command)
{
    Connection &connection = m_connections[{server, client}];
    if (auto dialled = dial(server, connection); !dialled)
        return failure(std::move(dialled.error()));
    auto reply = connection->execute(command, m_timeout);
    if (!reply && reply.error().kind == ErrorKind::TimedOut)
        return failure(
            ErrorKind::Usage,
            base::Text::counted(
                m_timeout.count(),
                QT_TRANSLATE_N_NOOP("core", "timeout: the server has been executing the step for %n seconds")));
    return reply;
}

/// Sends a command that belongs to no client and must succeed.
Result<void> SchedulePlayer::executeOrFail(int server, const Command &command)
{
    return successOf(execute(server, {}, command));
}

Result<void> SchedulePlayer::begin()
{
    m_connections.clear();
    m_subscribers.clear();
    m_queueing.clear();
    m_faults.restart();
    m_played = 0;
    m_passed = {};
    if (m_setClock)
        m_setClock({});
    for (int server = 0; server < m_schedule.servers; ++server) {
        if (auto emptied = executeOrFail(server, {"FLUSHDB"}); !emptied)
            return emptied;
        // A server older than Redis 7 refuses the command: it has no functions.
        if (usesFunctions(m_schedule)) {
            if (const auto emptied = execute(server, {}, {"FUNCTION", "FLUSH"}); !emptied)
                return failure(emptied.error());
        }
        for (const auto &[name, source] : m_schedule.scripts) {
            const auto digest = execute(server, {}, {"SCRIPT", "LOAD", source});
            if (!digest)
                return failure(digest.error());
            if (!digest->isBulk())
                return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "the script %1 cannot be loaded: %2"),
                               base::printable(name), digest->toText());
            m_digests[name] = digest->bytes();
        }
        for (std::size_t i = 0; i < m_schedule.setupCommands.size(); ++i) {
            if (auto done = executeOrFail(server, m_schedule.setupCommands[i]); !done)
                return failure(done.error().during(QStringLiteral("beforehand[%1]").arg(i)));
        }
    }
    m_connections.clear(); // The preparation may have opened a transaction or selected another database.
    return {};
}

Result<StepReply> SchedulePlayer::playNext()
{
    const ScheduleStep &step = m_schedule.steps.at(m_played);
    auto played = m_faults.keepState(step.server, m_played).and_then([&] { return play(step); });
    if (!played)
        return failure(played.error().during(QStringLiteral("steps[%1]").arg(m_played)));
    ++m_played;
    return played;
}

Result<StepReply> SchedulePlayer::play(const ScheduleStep &step)
{
    Result<void> happened;
    switch (step.kind) {
    case ScheduleStep::Kind::Command: {
        if (step.isUnreached) {
            m_connections.erase({step.server, step.client});
            m_queueing.erase({step.server, step.client});
            return StepReply();
        }
        auto reply = send(step);
        if (!reply)
            return failure(std::move(reply.error()));
        if (step.isLost && changesSubscriptions(step.command))
            m_subscribers.erase({step.server, step.client});
        else if (step.isLost)
            m_connections.erase({step.server, step.client});
        return StepReply {*reply == step.reply, *std::move(reply)};
    }
    case ScheduleStep::Kind::Message:
        return receive(step);
    case ScheduleStep::Kind::CloseSubscriber:
        m_subscribers.erase({step.server, step.client});
        break;
    case ScheduleStep::Kind::Crash:
        std::erase_if(m_connections, [&](const auto &entry) { return entry.first.second == step.client; });
        std::erase_if(m_subscribers, [&](const auto &entry) { return entry.first.second == step.client; });
        break;
    case ScheduleStep::Kind::Lapse:
        happened = endKey(step.server, step.key);
        break;
    case ScheduleStep::Kind::PassDeadline:
        happened = checkDeadline(step.server, step.key);
        break;
    case ScheduleStep::Kind::Failover:
    case ScheduleStep::Kind::Restart:
    case ScheduleStep::Kind::Outage:
        disconnect(step.server);
        happened = m_faults.fail(step);
        if (happened && step.kind == ScheduleStep::Kind::Outage)
            happened = m_faults.jumpClock(step.server);
        break;
    case ScheduleStep::Kind::ClockJump:
        happened = m_faults.jumpClock(step.server);
        break;
    case ScheduleStep::Kind::Return:
    case ScheduleStep::Kind::Clock:
    case ScheduleStep::Kind::Wait:
    case ScheduleStep::Kind::Write:
        break;
    }
    if (happened && step.passed.count() > 0)
        happened = advanceClock(step.passed);
    return happened.map([] { return StepReply {}; });
}

/// Sends the client's command and returns the reply. No command may block, because the story determines the order of
/// events. So a blocking command is replaced by a transaction that does not wait. It uses a separate connection,
/// because EXEC would have another effect on the client's own connection.
Result<Reply> SchedulePlayer::send(const ScheduleStep &step)
{
    const QByteArray name = step.command.name().toUpper();
    const std::pair who {step.server, step.client};
    const bool isQueued = m_queueing.contains(who);
    if (name == "MULTI")
        m_queueing.insert(who);
    else if (name == "EXEC" || name == "DISCARD" || step.isLost)
        m_queueing.erase(who);
    if (changesSubscriptions(step.command))
        return subscribe(step);
    if (isQueued || !waitingOf(step.command))
        return execute(step.server, step.client, withScriptSource(step.command));
    if (awaitedReplicas(step.command))
        return step.reply; // The servers of the player have no replicas.
    resp::Replies replies;
    for (const Command &command : withoutWaiting(step.command)) {
        auto reply = execute(step.server, {}, command);
        if (!reply)
            return reply;
        replies.push_back(*std::move(reply));
    }
    return replyWithoutWaiting(replies);
}

Result<void> SchedulePlayer::endKey(int server, const QByteArray &key)
{
    const auto left = execute(server, {}, {"PTTL", key});
    if (!left)
        return failure(left.error());
    const auto fields = left->isInteger(-1) ? fieldEnds(server, key) : Result<FieldDeadlines>();
    if (!fields)
        return failure(fields.error());
    const auto isEnding = [](const auto &field) { return field.second >= 0; };
    const bool endsWithFields = !fields->empty() && std::ranges::all_of(*fields, isEnding);
    if (!left->isInteger() || (left->toInteger() < 0 && !endsWithFields))
        return failure(
            ErrorKind::Usage,
            left->isInteger(-2)
                ? base::Text(QT_TRANSLATE_NOOP("core", "the key %1 is not there, so its lifetime cannot end"),
                             base::printable(key))
                : base::Text(QT_TRANSLATE_NOOP("core", "the key %1 has no lifetime that could end"),
                             base::printable(key)));
    m_faults.forgetEndedKey(server, key, left->toInteger());
    return executeOrFail(server, {"DEL", key});
}

Result<void> SchedulePlayer::checkDeadline(int server, const QByteArray &key)
{
    const auto held = execute(server, {}, {"GET", key});
    if (!held)
        return failure(held.error());
    bool isNumber = false;
    if (held->isBulk())
        (void)held->bytes().toLongLong(&isNumber);
    if (!isNumber)
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "the key %1 holds no deadline"),
                       base::printable(key));
    return {};
}

Result<void> SchedulePlayer::advanceClock(std::chrono::milliseconds time)
{
    m_passed += time;
    m_faults.advance(time);
    if (m_setClock) {
        for (int server = 0; server < m_schedule.servers; ++server) {
            // A server removes expired fields lazily, and some commands still find them before that.
            if (auto ended = endFields(server, time); !ended)
                return ended;
        }
        m_setClock(m_passed);
        return {};
    }
    for (int server = 0; server < m_schedule.servers; ++server) {
        if (auto shortened = shorten(server, time); !shortened)
            return shortened;
    }
    return {};
}

/// Shortens all lifetimes on the server. A story's servers hold only a few keys.
Result<void> SchedulePlayer::shorten(int server, std::chrono::milliseconds time)
{
    const auto keys = execute(server, {}, {"KEYS", "*"});
    if (!keys)
        return failure(keys.error());
    for (const Reply &key : keys->elements()) {
        const auto left = execute(server, {}, {"PTTL", key.bytes()});
        if (!left)
            return failure(left.error());
        if (auto shortened = shortenFields(server, key.bytes(), time); !shortened)
            return shortened;
        if (!left->isInteger() || left->toInteger() < 0)
            continue;
        const qint64 then = left->toInteger() - time.count(); // The key ends if this is not positive.
        if (auto done = executeOrFail(server, {"PEXPIRE", key.bytes(), QByteArray::number(then)}); !done)
            return done;
    }
    return {};
}

/// Shortens the lifetimes of a hash's fields, if the server supports them.
Result<void> SchedulePlayer::shortenFields(int server, const QByteArray &key, std::chrono::milliseconds time)
{
    const auto fields = fieldEnds(server, key);
    if (!fields)
        return failure(fields.error());
    for (const auto &[field, left] : *fields) {
        if (left < 0)
            continue;
        const QByteArray then = QByteArray::number(std::max<qint64>(0, left - time.count()));
        if (auto done = executeOrFail(server, {"HPEXPIRE", key, then, "FIELDS", "1", field}); !done)
            return done;
    }
    return {};
}

/// Deletes all fields with a lifetime that ends within `time`.
Result<void> SchedulePlayer::endFields(int server, std::chrono::milliseconds time)
{
    const auto keys = execute(server, {}, {"KEYS", "*"});
    if (!keys)
        return failure(keys.error());
    for (const Reply &key : keys->elements()) {
        const auto fields = fieldEnds(server, key.bytes());
        if (!fields)
            return failure(fields.error());
        for (const auto &[field, left] : *fields) {
            if (left < 0 || left > time.count())
                continue;
            if (auto ended = executeOrFail(server, {"HDEL", key.bytes(), field}); !ended)
                return ended;
        }
    }
    return {};
}

/// Returns the remaining time of each field of a hash; -1: no expiry. Empty if the key is not a hash or the server has
/// no field lifetimes.
Result<SchedulePlayer::FieldDeadlines> SchedulePlayer::fieldEnds(int server, const QByteArray &key)
{
    FieldDeadlines fields;
    const auto names = execute(server, {}, {"HKEYS", key});
    if (!names)
        return failure(names.error());
    QList<QByteArray> asked;
    for (const Reply &name : names->elements())
        asked += name.bytes();
    if (asked.isEmpty())
        return fields;
    const auto ends = execute(server, {}, resp::hpttl(base::Key(key), asked));
    if (!ends)
        return failure(ends.error());
    for (std::size_t i = 0; i < ends->elements().size(); ++i)
        fields.emplace_back(asked[static_cast<qsizetype>(i)], ends->elements()[i].toInteger());
    return fields;
}

/// Ends the connections to the server.
void SchedulePlayer::disconnect(int server)
{
    const auto isOfServer = [server](const auto &entry) { return entry.first.first == server; };
    std::erase_if(m_connections, isOfServer);
    std::erase_if(m_subscribers, isOfServer);
    std::erase_if(m_queueing, [server](const auto &entry) { return entry.first == server; });
}

} // namespace latchkey::schedules
