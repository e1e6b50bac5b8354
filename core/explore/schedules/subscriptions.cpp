#include "core/explore/schedules/subscriptions.h"

#include <algorithm>

namespace latchkey::schedules {

using resp::Command;
using resp::Commands;

namespace {

bool isOfPatterns(const QByteArray &name)
{
    return name.startsWith('P');
}

bool isLeaving(const QByteArray &name)
{
    return name.contains("UNSUB");
}

} // namespace

bool changesSubscriptions(const Command &command)
{
    const QByteArray name = command.name().toUpper();
    return name == "SUBSCRIBE" || name == "UNSUBSCRIBE" || name == "PSUBSCRIBE" || name == "PUNSUBSCRIBE";
}

Commands Subscriptions::singly(const Command &command) const
{
    const QByteArray name = command.name().toUpper();
    Commands all;
    for (std::size_t i = 1; i < command.words().size(); ++i)
        all.push_back({name, command.words()[i]});
    if (all.empty() && isLeaving(name)) {
        for (const QByteArray &word : isOfPatterns(name) ? patterns : channels)
            all.push_back({name, word});
    }
    return all.empty() ? Commands {command} : all; // The command has one reply, possibly an error.
}

void Subscriptions::apply(const Command &command)
{
    const QByteArray name = command.name().toUpper();
    auto &listed = isOfPatterns(name) ? patterns : channels;
    for (const Command &single : singly(command)) {
        if (single.words().size() < 2)
            continue;
        const QByteArray &word = single.words()[1];
        const auto position = std::ranges::lower_bound(listed, word);
        const bool isListed = position != listed.end() && *position == word;
        if (isLeaving(name) && isListed)
            listed.erase(position);
        else if (!isLeaving(name) && !isListed)
            listed.insert(position, word);
    }
}

Commands Subscriptions::commands() const
{
    Commands all;
    for (const QByteArray &channel : channels)
        all.push_back({"SUBSCRIBE", channel});
    for (const QByteArray &pattern : patterns)
        all.push_back({"PSUBSCRIBE", pattern});
    return all;
}

} // namespace latchkey::schedules
