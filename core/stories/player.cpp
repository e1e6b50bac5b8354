#include "core/stories/player.h"

#include "core/resp/dialer.h"
#include "core/resp/servererror.h"

namespace latchkey::stories {

using base::ErrorKind;
using base::failure;
using base::Result;
using resp::Command;
using resp::Reply;
using namespace std::chrono_literals;

namespace {

constexpr auto patience = 10s;

} // namespace

Player::Player(const Story &story, std::vector<resp::Endpoint> servers)
    : m_story(story)
    , m_servers(std::move(servers))
{}

Player::~Player() = default;

/// The command as it goes over the wire: with a script's SHA1, or its source, in place of its name.
Command Player::spelledOut(const Command &command) const
{
    if (!command.callsScript())
        return command;
    const auto &scripts = command.name().toUpper() == "EVAL" ? m_story.scripts : m_digests;
    const auto script = scripts.find(command.words()[1]);
    return script == scripts.end() ? command : command.withWord(1, script->second);
}

Result<Reply> Player::ask(int server, const QString &client, const Command &command)
{
    Connection &connection = m_connections[{server, client}];
    if (!connection) {
        auto dialled = resp::dialBlocking(m_servers.at(static_cast<std::size_t>(server)), patience);
        if (!dialled)
            return failure(std::move(dialled.error()));
        connection = std::move(dialled->connection);
    }
    return connection->ask(command, patience);
}

/// For what no client does and what has to work.
Result<void> Player::insist(int server, const Command &command)
{
    const auto reply = ask(server, {}, command);
    if (!reply)
        return failure(reply.error());
    if (reply->isError())
        return failure(resp::serverError(*reply));
    return {};
}

Result<void> Player::begin()
{
    m_connections.clear();
    m_played = 0;
    for (int server = 0; server < m_story.servers; ++server) {
        if (auto emptied = insist(server, {"FLUSHDB"}); !emptied)
            return emptied;
        for (const auto &[name, source] : m_story.scripts) {
            const auto digest = ask(server, {}, {"SCRIPT", "LOAD", source});
            if (!digest)
                return failure(digest.error());
            if (!digest->isBulk())
                return failure(
                    ErrorKind::Usage,
                    QStringLiteral("the script %1 cannot be loaded: %2").arg(base::printable(name), digest->toText()));
            m_digests[name] = digest->bytes();
        }
        for (const Command &command : m_story.beforehand) {
            if (auto done = insist(server, command); !done)
                return done;
        }
    }
    return {};
}

Result<Played> Player::playNext()
{
    const Step &step = m_story.steps.at(m_played);
    switch (step.kind) {
    case Step::Kind::Command: {
        auto reply = ask(step.server, step.client, spelledOut(step.command));
        if (!reply)
            return failure(std::move(reply.error()));
        ++m_played;
        return Played {*reply == step.reply, *std::move(reply)};
    }
    case Step::Kind::Crash:
        std::erase_if(m_connections, [&](const auto &entry) { return entry.first.second == step.client; });
        break;
    case Step::Kind::Lapse:
        if (auto ended = insist(step.server, {"DEL", step.key}); !ended)
            return failure(std::move(ended.error()));
        break;
    case Step::Kind::Clock:
    case Step::Kind::Wait:
    case Step::Kind::Write:
    case Step::Kind::PassDeadline:
        break;
    }
    ++m_played;
    return Played {};
}

} // namespace latchkey::stories
