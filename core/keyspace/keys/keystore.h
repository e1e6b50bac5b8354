#pragma once

#include "core/foundation/base/clock.h"
#include "core/keyspace/keys/endedkeycounter.h"
#include "core/keyspace/keys/endedkeylog.h"
#include "core/keyspace/keys/knownkeys.h"
#include "core/keyspace/keys/unreadablekeys.h"

#include <QDeadlineTimer>
#include <QSet>

#include <optional>
#include <span>
#include <vector>

namespace latchkey::keys {

/// An observer of a store's keys, called around every change of them. Not owned by the store; it adds and removes
/// itself.
class KeyStoreObserver
{
public:
    KeyStoreObserver() = default;
    virtual ~KeyStoreObserver();
    Q_DISABLE_COPY_MOVE(KeyStoreObserver)

    /// Returns whether sliced work (sorting, filtering) is running. The store applies no changes meanwhile.
    [[nodiscard]] virtual bool isBusy() const = 0;
    /// Returns whether changes are suspended. While suspended, the store only stages observations.
    [[nodiscard]] virtual bool isSuspended() const { return false; }
    /// Continues the large work until the deadline.
    virtual void work(QDeadlineTimer deadline) = 0;
    /// Prepares for a change of these keys. Lookups that depend on the old values must happen now.
    virtual void aboutToChange(std::span<const KeyId> ids) = 0;
    /// Handles the change. Keys that are no longer live are removed right afterwards. `added`: new keys.
    virtual void changed(std::span<const KeyId> added) = 0;
    /// Prepares for the removal of all keys.
    virtual void aboutToClear() = 0;
};

/// The known keys of a server. All changes to them are made here.
///
/// Observations are staged, and applied by the next commit(), which notifies the observers once. Time alone changes no
/// stored data: painting code computes the remaining time from the deadline. A key that has ended is removed after the
/// observers were informed. Owned by the code that inspects a server. It does not know the server; observers are not
/// owned.
class KeyStore final
{
    Q_DISABLE_COPY_MOVE(KeyStore)

public:
    explicit KeyStore(const base::Clock &clock);
    ~KeyStore();

    /// Sets how long a newly found key may have existed unobserved. If that is more than a quarter of the key's time
    /// left, the start of the key counts as not seen. Default: the maximum, because the time is unknown.
    void setUnseenFor(std::chrono::milliseconds longest) { m_unseenFor = longest; }

    /// Sets the start of the current connection. The cause of an earlier end is unknown, if the end becomes known only
    /// afterwards.
    void setUnseenUntil(base::MonotonicTime time) { m_unseenUntil = time; }

    /// Notes a flush that was reported at `received`, after which the database was seen empty at `seen`. Keys that were
    /// found removed between the two times have ended by the flush, whichever request has found them absent.
    void noteFlush(base::MonotonicTime received, base::MonotonicTime seen);

    // Observations. They change nothing visible until the next commit.

    /// Announces a key that will be observed soon. Changes nothing, but starts the memory access early: with a million
    /// keys a lookup mostly waits for memory.
    void expect(QByteArrayView key) const { m_known.table.prefetch(key); }
    /// Notes that the key exists with this deadline. `sampled`: time of the observation; `isFromTheStart`: true if the
    /// key did not exist a moment before.
    KeyId observe(QByteArrayView key, const base::Deadline &deadline, base::MonotonicTime sampled,
                  bool isFromTheStart = false);
    /// Notes that the key does not exist. Has no effect on an unknown key.
    void observeAbsent(QByteArrayView key, base::MonotonicTime sampled, EndSource source = EndSource::Queried);
    /// Notes that the server refused to answer for the key at `refused`. The key is removed without counting as gone.
    void observeHidden(QByteArrayView key, base::MonotonicTime refused);
    void observeType(QByteArrayView key, KeyType type);
    void observeValue(QByteArrayView key, RawValue value);
    /// Notes the expiries of the fields of a hash; empty if no field has a TTL any longer.
    void observeFieldEnds(QByteArrayView key, FieldDeadlines ends);
    /// Notes that the key existed at a time before its first observation. Of several times, the earliest counts. Has no
    /// effect on an unknown key.
    void observeExistedAt(QByteArrayView key, base::MonotonicTime time);
    /// Sets the analysis of a key. An empty analysis removes the previous one.
    void setAnalysis(QByteArrayView key, KeyAnalysis analysis);
    /// Removes all keys at once. `seen`: time at which the server reported that all keys were gone; absent: they may
    /// still exist. `source`: the way in which their end became known.
    void clear(std::optional<base::MonotonicTime> seen = {}, EndSource source = EndSource::Queried);

    /// Makes the observations visible. `budget`: time for observers with large work. Returns true if more work is
    /// waiting; call again soon.
    bool commit(std::chrono::microseconds budget = std::chrono::milliseconds(3));

    /// Returns the number of changes that wait for the next commit.
    [[nodiscard]] std::size_t stagedCount() const { return m_changes.size(); }

    [[nodiscard]] const KnownKeys &known() const { return m_known; }
    /// Returns whether the key exists by its last observation, committed or not.
    [[nodiscard]] bool exists(QByteArrayView key) const;
    /// Returns the number of existing keys; persistentCount() counts those without an end.
    [[nodiscard]] qsizetype liveCount() const { return m_live; }
    [[nodiscard]] qsizetype persistentCount() const { return m_persistent; }
    /// Returns whether the end of a gone key was inferred from a scan that did not return the key. False if the
    /// server has reported the end. Valid only during KeyStoreObserver::changed().
    [[nodiscard]] bool isEndInferred(KeyId id) const { return m_inferred.contains(id); }
    /// Returns the last time at which a gone key was known to exist, if it ended while the server was not observed.
    /// Valid only during KeyStoreObserver::changed().
    [[nodiscard]] std::optional<base::MonotonicTime> unseenEndSince(KeyId id) const
    {
        const auto found = m_unseenEnds.constFind(id);
        return found == m_unseenEnds.cend() ? std::nullopt : std::optional(*found);
    }
    /// Returns whether a removed key may still exist, because it was removed only for being no longer observable.
    /// Valid only during KeyStoreObserver::changed().
    [[nodiscard]] bool isHidden(KeyId id) const { return m_hidden.contains(id); }

    /// Returns the counters of all keys that have ended, including keys that no observer shows.
    [[nodiscard]] const EndedKeyCounter &endedCounter() const { return m_endedCounter; }
    /// Returns the record of the keys that have ended within the last hour. The record starts at since() at the
    /// earliest.
    [[nodiscard]] const EndedKeyLog &ended() const { return m_ended; }
    [[nodiscard]] base::MonotonicTime since() const { return m_since; }
    /// Forgets the unreadable keys, because none of them can exist any longer.
    void clearUnreadable() { m_unreadable.clear(); }
    /// Returns the keys that were removed by observeHidden() and have neither been observed nor ended since.
    [[nodiscard]] const UnreadableKeys &unreadable() const { return m_unreadable; }

    void addObserver(KeyStoreObserver &observer) { m_observers.push_back(&observer); }
    void removeObserver(KeyStoreObserver &observer) { std::erase(m_observers, &observer); }

    [[nodiscard]] std::size_t bytesAllocated() const { return m_known.table.bytesAllocated(); }

private:
    /// An observation of a key that the observers know, kept until a commit.
    struct Change
    {
        enum class What : quint8 { Deadline, Gone, Hidden, Type, Value, KeyAnalysis, FieldDeadlines, ExistedAt };
        KeyId id;
        What what = What::Deadline;
        bool flag = false; ///< For Deadline: from the start.
        KeyType type = KeyType::Unknown;
        base::Deadline deadline;
        base::MonotonicTime sampled;
        RawValue value;
        KeyAnalysis analysis;
        FieldDeadlines fieldEnds {};
        EndSource source = EndSource::Queried; ///< For Gone.
    };

    [[nodiscard]] bool isStaged(KeyId id) const { return m_hasChanges.contains(id); }
    [[nodiscard]] bool hasBusyObserver() const;
    void stage(Change change);
    void apply(const Change &change);
    void applyDeadline(KeyId id, const base::Deadline &deadline, base::MonotonicTime sampled, bool isFromTheStart);
    void setSpan(KeyId id, std::chrono::milliseconds span, std::chrono::milliseconds left,
                 std::chrono::milliseconds unseen);
    void applyFieldEnds(KeyId id, const FieldDeadlines &ends);
    void applyHidden(KeyId id, base::MonotonicTime refused);
    void applyGone(KeyId id, base::MonotonicTime sampled, EndSource source);
    [[nodiscard]] bool isLastSeenBeforeGap(base::MonotonicTime lastSeen) const;
    void addEndOfAll(base::MonotonicTime seen, EndSource source);
    void count(KeyId id, int sign);
    [[nodiscard]] std::vector<KeyId> takeAdded();
    void removeEnded(std::span<const KeyId> ids);
    void forget(KeyId id);

    KnownKeys m_known;
    std::vector<KeyStoreObserver *> m_observers; // Not owned.
    std::vector<Change> m_changes;
    QSet<KeyId> m_hasChanges; ///< IDs in m_changes.
    std::vector<KeyId> m_incoming;
    QSet<KeyId> m_hidden;   ///< Keys to be removed without a trace, because they can no longer be observed.
    QSet<KeyId> m_inferred; ///< Keys to be removed with an inferred end.
    QHash<KeyId, base::MonotonicTime> m_unseenEnds; ///< See unseenEndSince().
    std::optional<base::MonotonicTime> m_unseenUntil;
    std::optional<std::pair<base::MonotonicTime, base::MonotonicTime>> m_flush; ///< Interval of the last flush.
    std::chrono::milliseconds m_unseenFor = std::chrono::milliseconds::max();
    const base::MonotonicTime m_since; ///< Creation of the store.
    EndedKeyCounter m_endedCounter;
    EndedKeyLog m_ended;
    UnreadableKeys m_unreadable;
    qsizetype m_live = 0;
    qsizetype m_persistent = 0;
};

} // namespace latchkey::keys
