#pragma once

#include "app/cli/lockevents.h"

#include <QHash>
#include <QTimer>

#include <deque>

namespace latchkey::cli {

/// A held lock with its known data.
struct HeldLock
{
    LockDescription description;
    std::optional<base::Deadline> deadline;
    /// Start of the hold, if its value was read later. It is reported as soon as the tracker has decided whether the
    /// value belongs to the same hold.
    std::optional<events::KeyEvent> start = std::nullopt;
    base::MonotonicTime waitingSince {}; ///< Time since which `start` waits.
    /// Whether the tracker has reported changes between the start and the read of the value.
    bool mayBeOfAnotherHold = false;
    /// Earliest start of a hold that was reported without its value. Absent: the value was reported.
    std::optional<base::MonotonicTime> holderUnreportedSince = std::nullopt;
    bool isStartUnreported = false; ///< Whether the key held another kind of value before: the next event of the
                                    ///< tracker is the start of the hold.
};

/// The locks that are held at present, with their descriptions and their history. Reports their events, and assigns
/// values that were read late to the right hold.
///
/// The start of a hold whose value was not read waits for the next event of its key. If the tracker then learns the
/// value of this hold, the start is reported with its holder. Otherwise another hold may have begun, and the holder of
/// the first one is unknown. Owned by WatchedLocks, which finds the locks; the server is not owned. It sends no
/// commands.
class HeldLocks final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HeldLocks)

public:
    explicit HeldLocks(const inspection::InspectedServer &server);
    ~HeldLocks() override;

    [[nodiscard]] const QHash<QByteArray, HeldLock> &all() const { return m_held; }
    [[nodiscard]] bool contains(const QByteArray &key) const { return m_held.contains(key); }
    [[nodiscard]] history::History &history() { return m_history; }
    [[nodiscard]] const history::History &history() const { return m_history; }

    /// Adds a lock, and reports nothing.
    void insert(const QByteArray &key, const LockDescription &description,
                const std::optional<base::Deadline> &deadline);
    void remove(const QByteArray &key) { m_held.remove(key); }
    /// Marks a lock whose key held another kind of value before.
    void markUnreported(const QByteArray &key) { m_held[key].isStartUnreported = true; }
    /// Applies an event to a held lock, and reports the event now or later.
    void take(const events::KeyEvent &keyEvent);
    /// Reports an event of a held lock at once.
    void report(events::KeyEvent keyEvent);
    /// Defers the report of a start until the next event of its key. `isDoubtful`: the tracker has reported changes
    /// since, after which another hold may have begun.
    void wait(const events::KeyEvent &start, bool isDoubtful);
    /// Reports the starts that have waited for too long, without their holders.
    void reportOverdue();
    /// Reports all starts that wait: there will be no more events.
    void reportLast();

Q_SIGNALS:
    /// See LockEvents::happened().
    void happened(const latchkey::events::KeyEvent &keyEvent, const latchkey::cli::LockDescription &description,
                  const latchkey::cli::FormerHold &former);
    /// Emitted when a lock has ended, before happened().
    void ended(const QByteArray &key, const latchkey::cli::LockDescription &description);
    /// Emitted instead if the key exists and holds a value that is no lock.
    void overwritten(const QByteArray &key, const latchkey::cli::LockDescription &description);

private:
    [[nodiscard]] bool isNoLongerLock(const events::KeyEvent &keyEvent) const;
    void reportWaiting(const QByteArray &key, const events::KeyEvent *next);
    void reportWaitingSince(base::MonotonicTime time);
    [[nodiscard]] bool isOfOtherHold(const events::KeyEvent &keyEvent) const;

    const inspection::InspectedServer &m_server; // Not owned.
    history::History m_history;
    QHash<QByteArray, HeldLock> m_held;
    /// Starts that wait or have waited, in their order: since when, and the key.
    std::deque<std::pair<base::MonotonicTime, QByteArray>> m_waiting;
    QTimer m_overdueTimer; ///< Runs while m_waiting has an entry.
};

} // namespace latchkey::cli
