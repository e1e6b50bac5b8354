#include "ui/pages/playground/majority.h"

#include "ui/kit/widgets/bidi.h"
#include "ui/views/keytable/keytext.h"

#include <QCoreApplication>

#include <algorithm>

namespace latchkey::ui::playground {

using latchkey::playground::ClientPool;
using latchkey::playground::ClientProcess;
using latchkey::playground::ServerPool;
using namespace std::chrono_literals;

namespace {

/// The translation context of the texts below.
struct MajorityText
{
    Q_DECLARE_TR_FUNCTIONS(Majority)
};

/// Returns the token of the client's hold if any server has it; otherwise the most frequent value.
QByteArray decisiveValue(const std::vector<ServerPool::KeyContent> &content,
                         const std::optional<ClientProcess::Hold> &hold)
{
    const auto countOf = [&](const QByteArray &value) {
        return std::ranges::count(content, value, &ServerPool::KeyContent::value);
    };
    if (hold && !hold->token.isEmpty() && countOf(hold->token.bytes()) > 0)
        return hold->token.bytes();
    const auto maximum =
        std::ranges::max_element(content, {}, [&](const ServerPool::KeyContent &each) { return countOf(each.value); });
    return maximum == content.end() ? QByteArray() : maximum->value;
}

/// Returns the expiry of a majority: the last time at which at least `majority` servers still hold the lock. If fewer
/// servers hold the lock, returns the earliest of their expiries.
base::Deadline endOf(std::vector<base::Deadline> ends, std::size_t majority)
{
    if (ends.empty())
        return base::Deadline::never();
    std::ranges::sort(ends, std::ranges::greater(), &base::Deadline::at);
    return ends[std::min(majority, ends.size()) - 1];
}

/// Counts a server whose content is unknown, and records the first error reply.
void addUnread(const std::optional<base::Error> &refusal, KeyServerState &serverState, Votes &votes)
{
    ++(refusal ? votes.refusing : votes.silent);
    if (!serverState.refusal)
        serverState.refusal = refusal;
}

} // namespace

KeyServerState majorityStateOf(const ServerPool &serverPool, const base::Key &key,
                               const std::optional<ClientProcess::Hold> &hold, const ClientPool &clientPool)
{
    KeyServerState serverState;
    Votes votes;
    votes.servers = serverPool.size();
    std::vector<ServerPool::KeyContent> held;
    for (int server = 0; server < serverPool.size(); ++server) {
        const auto seen = serverPool.contentOf(server, key);
        if (seen && seen->exists && seen->valueRefusal)
            addUnread(seen->valueRefusal, serverState, votes); // The value may be that of any client.
        else if (seen && seen->exists)
            held.push_back(*seen);
        else if (!seen && serverPool.state(server) != ServerPool::State::Gone) // A killed server holds no locks.
            addUnread(serverPool.refusal(server), serverState, votes);
    }
    serverState.isKnown = votes.unknown() < votes.servers;
    serverState.isUnobserved = votes.unknown() >= votes.majority();
    serverState.exists = !held.empty();
    serverState.value = decisiveValue(held, hold);
    std::vector<base::Deadline> ends;
    for (const ServerPool::KeyContent &each : held) {
        if (each.value == serverState.value)
            ends.push_back(each.deadline);
    }
    votes.holding = static_cast<int>(ends.size());
    serverState.deadline = endOf(std::move(ends), static_cast<std::size_t>(votes.majority()));
    serverState.votes = votes;
    if (const auto owner = clientPool.holderOf(key, base::OwnerToken(serverState.value));
        owner && !serverState.value.isEmpty()) {
        serverState.holder = owner->name;
        serverState.isHolderAlive = owner->isAlive;
    }
    return serverState;
}

QString keyStateText(const ServerPool &serverPool, int server, const base::Key &key, const ClientPool &clientPool,
                     base::MonotonicTime now)
{
    switch (serverPool.state(server)) {
    case ServerPool::State::Starting:
        return MajorityText::tr("starting");
    case ServerPool::State::Suspended:
        return MajorityText::tr("does not respond");
    case ServerPool::State::Gone:
        return MajorityText::tr("killed; data lost");
    case ServerPool::State::Up:
        break;
    }
    const auto seen = serverPool.contentOf(server, key);
    if (!seen)
        return serverPool.refusal(server) ? MajorityText::tr("cannot be read") : MajorityText::tr("requesting…");
    if (!seen->exists)
        return MajorityText::tr("not held");
    const auto owner = clientPool.holderOf(key, base::OwnerToken(seen->value));
    const QString who = owner && !seen->value.isEmpty() ? owner->name : MajorityText::tr("held");
    const auto left = seen->deadline.remaining(now);
    if (!left)
        return who;
    return *left < 0ns ? MajorityText::tr("%1, due").arg(who)
                       : MajorityText::tr("%1, %2").arg(who, widgets::isolated(keytable::durationText(*left)));
}

} // namespace latchkey::ui::playground
