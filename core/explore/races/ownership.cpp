#include "core/explore/races/ownership.h"

#include <algorithm>

namespace latchkey::races {

namespace {

Ownership *find(World &world, const QByteArray &key)
{
    const auto found = std::ranges::find(world.owned, key, &Ownership::key);
    return found == world.owned.end() ? nullptr : &*found;
}

bool hasChanged(const KeySnapshotState &before, const KeySnapshotState &after)
{
    return !holdTheSame(&before, &after) || before.lifetime != after.lifetime || before.fieldEnds != after.fieldEnds;
}

} // namespace

void follow(World &world, const ExternalProgram &program, const Snapshot &before, const Snapshot &after,
            ClientIndex client, const std::vector<QByteArray> &set, LockChange &change)
{
    const auto rob = [&](const Ownership &owned) {
        if (owned.isLock && owned.holder != client)
            change.robbed = static_cast<quint8>(change.robbed | (1 << owned.holder));
    };
    for (const KeySnapshotState &state : after.keys) {
        if (!program.isBookkeeping(state.key))
            continue;
        const KeySnapshotState *old = before.find(state.key);
        Ownership *owned = find(world, state.key);
        if (old == nullptr || owned == nullptr) {
            std::erase_if(world.owned, [&](const Ownership &other) { return other.key == state.key; });
            const auto owner = static_cast<qint8>(client);
            world.owned.insert(std::ranges::lower_bound(world.owned, state.key, {}, &Ownership::key),
                               {state.key, owner, owner, false});
        } else if (hasChanged(*old, state) || std::ranges::find(set, state.key) != set.end()) {
            rob(*owned);
            owned->writer = static_cast<qint8>(client);
            if (client == noClient) { // A field has ended, and it may have been the whole lock.
                owned->holder = noClient;
                owned->isLock = false;
            }
        }
    }
    std::erase_if(world.owned, [&](const Ownership &owned) {
        if (after.find(owned.key) != nullptr)
            return false;
        rob(owned);
        return true;
    });
}

std::vector<QByteArray> unchangedKeysOfOthers(const World &world, const Snapshot &before, const Snapshot &after,
                                              ClientIndex client)
{
    std::vector<QByteArray> keys;
    for (const Ownership &owned : world.owned) {
        const KeySnapshotState *old = before.find(owned.key);
        const KeySnapshotState *now = after.find(owned.key);
        const bool isOfOthers = owned.writer != client || (owned.isLock && owned.holder != client);
        if (isOfOthers && old != nullptr && now != nullptr && !hasChanged(*old, *now))
            keys.push_back(owned.key);
    }
    return keys;
}

void claim(World &world, const ExternalProgram &program, ClientIndex client)
{
    for (Ownership &owned : world.owned) {
        if (owned.writer != client || !program.mayBeLock(owned.key))
            continue;
        owned.isLock = true;
        owned.holder = owned.writer; // The client may have taken over a key that another client created.
    }
}

std::optional<Ownership> robbedLock(const World &before, const World &after, ClientIndex client)
{
    for (const Ownership &owned : before.owned) {
        if (!owned.isLock || owned.holder == client)
            continue;
        const auto now = std::ranges::find(after.owned, owned.key, &Ownership::key);
        if (now == after.owned.end() || (now->writer == client && owned.writer != client))
            return owned;
    }
    return std::nullopt;
}

void disclaim(World &world, ClientIndex client)
{
    for (Ownership &owned : world.owned)
        owned.isLock = owned.isLock && owned.holder != client;
}

} // namespace latchkey::races
