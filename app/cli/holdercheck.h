#pragma once

#include "app/cli/heldlocks.h"
#include "core/inspect/inspection/inspectedserver.h"

#include <QHash>
#include <QTimer>

#include <deque>
#include <optional>

namespace latchkey::cli {

/// A check that the reported holder of a lock is that of the value that was read last.
///
/// In a burst of changes, the tracker cannot always place a read among the notifications. Then the holder stays
/// unknown, or a holder stays reported whose value was overwritten, although the present value is known. If both differ
/// in two checks, and no event was reported in between, the present holder is reported as an inferred change. A value
/// that was requested before its last notification may be from before the change: it is read again first. Owned by
/// WatchedLocks; the server and the locks are not owned.
class HolderCheck final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HolderCheck)

public:
    HolderCheck(inspection::InspectedServer &server, HeldLocks &held);
    ~HolderCheck() override;

    /// Schedules the checks of a lock whose state was reported. `since`: earliest time of a change that the report
    /// lacks.
    void add(const QByteArray &key, base::MonotonicTime since);
    /// Records the notifications and the reads of a key that is or may be a lock.
    void observe(const events::Observation &observation);
    /// Forgets a key that is no longer followed.
    void remove(const QByteArray &key);

private:
    /// Times of a key since its last check.
    struct Reading
    {
        base::MonotonicTime notified; ///< Receipt of the last notification.
        base::MonotonicTime asked;    ///< Request of the value that was read last.
    };
    struct Check
    {
        base::MonotonicTime due;
        base::MonotonicTime since;
        std::optional<QByteArray> holder; ///< Holder in the first check, if it was not the reported one.
    };
    void checkDue();
    void schedule(const QByteArray &key, Check check);
    void check(const QByteArray &key, Check check);
    [[nodiscard]] bool readAgain(const QByteArray &key);

    inspection::InspectedServer &m_server; // Not owned.
    HeldLocks &m_held;                     // Not owned.
    QHash<QByteArray, Check> m_checks;     ///< The next check of each lock that was reported lately.
    std::deque<std::pair<base::MonotonicTime, QByteArray>> m_due; ///< The times of the checks, in order, with those of
                                                                  ///< replaced checks.
    QHash<QByteArray, Reading> m_readings;                        ///< Of the keys with a notification.
    QTimer m_timer;                                               ///< Runs while m_due has an entry.
};

} // namespace latchkey::cli
