#pragma once

#include "core/explore/races/transitions.h"

namespace latchkey::races {

/// The keys that dead clients have left behind and that may prevent the next client from acquiring a lock.
///
/// A client that ends without having entered its critical section has not necessarily failed: it may have found its
/// work done. The client has tried to acquire a lock if one of its commands depends on a lock that was left behind. A
/// command that takes an element from an empty list or set is an attempt too, if clients return the element there. Only
/// for programs. Owned by the check of the end.
class LeftoverLocks final
{
public:
    /// Finds the keys. `beginning`: the state in which the next client begins. `transitions`: not owned.
    LeftoverLocks(Transitions &transitions, const State &beginning);

    /// Returns whether the client's move is an attempt to acquire a lock that was left behind. Error: the server cannot
    /// be asked.
    [[nodiscard]] base::Result<bool> obstruct(const State &state, const Move &move);

private:
    enum class Role : quint8 {
        Lock,    ///< Each command that depends on the key is an attempt.
        Unknown, ///< Each command that does not change the key, and would create it if it did not exist, is an attempt.
        Elements, ///< Each command that names the key is an attempt if the key does not exist.
    };
    struct Key
    {
        int server = 0;
        QByteArray name;
        Role role = Role::Lock;
    };
    [[nodiscard]] base::Result<bool> obstructs(const Key &key, SnapshotId from, int conversationId, CommandId command);

    Transitions &m_transitions; // Not owned.
    std::vector<Key> m_keys;
};

} // namespace latchkey::races
