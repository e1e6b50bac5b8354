#include "core/explore/races/ownership.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace latchkey::races {

namespace {

auto sortKeyOf(const Ownership &owned)
{
    return std::tie(owned.server, owned.key, owned.part);
}

bool comesFirst(const Ownership &a, const Ownership &b)
{
    return sortKeyOf(a) < sortKeyOf(b);
}

/// Returns whether the key belongs to a lock that a client other than `client` holds. With several servers, a client
/// that has lost its key on too many of them no longer holds the lock.
bool isHeldByAnother(const ServersState &serversState, const ExternalProgram &program, const Ownership &owned,
                     ClientIndex client)
{
    if (!owned.isLock || owned.holder == client)
        return false;
    const auto servers = std::ranges::count_if(serversState.owned, [&](const Ownership &other) {
        return other.isLock && other.holder == owned.holder && other.key == owned.key && other.part == owned.part;
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

/// Returns the lifetime of the key itself, without that of its fields.
SnapshotKey::Lifetime ownLifetime(const SnapshotKey &state)
{
    return state.endsWithFields ? std::nullopt : state.lifetime;
}

/// Returns whether the lifetime of the part differs. Only the fields of a hash have separate lifetimes.
bool hasOtherLifetime(const SnapshotKey &before, const SnapshotKey &after, const QByteArray &part)
{
    const auto endIn = [&part](const SnapshotKey &state) {
        const auto end =
            std::ranges::find(state.fieldEnds, part, &std::pair<QByteArray, std::chrono::milliseconds>::first);
        return end == state.fieldEnds.end() ? SnapshotKey::Lifetime() : end->second;
    };
    return ownLifetime(before) != ownLifetime(after) || endIn(before) != endIn(after);
}

constexpr std::array forSetMembers {"SADD", "SREM", "SMOVE"};

/// Returns whether the command is one for parts of the key that it names.
bool isForParts(const resp::Command &command, const QByteArray &key)
{
    if (command.words().size() <= 2 || command.words()[1] != key)
        return false;
    const QByteArray name = command.name().toUpper();
    return name.startsWith('H') || name.startsWith('Z')
        || std::ranges::any_of(forSetMembers, [&name](const char *other) { return name == other; });
}

/// Returns whether the commands have only incremented the key or its part, without a token, or have set the lifetime
/// of the key.
bool isIncrement(const resp::Commands &commands, const QByteArray &key, const QByteArray &part)
{
    bool isAny = false;
    for (const resp::Command &command : commands) {
        const auto &words = command.words();
        if (words.size() < 2 || std::find(words.begin() + 1, words.end(), key) == words.end())
            continue;
        if (!part.isEmpty() && isForParts(command, key)
            && std::find(words.begin() + 2, words.end(), part) == words.end())
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

/// Updates the owners after one command.
class OwnerUpdate final
{
public:
    OwnerUpdate(ServersState &serversState, const ExternalProgram &program, const KeyChange &change, LockChange &lock)
        : m_serversState(serversState)
        , m_program(program)
        , m_change(change)
        , m_lock(lock)
    {}

    void follow(const SnapshotKey &state)
    {
        const SnapshotKey *old = m_change.before.find(state.key);
        const bool isSet = std::ranges::find(m_change.set, state.key) != m_change.set.end();
        if (!hasParts(state.type)) {
            followPart(state.key, {}, old == nullptr, old != nullptr && (isSet || hasChanged(*old, state)));
            return;
        }
        const auto changed = m_change.parts.find(state.key);
        if (changed != m_change.parts.end()) {
            const auto &[before, after] = changed->second;
            for (const auto &[part, value] : after) {
                const auto former = before.find(part);
                const bool isNew = former == before.end();
                followPart(state.key, part, isNew,
                           !isNew && (former->second != value || hasOtherLifetime(*old, state, part)));
            }
            return;
        }
        for (const QByteArray &part : knownParts(state.key))
            followPart(state.key, part, false,
                       hasOtherLifetime(*old, state, part) || (isSet && mayConcern(state.key, part)));
    }

    /// Removes the owners of absent keys and parts.
    void removeAbsent()
    {
        for (const Ownership &owned : m_serversState.owned) {
            if (isAbsent(owned))
                rob(owned);
        }
        if (m_change.client == noClient)
            endLocksOfEndedFields();
        std::erase_if(m_serversState.owned, [this](const Ownership &owned) { return isAbsent(owned); });
    }

private:
    /// `isNew`: whether the key or the part was absent before. `isSet`: whether it was present and has been set.
    void followPart(const QByteArray &key, const QByteArray &part, bool isNew, bool isSet)
    {
        const auto owned = std::ranges::find_if(m_serversState.owned, [&](const Ownership &each) {
            return each.server == m_change.server && each.key == key && each.part == part;
        });
        const auto client = static_cast<qint8>(m_change.client);
        const bool isCounted = isIncrement(m_change.commands, key, part);
        if (isNew || owned == m_serversState.owned.end()) {
            if (owned != m_serversState.owned.end())
                m_serversState.owned.erase(owned);
            const Ownership added {static_cast<qint8>(m_change.server), key, part, client, client, false, isCounted};
            m_serversState.owned.insert(std::ranges::lower_bound(m_serversState.owned, added, comesFirst), added);
        } else if (isSet) {
            const Ownership before = *owned;
            owned->isCounter = owned->isCounter && isCounted;
            if (!isOnlyCounted(before, *owned, m_program))
                rob(before);
            owned->writer = client;
        }
    }

    void rob(const Ownership &owned)
    {
        if (isHeldByAnother(m_serversState, m_program, owned, m_change.client))
            m_lock.violated = static_cast<quint8>(m_lock.violated | (1 << owned.holder));
    }

    [[nodiscard]] std::vector<QByteArray> knownParts(const QByteArray &key) const
    {
        std::vector<QByteArray> parts;
        for (const Ownership &owned : m_serversState.owned) {
            if (owned.server == m_change.server && owned.key == key)
                parts.push_back(owned.part);
        }
        return parts;
    }

    /// Returns whether the commands may set the part of the key. A command for parts names them.
    [[nodiscard]] bool mayConcern(const QByteArray &key, const QByteArray &part) const
    {
        return std::ranges::any_of(m_change.commands, [&](const resp::Command &command) {
            const auto &words = command.words();
            return isForParts(command, key) ? std::find(words.begin() + 2, words.end(), part) != words.end()
                                            : std::ranges::find(words, key) != words.end();
        });
    }

    [[nodiscard]] bool isAbsent(const Ownership &owned) const
    {
        if (owned.server != m_change.server)
            return false;
        const SnapshotKey *now = m_change.after.find(owned.key);
        if (now == nullptr || hasParts(now->type) == owned.part.isEmpty())
            return true;
        const auto changed = m_change.parts.find(owned.key);
        return changed != m_change.parts.end() && !changed->second.second.contains(owned.part);
    }

    /// A field that has ended may have been the whole lock of its holder, and the other fields belong to it.
    void endLocksOfEndedFields()
    {
        const std::vector<Ownership> all = m_serversState.owned;
        for (const Ownership &ended : all) {
            if (!isAbsent(ended))
                continue;
            for (Ownership &owned : m_serversState.owned) {
                if (owned.server != ended.server || owned.key != ended.key || owned.holder != ended.holder)
                    continue;
                owned.holder = noClient;
                owned.isLock = false;
            }
        }
    }

    ServersState &m_serversState;
    const ExternalProgram &m_program; // Not owned.
    const KeyChange &m_change;        // Not owned.
    LockChange &m_lock;
};

} // namespace

bool hasParts(const QByteArray &type)
{
    return type == "hash" || type == "set" || type == "zset";
}

void updateOwners(ServersState &serversState, const ExternalProgram &program, const KeyChange &change, LockChange &lock)
{
    OwnerUpdate update(serversState, program, change, lock);
    for (const SnapshotKey &state : change.after.keys) {
        // A key of the resource counts only if it has a lifetime, because a living writer relies on that.
        if (program.isAuxiliary(state.key) || state.nextEnd())
            update.follow(state);
    }
    update.removeAbsent();
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
        const bool isKnown = !keys.empty() && keys.back() == owned.key; // Another part of the same key.
        if (isOfOthers && !isKnown && old != nullptr && now != nullptr && !hasChanged(*old, *now))
            keys.push_back(owned.key);
    }
    return keys;
}

void claim(ServersState &serversState, const ExternalProgram &program, ClientIndex client)
{
    if ((serversState.lateClients & (1 << client)) != 0)
        return;
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

void endStoredLeases(ServersState &serversState, quint8 clients)
{
    for (Ownership &owned : serversState.owned)
        owned.isLock = false;
    serversState.lateClients = static_cast<quint8>(serversState.lateClients | clients);
}

void releaseOwnership(ServersState &serversState, ClientIndex client)
{
    for (Ownership &owned : serversState.owned)
        owned.isLock = owned.isLock && owned.holder != client;
}

} // namespace latchkey::races
