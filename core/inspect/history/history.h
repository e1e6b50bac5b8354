#pragma once

#include "core/inspect/history/statistics.h"

#include <QHash>
#include <QObject>

#include <deque>
#include <functional>

namespace latchkey::history {

/// The history of locks: holders, times of the holds, and how each hold ended, as far as observed.
///
/// It derives holds from key events. If the server is lost or silent, known holds stay, and a gap without derived holds
/// begins. The history is bounded, per lock and in total: the oldest finished holds are dropped. Dropped holds stay in
/// the statistics of their lock until the lock has no holds left. Owned by the code that inspects a server. It does not
/// read values: the HolderOf function extracts the holder from a value.
class History final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(History)

public:
    /// A function that returns the holder in the value. Absent if the value does not name it.
    using HolderOf = std::function<std::optional<QByteArray>(const QByteArray &key, const keys::RawValue &value)>;

    /// Maximum numbers of kept holds.
    struct Limits
    {
        std::size_t perLock = 1000;
        std::size_t inAll = 100'000;
    };

    /// An interval without observations; a current gap has no end.
    struct Gap
    {
        base::MonotonicTime from;
        std::optional<base::MonotonicTime> to;

        friend bool operator==(const Gap &, const Gap &) = default;
    };

    /// One lock: a key of a node.
    struct LockId
    {
        QByteArray key;
        events::NodeIndex node = 0;

        friend bool operator==(const LockId &, const LockId &) = default;
        friend bool operator<(const LockId &a, const LockId &b)
        {
            return a.key == b.key ? a.node < b.node : a.key < b.key;
        }
        friend size_t qHash(const LockId &lockId, size_t seed = 0) { return qHashMulti(seed, lockId.key, lockId.node); }
    };

    explicit History(HolderOf holderOf, QObject *parent = nullptr);
    History(HolderOf holderOf, const Limits &limits, QObject *parent = nullptr);
    ~History() override;

    /// Records a lock that existed at the first read. No effect on a lock with a current hold.
    void seen(const LockId &lockId, const std::optional<base::Deadline> &deadline,
              const std::optional<keys::RawValue> &value, base::MonotonicTime at);
    /// Records a key event of a lock, in the order of the tracker.
    void take(const events::KeyEvent &keyEvent);
    /// Records a change of the lock by this program. Must be called after take() for all known events, which include
    /// the effect of the change. The effect then counts neither as a renewal, nor as a release by the holder, nor as
    /// a new hold.
    void addOwnChange(const LockId &lockId, const OwnChange &change);
    /// Sets whether the server is observed from `at` on. Without observation, no hold is known to have ended.
    void setObserving(bool isObserving, base::MonotonicTime at);

    /// Returns the locks with at least one hold, in no particular order.
    [[nodiscard]] QList<LockId> lockIds() const { return m_lockHistories.keys(); }
    /// Returns the holds in their order; empty for an unknown lock. Valid until the history changes.
    [[nodiscard]] const std::deque<Hold> &holds(const LockId &lockId) const;
    [[nodiscard]] Statistics statistics(const LockId &lockId) const;
    [[nodiscard]] const std::vector<Gap> &gaps() const { return m_gaps; }
    [[nodiscard]] std::size_t holdCount() const { return m_count; }

Q_SIGNALS:
    /// Emitted when a hold of this lock has begun, changed or ended.
    void changed(const latchkey::history::History::LockId &lockId);
    /// Emitted when a hold has ended.
    void ended(const latchkey::history::Hold &hold);
    /// Emitted when a gap has begun or ended.
    void gapsChanged();

private:
    struct LockHistory
    {
        std::deque<Hold> holds;
        Statistics statistics;
        quint64 first = 0; ///< Number of the first hold; the numbers increase.
    };

    void begin(const LockId &lockId, Hold hold);
    static void narrowToOrder(LockHistory &lockHistory, Hold &earlier, Hold &later);
    void end(const LockId &lockId, const events::KeyEvent &keyEvent);
    void finishLast(const LockId &lockId);
    void beginNextHold(const LockId &lockId, const events::KeyEvent &keyEvent);
    void setStart(const LockId &lockId, const events::KeyEvent &keyEvent);
    [[nodiscard]] bool isBeginningOf(const Hold &hold, const events::KeyEvent &keyEvent) const;
    [[nodiscard]] bool isOfLaterHold(const Hold &hold, const events::KeyEvent &keyEvent) const;
    void extend(Hold &hold, const events::KeyEvent &keyEvent) const;
    void learn(Hold &hold, const events::KeyEvent &keyEvent) const;
    [[nodiscard]] std::optional<QByteArray> holderIn(const LockId &lockId,
                                                     const std::optional<keys::RawValue> &value) const;
    [[nodiscard]] Hold *current(const LockId &lockId);
    void markOverlaps(Hold &hold);
    void forgetOldest();
    void removeDroppedEntries();
    void dropFirst(LockHistory &lockHistory);

    const HolderOf m_holderOf;
    const Limits m_limits;
    QHash<LockId, LockHistory> m_lockHistories;
    std::deque<std::pair<LockId, quint64>> m_order; ///< Ended holds in the order of their ends, with their numbers; may
                                                    ///< contain dropped ones.
    std::size_t m_count = 0;
    quint64 m_nextNumber = 0;
    events::NodeIndex m_lastNode = 0;
    std::vector<Gap> m_gaps;
};

} // namespace latchkey::history
