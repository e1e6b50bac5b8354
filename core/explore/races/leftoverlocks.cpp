#include "core/explore/races/leftoverlocks.h"

#include <algorithm>

namespace latchkey::races {

using base::failure;
using base::Result;

namespace {

bool isNamedBy(const resp::Commands &commands, const QByteArray &key)
{
    return std::ranges::any_of(commands, [&](const resp::Command &command) {
        return std::ranges::find(command.words(), key) != command.words().end();
    });
}

} // namespace

LeftoverLocks::LeftoverLocks(Transitions &transitions, const State &beginning)
    : m_transitions(transitions)
{
    const Model &model = transitions.model();
    const ExternalProgram &program = *model.subject().program;
    const auto known = program.lockKeys();
    const bool isLockKnown = std::ranges::any_of(known, &LockKey::isLock);
    const bool isAnyPopped = std::ranges::find(known, LockKey::Reason::Popped, &LockKey::reason) != known.end();
    for (int server = 0; server < model.subject().servers; ++server) {
        // Elements that are not put back are jobs. An empty queue is no obstacle, unless a job was left behind.
        const bool isJobLeft = std::ranges::any_of(known, [&](const LockKey &key) {
            return key.reason == LockKey::Reason::Moved && !key.isLeftBehind
                && model.snapshot(beginning, server).find(key.key) != nullptr;
        });
        for (const LockKey &key : known) {
            if (!isLockKnown && key.reason == LockKey::Reason::Popped && (key.isRefilled || isJobLeft))
                m_keys.push_back({server, key.key, Role::Elements});
        }
        for (const SnapshotKey &key : model.snapshot(beginning, server).keys) {
            const auto lock = std::ranges::find(known, key.key, &LockKey::key);
            const bool isKnown = lock != known.end();
            if (isKnown && lock->isLock())
                m_keys.push_back({server, key.key, Role::Lock});
            else if (program.isAuxiliary(key.key)
                     && (!isKnown || (!isLockKnown && (!isAnyPopped || lock->isChangedLater))))
                m_keys.push_back({server, key.key, Role::Unknown}); // May be another client's lock, or match --data.
        }
    }
}

Result<bool> LeftoverLocks::obstruct(const State &state, const Move &move)
{
    if (move.kind != Move::Kind::Command)
        return false;
    const Model &model = m_transitions.model();
    const GraphNode::Pending request = model.nodeOf(state, move.client).requests[move.index];
    const SnapshotId from = model.serversState(state).servers[toIndex(request.server)];
    for (const Key &key : m_keys) {
        if (key.server != request.server)
            continue;
        const auto isObstacle =
            obstructs(key, from, conversationIdOf(move.client, request.conversation), request.command);
        if (!isObstacle || *isObstacle)
            return isObstacle;
    }
    return false;
}

/// Returns whether the command is an attempt. A lock is removed to see whether the command depends on it.
Result<bool> LeftoverLocks::obstructs(const Key &key, SnapshotId from, int conversationId, CommandId command)
{
    EffectCache &effectCache = m_transitions.model().effectCache();
    Snapshot without = effectCache.snapshot(from);
    const bool exists = std::erase_if(without.keys, [&](const SnapshotKey &each) { return each.key == key.name; }) > 0;
    if (key.role == Role::Elements)
        return !exists && isNamedBy(effectCache.commands(command), key.name);
    if (!exists)
        return false;
    const auto real = effectCache.execute(from, conversationId, command);
    const auto free = effectCache.execute(effectCache.number(std::move(without)), conversationId, command);
    if (!real || !free)
        return failure(real ? free.error() : real.error());
    if (real->reply == free->reply)
        return false;
    const bool isUnchanged =
        haveEqualValues(effectCache.snapshot(from).find(key.name), effectCache.snapshot(real->after).find(key.name));
    const bool isCreated = effectCache.snapshot(free->after).find(key.name) != nullptr;
    return key.role == Role::Lock || (isUnchanged && isCreated);
}

} // namespace latchkey::races
