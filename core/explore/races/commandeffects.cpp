#include "core/explore/races/commandeffects.h"

#include "core/explore/races/serverfaults.h"
#include "core/explore/schedules/waiting.h"

namespace latchkey::races {

using base::failure;
using base::Result;
using resp::Command;

namespace {

LockChange changeOf(const SnapshotKey *before, const SnapshotKey *after)
{
    LockChange change;
    if (before == nullptr)
        return change;
    change.ended = after == nullptr;
    change.valueChanged = after != nullptr && !haveEqualValues(before, after);
    change.lifetimeChanged = after != nullptr && before->lifetime != after->lifetime;
    return change;
}

/// Returns the command that reads the parts of a key of this type.
Command readOfParts(const QByteArray &type, const QByteArray &key)
{
    if (type == "set")
        return {"SMEMBERS", key};
    return type == "zset" ? Command {"ZRANGE", key, "0", "-1", "WITHSCORES"} : Command {"HGETALL", key};
}

/// Returns the parts of the key; none if it is absent or has a type without parts.
Result<KeyParts> partsOf(EffectCache &effectCache, SnapshotId server, const QByteArray &key)
{
    KeyParts parts;
    const SnapshotKey *state = effectCache.snapshot(server).find(key);
    if (state == nullptr || !hasParts(state->type))
        return parts;
    const std::size_t width = state->type == "set" ? 1 : 2;
    const auto effect = effectCache.execute(server, noClient, effectCache.number(readOfParts(state->type, key)));
    if (!effect)
        return failure(effect.error());
    const auto &elements = effectCache.reply(effect->reply).elements();
    for (std::size_t i = 0; i + width <= elements.size(); i += width)
        parts[elements[i].bytes()] = width == 2 ? elements[i + 1].bytes() : QByteArray();
    return parts;
}

/// Returns the parts of each key with parts whose value differs between the two.
Result<std::map<QByteArray, std::pair<KeyParts, KeyParts>>> changedParts(EffectCache &effectCache, SnapshotId before,
                                                                         SnapshotId after)
{
    std::map<QByteArray, std::pair<KeyParts, KeyParts>> changed;
    const auto keys = effectCache.snapshot(after).keys; // A copy, because each probe adds snapshots.
    for (const SnapshotKey &key : keys) {
        if (!hasParts(key.type) || haveEqualValues(effectCache.snapshot(before).find(key.key), &key))
            continue;
        auto former = partsOf(effectCache, before, key.key);
        auto now = partsOf(effectCache, after, key.key);
        if (!former || !now)
            return failure(former ? now.error() : former.error());
        changed[key.key] = {*std::move(former), *std::move(now)};
    }
    return changed;
}

} // namespace

CommandEffects::CommandEffects(Model &model)
    : m_model(model)
    , m_probe(model.effectCache())
{}

Result<AppliedEffect> CommandEffects::execute(ServersStateId serversStateId, int conversationId, int server,
                                              CommandId command)
{
    const EffectKey key {serversStateId, conversationId, server, command};
    if (const auto known = m_effects.find(key); known != m_effects.end())
        return known->second;
    ServersState serversState = m_model.serversState(serversStateId);
    const auto effect = m_model.effectCache().execute(serversState.servers[toIndex(server)], conversationId, command);
    if (!effect)
        return failure(effect.error());

    AppliedEffect applied;
    applied.reply = effect->reply;
    if (m_model.faults().includeServers())
        rememberWrite(serversState, m_model, server, clientOf(conversationId), effect->after);
    if (const auto confirmed = schedules::awaitedReplicas(m_model.effectCache().command(command)))
        confirmWrites(serversState, m_model, server, clientOf(conversationId), *confirmed);
    if (!m_model.subject().program)
        note(applied, serversState, server, clientOf(conversationId), *effect);
    else if (auto noted = noteForProgram(applied, serversState, key, *effect); !noted)
        return failure(std::move(noted.error()));
    serversState.servers[toIndex(server)] = effect->after;
    applied.after = m_model.number(serversState);
    m_effects.emplace(key, applied);
    return applied;
}

Result<AppliedEffect> CommandEffects::executeRequest(ServersStateId serversStateId, ClientIndex client,
                                                     const GraphNode::Pending &request)
{
    EffectCache &effectCache = m_model.effectCache();
    const auto awaited = schedules::awaitedReplicas(effectCache.command(request.command));
    if (awaited && (request.isDue() || *awaited > replicas(m_model, m_model.serversState(serversStateId))))
        return AppliedEffect {serversStateId, effectCache.number(resp::Reply::integer(0)), {}};
    return execute(serversStateId, conversationIdOf(client, request.conversation), request.server, request.command);
}

/// Records the change of the lock and its new owner.
void CommandEffects::note(AppliedEffect &applied, ServersState &serversState, int server, ClientIndex client,
                          const Effect &effect) const
{
    const EffectCache &effectCache = m_model.effectCache();
    const Snapshot &held = effectCache.snapshot(serversState.servers[toIndex(server)]);
    const QByteArray &lock = m_model.subject().key.bytes();
    const SnapshotKey *before = held.find(lock);
    const SnapshotKey *after = effectCache.snapshot(effect.after).find(lock);
    applied.change = changeOf(before, after);
    applied.change.holder = serversState.holder[toIndex(server)];
    applied.change.writer = serversState.writer[toIndex(server)];
    if (after == nullptr) {
        serversState.clearHolder(server);
    } else if (before == nullptr) {
        serversState.holder[toIndex(server)] = static_cast<qint8>(client);
        serversState.writer[toIndex(server)] = static_cast<qint8>(client);
    } else if (applied.change.happened()) {
        serversState.writer[toIndex(server)] = static_cast<qint8>(client);
    }
    if (after != nullptr && client != noClient && (before == nullptr || applied.change.happened()))
        serversState.contributors[toIndex(server)] =
            static_cast<quint8>(serversState.contributors[toIndex(server)] | (1 << client));
}

/// Records the use of the resource, and the owners of the keys.
Result<void> CommandEffects::noteForProgram(AppliedEffect &applied, ServersState &serversState,
                                            const EffectKey &effectKey, const Effect &effect)
{
    const EffectCache &effectCache = m_model.effectCache();
    const auto [serversStateId, conversationId, server, command] = effectKey;
    const SnapshotId from = serversState.servers[toIndex(server)];
    const QByteArray &resource = m_model.subject().key.bytes();
    KeyInfluence influence;
    std::vector<QByteArray> set;
    if (conversationId != noClient) {
        if (!resource.isEmpty()) {
            const auto asked = m_probe.influence(from, conversationId, command, resource);
            if (!asked)
                return failure(asked.error());
            influence = *asked;
        }
        for (const QByteArray &key : unchangedKeysOfOtherClients(
                 serversState,
                 {server, effectCache.snapshot(from), effectCache.snapshot(effect.after), clientOf(conversationId)})) {
            const auto isSet = m_probe.sets(from, conversationId, command, key);
            if (!isSet)
                return failure(isSet.error());
            if (*isSet)
                set.push_back(key);
        }
    }
    auto parts = changedParts(m_model.effectCache(), from, effect.after);
    if (!parts)
        return failure(parts.error());
    const ExternalProgram &program = *m_model.subject().program;
    const Snapshot &before = effectCache.snapshot(from);
    const Snapshot &after = effectCache.snapshot(effect.after);
    applied.change.access =
        program.accessBy(effectCache.commands(command), effectCache.reply(effect.reply), before, after, influence);
    updateOwners(serversState, program,
                 {server, before, after, clientOf(conversationId), std::move(set), effectCache.commands(command),
                  *std::move(parts)},
                 applied.change);
    return {};
}

} // namespace latchkey::races
