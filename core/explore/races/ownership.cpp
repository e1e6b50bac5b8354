#include "core/explore/races/ownership.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace latchkey::races {

namespace {

auto sortKeyOf(const Ownership &owned)
{
    return std::tie(owned.server, owned.key);
}

bool comesFirst(const Ownership &a, const Ownership &b)
{
    return sortKeyOf(a) < sortKeyOf(b);
}

auto find(ServersState &serversState, int server, const QByteArray &key)
{
    return std::ranges::find_if(serversState.owned,
                                [&](const Ownership &owned) { return owned.server == server && owned.key == key; });
}

/// Returns whether the key belongs to a lock that a client other than `client` holds. With several servers, a client
/// that has lost its key on too many of them does not hold the lock any more.
bool isHeldByAnother(const ServersState &serversState, const ExternalProgram &program, const Ownership &owned,
                     ClientIndex client)
{
    if (!owned.isLock || owned.holder == client)
        return false;
    const auto servers = std::ranges::count_if(serversState.owned, [&](const Ownership &other) {
        return other.isLock && other.holder == owned.holder && other.key == owned.key;
    });
    return servers >= program.majorityOf(owned.key);
}

bool hasChanged(const SnapshotKey &before, const SnapshotKey &after)
{
    return !haveEqualValues(&before, &after) || before.lifetime != after.lifetime
        || before.fieldEnds != after.fieldEnds;
}

constexpr std::array incrementing {"INCR", "INCRBY", "INCRBYFLOAT", "HINCRBY", "HINCRBYFLOAT"};
constexpr std::array expiring {"EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT"};

/// Returns whether the commands have only incremented the key, without a token, or have set its lifetime.
bool isIncrement(const resp::Commands &commands, const QByteArray &key)
{
    bool isAny = false;
    for (const resp::Command &command : commands) {
        const auto &words = command.words();
        if (words.size() < 2 || std::find(words.begin() + 1, words.end(), key) == words.end())
            continue;
        const auto isNamed = [name = command.name().toUpper()](const char *other) { return name == other; };
        const bool isOther =
            words[1] != key || (std::ranges::none_of(incrementing, isNamed) && std::ranges::none_of(expiring, isNamed));
        if (isOther || std::ranges::any_of(words, [](const QByteArray &word) { return word.contains("token-of-"); }))
            return false;
        isAny = true;
    }
    return isAny;
}

/// Returns whether a change from the one owner to the other is only an increment of a counter that is no known lock.
bool isOnlyCounted(const Ownership &before, const Ownership &after, const ExternalProgram &program)
{
    return before.isCounter && after.isCounter && !program.isHeldAlone(before.key);
}

} // namespace

void updateOwners(ServersState &serversState, const ExternalProgram &program, const KeyChange &change, LockChange &lock)
{
    const ClientIndex client = change.client;
    const auto rob = [&](const Ownership &owned) {
        if (isHeldByAnother(serversState, program, owned, client))
            lock.violated = static_cast<quint8>(lock.violated | (1 << owned.holder));
    };
    for (const SnapshotKey &state : change.after.keys) {
        // A key of the resource counts only if it has a lifetime, because a living writer relies on that.
        if (!program.isAuxiliary(state.key) && !state.nextEnd())
            continue;
        const SnapshotKey *old = change.before.find(state.key);
        const auto owned = find(serversState, change.server, state.key);
        if (old == nullptr || owned == serversState.owned.end()) {
            if (owned != serversState.owned.end())
                serversState.owned.erase(owned);
            const auto owner = static_cast<qint8>(client);
            const Ownership added {static_cast<qint8>(change.server),      state.key, owner, owner, false,
                                   isIncrement(change.commands, state.key)};
            serversState.owned.insert(std::ranges::lower_bound(serversState.owned, added, comesFirst), added);
        } else if (hasChanged(*old, state) || std::ranges::find(change.set, state.key) != change.set.end()) {
            const Ownership before = *owned;
            owned->isCounter = owned->isCounter && isIncrement(change.commands, state.key);
            if (!isOnlyCounted(before, *owned, program))
                rob(before);
            owned->writer = static_cast<qint8>(client);
            if (client == noClient) { // A field has ended, and it may have been the whole lock.
                owned->holder = noClient;
                owned->isLock = false;
            }
        }
    }
    const auto isGone = [&](const Ownership &owned) {
        return owned.server == change.server && change.after.find(owned.key) == nullptr;
    };
    for (const Ownership &owned : serversState.owned) {
        if (isGone(owned))
            rob(owned);
    }
    std::erase_if(serversState.owned, isGone);
}

std::vector<QByteArray> unchangedKeysOfOtherClients(const ServersState &serversState, const KeyChange &change)
{
    std::vector<QByteArray> keys;
    for (const Ownership &owned : serversState.owned) {
        if (owned.server != change.server)
            continue;
        const SnapshotKey *old = change.before.find(owned.key);
        const SnapshotKey *now = change.after.find(owned.key);
        const bool isOfOthers = owned.writer != change.client || (owned.isLock && owned.holder != change.client);
        if (isOfOthers && old != nullptr && now != nullptr && !hasChanged(*old, *now))
            keys.push_back(owned.key);
    }
    return keys;
}

void claim(ServersState &serversState, const ExternalProgram &program, ClientIndex client)
{
    for (Ownership &owned : serversState.owned) {
        if (owned.writer != client || !program.mayBeLock(owned.key))
            continue;
        owned.isLock = true;
        owned.holder = owned.writer; // The client may have taken over a key that another client created.
    }
}

std::optional<Ownership> violatedLock(const ServersState &before, const ServersState &after,
                                      const ExternalProgram &program, ClientIndex client)
{
    for (const Ownership &owned : before.owned) {
        if (!isHeldByAnother(before, program, owned, client))
            continue;
        const auto now = std::ranges::find_if(
            after.owned, [&](const Ownership &other) { return sortKeyOf(other) == sortKeyOf(owned); });
        if (now == after.owned.end()
            || (now->writer == client && owned.writer != client && !isOnlyCounted(owned, *now, program)))
            return owned;
    }
    return std::nullopt;
}

void releaseOwnership(ServersState &serversState, ClientIndex client)
{
    for (Ownership &owned : serversState.owned)
        owned.isLock = owned.isLock && owned.holder != client;
}

} // namespace latchkey::races
