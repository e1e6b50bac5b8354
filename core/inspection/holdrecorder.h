#pragma once

#include "core/history/history.h"
#include "core/inspection/lockfinder.h"
#include "core/keyspace/ledger.h"

#include <deque>

namespace latchkey::inspection {

/// Has the ledger follow the locks that were found, and keeps the history of their holds.
///
/// A key that may be a lock by its name is followed from the moment it is met, so that its first hold has a beginning;
/// what turns out to be none is let go of. A lock that has ended goes on being followed, for it will be taken again.
/// Bounded: beyond mostFollowed, those that ended longest ago make room, and without any such a new one is not
/// followed. Owned by an InspectedServer; the others are not owned.
class HoldRecorder final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HoldRecorder)

public:
    static constexpr qsizetype mostFollowed = 5000;

    HoldRecorder(LockFinder &locks, keys::KeyStore &store, keyspace::Ledger &ledger, keyspace::Watcher &watcher,
                 const base::Clock &clock, QObject *parent = nullptr);
    ~HoldRecorder() override;

    [[nodiscard]] const history::History &history() const { return m_history; }
    /// This was done to a key from here; after the ledger was told of it.
    void acted(const QByteArray &key, const history::OwnAct &act);
    /// Whose the lock is, by what it holds; absent where the value does not say.
    [[nodiscard]] std::optional<QByteArray> holderOf(const QByteArray &key, const keys::RawValue &value) const;
    /// There are more locks than are followed.
    [[nodiscard]] bool isIncomplete() const { return m_isIncomplete; }

private:
    struct Followed
    {
        bool isLock = false;
        std::optional<keyspace::Happening> appeared; ///< Before it was known to be a lock.
    };

    void noteSight();
    [[nodiscard]] std::optional<base::MonotonicTime> absentBefore(const QByteArray &key) const;
    void met(const QByteArray &key);
    void recognised(const QByteArray &key);
    void happened(const keyspace::Happening &happening);
    /// False where there is no room.
    [[nodiscard]] bool follow(const QByteArray &key, std::optional<base::MonotonicTime> absentAt);
    void unfollow(const QByteArray &key);

    LockFinder &m_locks;          // Not owned.
    keys::KeyStore &m_store;      // Not owned.
    keyspace::Ledger &m_ledger;   // Not owned.
    keyspace::Watcher &m_watcher; // Not owned.
    const base::Clock &m_clock;   // Not owned.
    history::History m_history;
    QHash<QByteArray, Followed> m_followed;
    std::deque<QByteArray> m_ended; ///< The oldest first; some have been taken again since.
    bool m_isIncomplete = false;
};

} // namespace latchkey::inspection
