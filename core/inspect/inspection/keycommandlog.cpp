#include "core/inspect/inspection/keycommandlog.h"

#include "core/redis/exchange/script.h"

#include <algorithm>

namespace latchkey::inspection {

using net::Connection;
using resp::Command;

namespace {

bool names(const Command &command, const QByteArray &key)
{
    const auto &words = command.words();
    return std::find(words.begin() + (words.empty() ? 0 : 1), words.end(), key) != words.end();
}

/// Returns whether the command ends a WATCH.
bool ends(const Command &command)
{
    const QByteArray name = command.name();
    return name == "EXEC" || name == "UNWATCH" || name == "DISCARD";
}

/// Returns whether the command belongs to a transaction without naming a key.
bool isFrame(const Command &command)
{
    return command.name() == "MULTI" || ends(command);
}

} // namespace

void KeyCommandLog::setKey(const std::optional<QByteArray> &key)
{
    if (m_key == key)
        return;
    m_key = key;
    m_watching.clear();
    ++m_run;
}

Connection::TrafficObserver KeyCommandLog::trafficObserver(Purpose purpose)
{
    return [this, purpose](const resp::Commands &commands) { return listen(purpose, commands); };
}

Connection::ReplyObserver KeyCommandLog::listen(Purpose purpose, const resp::Commands &commands)
{
    if (!m_key)
        return {};
    const auto isNamed = [this](const Command &command) { return names(command, *m_key); };
    const bool isAbout = m_watching.contains(purpose) || std::ranges::any_of(commands, isNamed);
    std::vector<std::pair<std::size_t, Command>> wanted;
    for (std::size_t i = 0; isAbout && i < commands.size(); ++i) {
        if (!isNamed(commands[i]) && !isFrame(commands[i]))
            continue;
        wanted.emplace_back(i, exchange::withScriptName(commands[i]));
        if (commands[i].name() == "WATCH")
            m_watching.insert(purpose);
        else if (ends(commands[i]))
            m_watching.remove(purpose);
    }
    if (wanted.empty())
        return {};
    return
        [this, purpose, run = m_run, wanted = std::move(wanted)](const base::Result<Connection::Delivery> &delivery) {
            for (const auto &[place, command] : wanted) {
                if (run != m_run)
                    return; // A receiver of the signal has set another key.
                if (delivery)
                    Q_EMIT replyReceived(purpose, command, delivery->replies[place]);
                else
                    Q_EMIT replyReceived(purpose, command, base::failure(delivery.error()));
            }
        };
}

} // namespace latchkey::inspection
