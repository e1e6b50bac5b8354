#pragma once

#include "core/explore/races/effectcache.h"

namespace latchkey::races {

/// Relation between a command and the value of one key, determined by experiment.
struct KeyInfluence
{
    bool setsValue = false; ///< Whether the value afterwards is independent of the value before, at least in one part.
    bool reads = false;     ///< Whether the reply depends on the value.
    bool returnsValue = false; ///< Whether the reply contains the value before, if it is a string.
    bool isKnown = true;       ///< False if the command failed on each other value.
    /// Whether the replies for two other values are equal. The reply then shows at most whether the value equals a
    /// given one.
    bool onlyCompares = false;
};

/// A test of the effect of a command on a key: it also executes the command while the key has another value or expiry.
///
/// A comparison of the states before and after a command does not show a write of an equal value or expiry. Nor does it
/// show whether a script computed a value from the previous one. If the outcome is the same for a different previous
/// state of the key, the command has set the key. Owned by its caller.
class WriteDetector final
{
public:
    /// `effectCache`: not owned.
    explicit WriteDetector(EffectCache &effectCache);
    Q_DISABLE_COPY_MOVE(WriteDetector)

    /// Returns the relation between the command and the key's value. The ID of the conversation is that of
    /// EffectCache::execute(). Error: the server cannot be asked.
    [[nodiscard]] base::Result<KeyInfluence> influence(SnapshotId from, int conversationId, CommandId command,
                                                       const QByteArray &key);
    /// Returns whether the command sets the key's value or expiry. Errors as influence().
    [[nodiscard]] base::Result<bool> sets(SnapshotId from, int conversationId, CommandId command,
                                          const QByteArray &key);

private:
    struct Target
    {
        SnapshotId from = 0;
        int conversationId = 0;
        CommandId command = 0;
        QByteArray key {};
        friend bool operator==(const Target &, const Target &) = default;
        friend size_t qHash(const Target &target, size_t seed = 0)
        {
            return qHashMulti(seed, target.from, target.conversationId, target.command, target.key);
        }
    };
    /// Result of a command on a changed key.
    struct Trial
    {
        bool isPossible = false; ///< Whether the change exists.
        bool hasFailed = false;
        bool hasSameValue = false;
        bool hasSameExpiry = false;
        bool hasSameReply = false;
        bool returnsValue = false; ///< Whether the reply contains the changed string.
        ReplyId reply = 0;
    };

    [[nodiscard]] bool mayConcern(const Target &target) const;
    [[nodiscard]] bool mayReadAbsence(const Target &target) const;
    [[nodiscard]] base::Result<Trial> trial(const Target &target, const Effect &effect, const char *what, int number);
    [[nodiscard]] base::Result<std::optional<SnapshotId>> varied(const Target &target, const Effect &effect,
                                                                 const char *what, int number);
    [[nodiscard]] base::Result<KeyInfluence> measureInfluence(const Target &target, const Effect &effect);
    [[nodiscard]] base::Result<bool> setsPart(const Target &target, const Effect &effect);
    [[nodiscard]] base::Result<bool> setsExpiry(const Target &target, const Effect &effect);

    EffectCache &m_effectCache; // Not owned.
    QHash<Target, KeyInfluence> m_influences;
    QHash<Target, bool> m_sets;
};

} // namespace latchkey::races
